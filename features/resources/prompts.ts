/**
 * Serves prompts: `batch_search`, `transform_data`, one per snippet with the code that it expands to, and ops exposed
 * as prompts.
 */

import type { GetPromptResult, Prompt } from "@modelcontextprotocol/server";
import { tryPrincipal } from "../../runtime/access/callers.js";
import type { RegistryView } from "../../runtime/catalog/registry.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { closest } from "../../runtime/contract/closest.js";
import type { Principal } from "../../runtime/contract/handler.js";
import { clip } from "../../runtime/contract/scrub.js";
import type { Snippet, SnippetParameter } from "../../runtime/contract/snippet.js";
import type { McpAnswers, McpGateway, McpRequest } from "../../runtime/gateway/mcp-part.js";
import { renderCall, type SnippetBounds } from "../../runtime/run/snippets.js";
import { wellFormed } from "../../runtime/run/text-repr.js";
import { invalidParamsError, pageOf } from "../../runtime/serve/mcp/pages.js";
import { callExposedResource, messagesOf } from "./exposed-resource-call.js";
import { argumentsOf, choicesOf, seenOf, type VisibleOp } from "./exposed-resources.js";
import type { ExposedPrompt, ExposedResources } from "./exposed-settings.js";
import { SNIPPET_PREFIX } from "./own-names.js";
import { CODE_PROMPTS, type CodePrompt, codeMessage, type Given, textOf } from "./prompt-code.js";

type Snippets = ReadonlyMap<string, Snippet>;

/** Characters of a name that an error repeats. */
const MAX_ECHO_LENGTH = 100;

/** The answers about prompts. */
export const promptAnswers = (all: ExposedResources): McpAnswers => ({
  "prompts/list": async ({ params }, { gateway, principal }) => {
    const who = await tryPrincipal(principal);
    if (!who) return { prompts: [] };
    const view = gateway.index.view(who.grant);
    const shown = promptsOf(view, seenPrompts(all, view), await gateway.snippets(who));
    const { entries, more } = pageOf(shown, params?.cursor);
    return { prompts: [...entries], ...more };
  },
  "prompts/get": async ({ params: { name, arguments: given = {} } }, request) => {
    const { gateway, principal } = request;
    const who = await principal();
    const view = gateway.index.view(who.grant);
    const code = codedPrompts(view).get(name);
    const exposed = seenPrompts(all, view);
    const offer = exposed.get(name);
    if (offer) return offerMessages({ request, who, offer, given });
    const { run } = gateway.settings;
    const { codeBytes } = run;
    refuseLarge(name, "its arguments have", Object.entries(given).flat(), codeBytes);
    if (!code) return snippetMessage({ name, given, view, taken: exposed }, await gateway.snippets(who), run);
    refuseUnknown(name, code.arguments, given);
    const loop = code.loop(given);
    const { name: language, texts } = await gateway.firstLanguage();
    const text = texts.callLoop(loop);
    refuseLarge(name, "the code has", [text], codeBytes);
    return messageOf(code.description, text, language);
  },
});

/** @throws ProtocolError for texts that exceed the code limit of `run` */
function refuseLarge(prompt: string, what: string, texts: readonly string[], codeBytes: number): void {
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (bytes > codeBytes)
    throw invalidParamsError(
      `${clip(prompt, MAX_ECHO_LENGTH)}: ${what} ${bytes} bytes, and may have ${codeBytes} (limits.code_bytes)`,
    );
}

/** Ops exposed as prompts, by name. */
type Offered = ReadonlyMap<string, VisibleOp<ExposedPrompt>>;

const seenPrompts = ({ prompts }: ExposedResources, view: RegistryView): Offered =>
  new Map(seenOf(prompts.values(), view).map((one) => [one.prompt, one]));

function promptsOf(view: RegistryView, exposed: Offered, snippets: Snippets): readonly Prompt[] {
  const coded = [...codedPrompts(view)].map(
    ([name, { title, description, arguments: args }]): Prompt => ({ name, title, description, arguments: [...args] }),
  );
  const named = [
    ...[...exposed.values()].map(offerPrompt),
    ...[...snippets].map(([name, snippet]) => snippetPrompt(promptName(name, exposed), snippet)),
  ];
  return [...coded, ...named.sort((a, b) => byCodeUnit(a.name, b.name))];
}

/** The built-in prompts whose op the caller sees. */
const codedPrompts = (view: RegistryView): ReadonlyMap<string, CodePrompt> =>
  new Map([...CODE_PROMPTS].filter(([, { op }]) => view.isListed(op)));

/** The name of a snippet's prompt: its own, or prefixed if a built-in or visible prompt has that name. */
const promptName = (snippet: string, taken: Offered): string =>
  CODE_PROMPTS.has(snippet) || taken.has(snippet) ? `${SNIPPET_PREFIX}${snippet}` : snippet;

/** The snippet of a prompt. */
function snippetOf(
  prompt: string,
  snippets: Snippets,
  taken: Offered,
): readonly [name: string, snippet: Snippet] | undefined {
  for (const name of [prompt, prompt.slice(SNIPPET_PREFIX.length)]) {
    const snippet = snippets.get(name);
    if (snippet && promptName(name, taken) === prompt) return [name, snippet];
  }
  return undefined;
}

function offerPrompt({ prompt, description, tool }: VisibleOp<ExposedPrompt>): Prompt {
  const args = tool.parameters.map(({ original, description: about, required }) => ({
    name: original,
    ...(about ? { description: about } : {}),
    required,
  }));
  return { name: prompt, description: description ?? tool.summary, arguments: args };
}

/** A request for a prompt that is an op. */
interface OfferRequest {
  readonly request: McpRequest;
  readonly who: Principal;
  readonly offer: VisibleOp<ExposedPrompt>;
  readonly given: Given;
}

async function offerMessages({ request, who, offer, given }: OfferRequest): Promise<GetPromptResult> {
  const { prompt, description, tool } = offer;
  const args = tool.parameters.map(({ original }) => ({ name: original }));
  refuseUnknown(prompt, args, given);
  for (const { original, required } of tool.parameters) if (required) textOf(given, prompt, original);
  const pieces = await callExposedResource(request, { who, tool, args: argumentsOf(tool, filledIn(given)) });
  return { description: description ?? tool.summary, messages: messagesOf(pieces) };
}

/** Leaves out empty texts, which forms send for fields that are not filled in. */
const filledIn = (given: Given) => Object.entries(given).filter(([, value]) => value !== "");

const isRequired = ({ required, default: preset }: SnippetParameter): boolean =>
  preset === undefined && (required ?? true);

function snippetPrompt(name: string, { description, parameters }: Snippet): Prompt {
  const args = [...parameters].map(([parameter, one]) => ({
    name: parameter,
    ...(one.description ? { description: one.description } : {}),
    required: isRequired(one),
  }));
  return { name, description: description || `The snippet $${name}.`, arguments: args };
}

const messageOf = (description: string, code: string, language?: string): GetPromptResult => ({
  description,
  messages: [{ role: "user", content: { type: "text", text: codeMessage(code, language) } }],
});

interface SnippetRequest {
  readonly name: string;
  readonly given: Given;
  readonly view: RegistryView;
  readonly taken: Offered;
}

async function snippetMessage(
  { name: prompt, given, view, taken }: SnippetRequest,
  snippets: Snippets,
  run: SnippetBounds,
): Promise<GetPromptResult> {
  const found = snippetOf(prompt, snippets, taken);
  if (!found) throw invalidParamsError(unknownPrompt(prompt, snippets, view, taken));
  const [name, { description = "", parameters }] = found;
  const args = [...parameters].map(([parameter]) => ({ name: parameter }));
  refuseUnknown(prompt, args, given);
  for (const [parameter, one] of parameters) if (isRequired(one)) textOf(given, prompt, parameter);
  const values = new Map(filledIn(given).map(([parameter, value]) => [parameter, wellFormed(value)]));
  const rendered = await renderCall({ name, values }, snippets, run);
  if (rendered.kind === "fault") throw invalidParamsError(`${prompt}: ${rendered.message}`);
  return messageOf(description, rendered.code, rendered.language);
}

function unknownPrompt(prompt: string, snippets: Snippets, view: RegistryView, exposed: Offered): string {
  const named = [...snippets.keys()].map((name) => promptName(name, exposed));
  const near = closest(prompt, [...codedPrompts(view).keys(), ...exposed.keys(), ...named]);
  return `Prompt '${clip(prompt, MAX_ECHO_LENGTH)}' not found.${near === undefined ? "" : ` Nearest: ${near}`}`;
}

/** @throws ProtocolError for an unknown argument */
function refuseUnknown(prompt: string, args: readonly { readonly name: string }[], given: Given): void {
  const names = args.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = closest(unknown, names);
  throw invalidParamsError(
    `${prompt}: there is no argument '${clip(unknown, MAX_ECHO_LENGTH)}'${near === undefined ? "" : `; did you mean '${near}'?`}`,
  );
}

/** A completion request. */
export interface Filling {
  readonly name: string;
  readonly argument: string;
  readonly typed: string;
}

/** Known values of an argument; `undefined` for an unknown prompt. */
export async function completePrompt(
  all: ExposedResources,
  gateway: McpGateway,
  who: Principal,
  { name, argument, typed }: Filling,
) {
  const view = gateway.index.view(who.grant);
  if (codedPrompts(view).has(name)) return [];
  const exposed = seenPrompts(all, view);
  const offer = exposed.get(name);
  if (offer) return beginning(choicesOf(offer.tool, argument), typed);
  const found = snippetOf(name, await gateway.snippets(who), exposed);
  if (!found) return undefined;
  const { choices = [], default: preset, example } = found[1].parameters.get(argument) ?? {};
  return beginning([...choices, ...[preset, example].filter((one) => one !== undefined)], typed);
}

/** The distinct values that begin with the typed text. */
export const beginning = (values: readonly string[], typed: string): readonly string[] =>
  [...new Set(values)].filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
