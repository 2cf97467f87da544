/**
 * Prompts: `batch_search`, `transform_data`, one for each snippet, whose message is the code that the snippet becomes,
 * and ops that are prompts.
 */

import type { GetPromptResult, Prompt, Server, ServerContext } from "@modelcontextprotocol/server";
import { orNobody } from "../access/callers.js";
import { byCodeUnit } from "../contract/canonical.js";
import { closest } from "../contract/closest.js";
import { SNIPPET_PREFIX } from "../contract/exposure.js";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import { clip } from "../observe/scrub.js";
import type { RegistryView } from "../registry.js";
import { wellFormed } from "../run/python-text.js";
import { renderCall, type Snippet, type SnippetParameter } from "../run/snippets.js";
import { type Calling, callOffer, messagesOf } from "./offer-call.js";
import { argumentsOf, choicesOf, type OfferedPrompt, type Seen, seenOf } from "./offers.js";
import { guarded, invalid, pageOf } from "./pages.js";
import { CODE_PROMPTS, codeMessage, type Given, textOf } from "./prompt-code.js";

type Snippets = ReadonlyMap<string, Snippet>;

/** Characters of a name that an error repeats. */
const ECHO = 100;

/** Answers the requests about prompts. What they list is always of the configuration in force. */
export function servePrompts(server: Server, calling: Calling): void {
  const { gateway, principal } = calling;
  server.setRequestHandler(
    "prompts/list",
    guarded(gateway.log, async ({ params }) => {
      const who = await orNobody(principal);
      if (!who) return { prompts: [] };
      const view = gateway.index.view(who.grant);
      const all = promptsOf(view, seenPrompts(gateway, view), await gateway.snippets(who));
      const { entries, more } = pageOf(all, params?.cursor);
      return { prompts: [...entries], ...more };
    }),
  );
  server.setRequestHandler(
    "prompts/get",
    guarded(gateway.log, async ({ params: { name, arguments: given = {} } }, context) => {
      const who = await principal();
      const code = CODE_PROMPTS.get(name);
      const offers = seenPrompts(gateway, gateway.index.view(who.grant));
      const offer = offers.get(name);
      if (offer) return offerMessages({ calling, who, offer, given }, context);
      const { codeBytes } = gateway.settings.run;
      refuseLarge(name, "its arguments have", Object.entries(given).flat(), codeBytes);
      if (!code) return snippetMessage({ name, given, taken: offers }, await gateway.snippets(who), codeBytes);
      refuseUnknown(name, code.arguments, given);
      const text = code.code(given);
      refuseLarge(name, "the code has", [text], codeBytes);
      return messageOf(code.description, text);
    }),
  );
}

/** @throws ProtocolError for texts that would be more code than `run` takes */
function refuseLarge(prompt: string, what: string, texts: readonly string[], codeBytes: number): void {
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (bytes > codeBytes)
    throw invalid(`${clip(prompt, ECHO)}: ${what} ${bytes} bytes, and may have ${codeBytes} (limits.code_bytes)`);
}

/** Ops that are prompts, by name. */
type Offered = ReadonlyMap<string, Seen<OfferedPrompt>>;

const seenPrompts = ({ settings }: Pick<Gateway, "settings">, view: RegistryView): Offered =>
  new Map(seenOf(settings.offers.prompts.values(), view).map((one) => [one.prompt, one]));

function promptsOf(view: RegistryView, offers: Offered, snippets: Snippets): readonly Prompt[] {
  const coded = [...CODE_PROMPTS].map(([name, { title, description, op, arguments: args }]): Prompt => {
    const note = view.isListed(op) ? "" : ` It calls ${op}, which is not among the tools here.`;
    return { name, title, description: `${description}${note}`, arguments: [...args] };
  });
  const named = [
    ...[...offers.values()].map(offerPrompt),
    ...[...snippets].map(([name, snippet]) => snippetPrompt(promptName(name, offers), snippet)),
  ];
  return [...coded, ...named.sort((a, b) => byCodeUnit(a.name, b.name))];
}

/** A snippet's own name, unless a prompt has it that the caller sees. */
const promptName = (snippet: string, taken: Offered): string =>
  CODE_PROMPTS.has(snippet) || taken.has(snippet) ? `${SNIPPET_PREFIX}${snippet}` : snippet;

/** The snippet that a prompt is made of. */
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

function offerPrompt({ prompt, description, tool }: Seen<OfferedPrompt>): Prompt {
  const args = tool.parameters.map(({ original, description: about, required }) => ({
    name: original,
    ...(about ? { description: about } : {}),
    required,
  }));
  return { name: prompt, description: description ?? tool.summary, arguments: args };
}

/** A prompt that is an op, and who asks for it. */
interface OfferRequest {
  readonly calling: Calling;
  readonly who: Principal;
  readonly offer: Seen<OfferedPrompt>;
  readonly given: Given;
}

async function offerMessages(
  { calling, who, offer: { prompt, description, tool }, given }: OfferRequest,
  context: ServerContext,
): Promise<GetPromptResult> {
  const args = tool.parameters.map(({ original }) => ({ name: original }));
  refuseUnknown(prompt, args, given);
  for (const { original, required } of tool.parameters) if (required) textOf(given, prompt, original);
  const pieces = await callOffer(calling, { who, tool, args: argumentsOf(tool, filledIn(given)) }, context);
  return { description: description ?? tool.summary, messages: messagesOf(pieces) };
}

/** Forms send an empty text for what nobody has filled in. */
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

const messageOf = (description: string, code: string): GetPromptResult => ({
  description,
  messages: [{ role: "user", content: { type: "text", text: codeMessage(code) } }],
});

interface SnippetRequest {
  readonly name: string;
  readonly given: Given;
  readonly taken: Offered;
}

async function snippetMessage(
  { name: prompt, given, taken }: SnippetRequest,
  snippets: Snippets,
  codeBytes: number,
): Promise<GetPromptResult> {
  const found = snippetOf(prompt, snippets, taken);
  if (!found) throw invalid(unknownPrompt(prompt, snippets, taken));
  const [name, { description = "", parameters }] = found;
  const args = [...parameters].map(([parameter]) => ({ name: parameter }));
  refuseUnknown(prompt, args, given);
  for (const [parameter, one] of parameters) if (isRequired(one)) textOf(given, prompt, parameter);
  const values = new Map(filledIn(given).map(([parameter, value]) => [parameter, wellFormed(value)]));
  const rendered = await renderCall({ name, values }, snippets, codeBytes);
  if (rendered.kind === "fault") throw invalid(`${prompt}: ${rendered.message}`);
  return messageOf(description, rendered.code);
}

function unknownPrompt(prompt: string, snippets: Snippets, offers: Offered): string {
  const named = [...snippets.keys()].map((name) => promptName(name, offers));
  const near = closest(prompt, [...CODE_PROMPTS.keys(), ...offers.keys(), ...named]);
  return `Prompt '${clip(prompt, ECHO)}' not found.${near === undefined ? "" : ` Nearest: ${near}`}`;
}

/** @throws ProtocolError for an argument that the prompt has not */
function refuseUnknown(prompt: string, args: readonly { readonly name: string }[], given: Given): void {
  const names = args.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = closest(unknown, names);
  throw invalid(
    `${prompt}: there is no argument '${clip(unknown, ECHO)}'${near === undefined ? "" : `; did you mean '${near}'?`}`,
  );
}

/** An argument that is being filled in. */
export interface Filling {
  readonly name: string;
  readonly argument: string;
  readonly typed: string;
}

/** Values of an argument, as far as they are known; undefined where there is no such prompt. */
export async function completePrompt(gateway: Gateway, who: Principal, { name, argument, typed }: Filling) {
  if (CODE_PROMPTS.has(name)) return [];
  const offers = seenPrompts(gateway, gateway.index.view(who.grant));
  const offer = offers.get(name);
  if (offer) return beginning(choicesOf(offer.tool, argument), typed);
  const found = snippetOf(name, await gateway.snippets(who), offers);
  if (!found) return undefined;
  const { choices = [], default: preset, example } = found[1].parameters.get(argument) ?? {};
  return beginning([...choices, ...[preset, example].filter((one) => one !== undefined)], typed);
}

/** The values that begin with what has been typed, each once. */
export const beginning = (values: readonly string[], typed: string): readonly string[] =>
  [...new Set(values)].filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
