/** Expands snippets: `$name key=value` becomes the code of a template. Runs nothing. */

import type { RunSettings } from "../config/run-settings.js";
import { byCodeUnit } from "../contract/canonical.js";
import { closest } from "../contract/closest.js";
import type { Snippet } from "../contract/snippet.js";
import type { TextFault } from "./fault.js";
import type { Marks } from "./languages/language.js";
import { isSnippet, readSnippetCall, type SnippetCall, shortenedName, snippetFault } from "./snippet-call.js";
import { renderApart } from "./snippet-renderer.js";

/** The code of a snippet, or of a command that calls none. */
interface SnippetCode {
  readonly kind: "code";
  readonly code: string;
  /** The name of its language. */
  readonly language: string;
}

/** Most bytes of a rendered snippet, and the languages that it may be written in; by default it is the first one. */
export type SnippetBounds = Pick<RunSettings, "codeBytes" | "allLanguages">;

/** Expands a command that calls a snippet; any other command is returned as code. */
export async function expandSnippet(
  command: string,
  snippets: ReadonlyMap<string, Snippet>,
  bounds: SnippetBounds,
): Promise<SnippetCode | TextFault> {
  if (!isSnippet(command)) return { kind: "code", code: command, language: bounds.allLanguages[0].name };
  const call = readSnippetCall(command);
  return call.kind === "fault" ? call : renderCall(call, snippets, bounds);
}

/** Renders a call of a snippet. */
export async function renderCall(
  call: Pick<SnippetCall, "name" | "values">,
  snippets: ReadonlyMap<string, Snippet>,
  bounds: SnippetBounds,
): Promise<SnippetCode | TextFault> {
  const snippet = snippets.get(call.name);
  if (!snippet) return unknownSnippet(call.name, snippets);
  const values = valuesOf(call, snippet);
  return "kind" in values ? values : render(call.name, snippet, values, bounds);
}

function unknownSnippet(name: string, snippets: ReadonlyMap<string, Snippet>): TextFault {
  const names = [...snippets.keys()].sort(byCodeUnit);
  return snippetFault(
    `unknown snippet '$${shortenedName(name)}'`,
    names.length > 0 ? `Snippets: ${names.join(", ")}` : "There are no snippets.",
  );
}

/** The given values, and the defaults of the others. */
function valuesOf(
  { name, values }: Pick<SnippetCall, "name" | "values">,
  { parameters }: Snippet,
): ReadonlyMap<string, string> | TextFault {
  for (const key of values.keys()) {
    if (parameters.has(key)) continue;
    const near = closest(key, parameters.keys());
    return snippetFault(
      `snippet '$${name}' has no parameter '${shortenedName(key)}'`,
      ...(near ? [`Did you mean: ${near}`] : []),
    );
  }
  const all = new Map(values);
  for (const [key, parameter] of parameters) {
    if (all.has(key)) continue;
    if (parameter.default !== undefined) all.set(key, parameter.default);
    else if (parameter.required ?? true) return snippetFault(`snippet '$${name}' needs parameter '${key}'`);
  }
  return all;
}

async function render(
  name: string,
  { body, language: written }: Snippet,
  values: ReadonlyMap<string, string>,
  { codeBytes, allLanguages }: SnippetBounds,
): Promise<SnippetCode | TextFault> {
  const language = written ?? allLanguages[0].name;
  const own = allLanguages.find((one) => one.name === language);
  if (!own) return snippetFault(`template of '$${name}' is invalid: there is no language ${language}`);
  const marks = marksFor([body, ...values.values()]);
  const rendered = await renderApart({ body, values, marks, most: codeBytes }, own.snippetWorker);
  if (rendered.kind === "undefined")
    return snippetFault(`snippet '$${name}' uses undefined variable '${rendered.name}'`);
  if (rendered.kind === "invalid") return snippetFault(`template of '$${name}' is invalid: ${rendered.reason}`);
  const code = rendered.text;
  if (Buffer.byteLength(code) > codeBytes)
    return snippetFault(`template of '$${name}' is invalid: its text is larger than limits.code_bytes`);
  return { kind: "code", code, language };
}

/** Chooses two private-use characters that do not occur in the texts. */
function marksFor(texts: readonly string[]): Marks {
  const found: string[] = [];
  for (let point = 0xe000; found.length < 2; point++) {
    const mark = String.fromCharCode(point);
    if (!texts.some((text) => text.includes(mark))) found.push(mark);
  }
  return { open: found[0] ?? "", close: found[1] ?? "" };
}
