/** Prompts: `batch_search`, `transform_data`, and one for each snippet, whose message is the code that the snippet becomes (`ot-pack.md` 4). */

import type { GetPromptResult, Prompt, Server } from "@modelcontextprotocol/server";
import { orNobody } from "../access/callers.js";
import { byCodeUnit } from "../contract/canonical.js";
import { closest } from "../contract/closest.js";
import { clip } from "../observe/scrub.js";
import type { RegistryView } from "../registry.js";
import { wellFormed } from "../run/python-text.js";
import { renderCall, type Snippet, type SnippetParameter } from "../run/snippets.js";
import { guarded, invalid, pageOf } from "./pages.js";
import { CODE_PROMPTS, codeMessage, type Given, textOf } from "./prompt-code.js";
import type { ServerOptions } from "./server.js";

type Snippets = ReadonlyMap<string, Snippet>;

/** Characters of a name that an error repeats. */
const ECHO = 100;

/** Answers the requests about prompts. What they list is always of the configuration in force. */
export function servePrompts(server: Server, { gateway, principal }: ServerOptions): void {
  server.setRequestHandler(
    "prompts/list",
    guarded(gateway.log, async ({ params }) => {
      const who = await orNobody(principal);
      if (!who) return { prompts: [] };
      const view = gateway.index.view(who.grant);
      const { entries, more } = pageOf(promptsOf(view, await gateway.snippets(who)), params?.cursor);
      return { prompts: [...entries], ...more };
    }),
  );
  server.setRequestHandler(
    "prompts/get",
    guarded(gateway.log, async ({ params: { name, arguments: given = {} } }) => {
      const who = await principal();
      const code = CODE_PROMPTS.get(name);
      if (!code) return snippetMessage(name, await gateway.snippets(who), given, gateway.settings.run.codeBytes);
      refuseUnknown(name, code.arguments, given);
      return messageOf(code.description, code.code(given));
    }),
  );
}

function promptsOf(view: RegistryView, snippets: Snippets): readonly Prompt[] {
  const coded = [...CODE_PROMPTS].map(([name, { title, description, op, arguments: args }]): Prompt => {
    const note = view.isListed(op) ? "" : ` It calls ${op}, which is not among the tools here.`;
    return { name, title, description: `${description}${note}`, arguments: [...args] };
  });
  const named = [...snippets].map(([name, snippet]) => [promptName(name), snippet] as const);
  return [...coded, ...named.sort(([a], [b]) => byCodeUnit(a, b)).map(([name, one]) => snippetPrompt(name, one))];
}

const PREFIX = "snippet_";

/** A snippet's own name, unless a prompt of ours has it. */
const promptName = (snippet: string): string => (CODE_PROMPTS.has(snippet) ? `${PREFIX}${snippet}` : snippet);

/** The snippet that a prompt is made of. */
function snippetOf(prompt: string, snippets: Snippets): readonly [name: string, snippet: Snippet] | undefined {
  for (const name of [prompt, prompt.slice(PREFIX.length)]) {
    const snippet = snippets.get(name);
    if (snippet && promptName(name) === prompt) return [name, snippet];
  }
  return undefined;
}

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

async function snippetMessage(
  prompt: string,
  snippets: Snippets,
  given: Given,
  codeBytes: number,
): Promise<GetPromptResult> {
  const found = snippetOf(prompt, snippets);
  if (!found) throw invalid(unknownPrompt(prompt, snippets));
  const [name, { description = "", parameters }] = found;
  const args = [...parameters].map(([parameter]) => ({ name: parameter }));
  refuseUnknown(prompt, args, given);
  for (const [parameter, one] of parameters) if (isRequired(one)) textOf(given, prompt, parameter);
  // Forms send an empty text for what nobody has filled in.
  const filled = Object.entries(given).filter(([, value]) => value !== "");
  const values = new Map(filled.map(([parameter, value]) => [parameter, wellFormed(value)]));
  const rendered = await renderCall({ name, values }, snippets, codeBytes);
  if (rendered.kind === "fault") throw invalid(`${prompt}: ${rendered.message}`);
  return messageOf(description, rendered.code);
}

function unknownPrompt(prompt: string, snippets: Snippets): string {
  const near = closest(prompt, [...CODE_PROMPTS.keys(), ...[...snippets.keys()].map(promptName)]);
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

/** Values of an argument, as far as they are known; undefined where there is no such prompt. */
export function completePrompt(prompt: string, argument: string, typed: string, snippets: Snippets) {
  if (CODE_PROMPTS.has(prompt)) return [];
  const parameter = snippetOf(prompt, snippets)?.[1].parameters.get(argument);
  if (!parameter) return snippetOf(prompt, snippets) ? [] : undefined;
  const { choices = [], default: preset, example } = parameter;
  const values = new Set([...choices, ...[preset, example].filter((one) => one !== undefined)]);
  return [...values].filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()));
}
