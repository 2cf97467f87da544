/** `ot.aliases` and `ot.snippets`: shows aliases of tools and code templates. */

import type { JsonValue } from "../../contract/registry.js";
import { exampleSnippetCall, type Snippet, type SnippetParameter, snippetSummary } from "../../contract/snippet.js";
import { expandSnippet, type SnippetBounds } from "../../run/snippets.js";
import type { SeenAlias, SeenSnippet } from "./catalogue.js";
import type { Info } from "./info.js";

/** An alias at a level of detail. */
export function aliasEntry({ name, target }: SeenAlias, info: Info): JsonValue {
  if (info === "list") return name;
  return info === "full" ? { name, target } : aliasLine({ name, target });
}

/** `ws -> brave.web_search` */
export const aliasLine = ({ name, target }: Pick<SeenAlias, "name" | "target">): string => `${name} -> ${target}`;

/** A snippet at a level of detail; the full text includes the code of an example call. */
export async function snippetEntry(snippet: SeenSnippet, info: Info, run: SnippetBounds): Promise<JsonValue> {
  if (info === "list") return snippet.name;
  return info === "full" ? snippetText(snippet, run) : snippetLine(snippet);
}

/** `hi: Say hi` */
export const snippetLine = ({ name, ...snippet }: SeenSnippet): string => `${name}: ${snippetSummary(snippet)}`;

/** The definition of a snippet, an example call, and the code that it expands to. */
export async function snippetText(snippet: SeenSnippet, run: SnippetBounds): Promise<string> {
  const { name, description, language, parameters, body } = snippet;
  const call = exampleSnippetCall(name, parameters);
  const expanded = await expandSnippet(call, new Map<string, Snippet>([[name, snippet]]), run);
  return [
    `name: ${name}`,
    ...(description ? [`description: ${plain(description)}`] : []),
    ...(language === undefined ? [] : [`language: ${plain(language)}`]),
    ...(parameters.size > 0 ? ["params:"] : []),
    ...[...parameters].map(([key, one]) => `  ${key}: ${parameterText(one)}`),
    `body: |${body.startsWith(" ") ? "2" : ""}`,
    ...body.trimEnd().split("\n").map(indented),
    "",
    "# Example with defaults:",
    `# ${call.replaceAll("\n", " ")}`,
    ...(expanded.kind === "code"
      ? ["# Expands to:", expanded.code.trimEnd()]
      : [`# Cannot be expanded: ${expanded.message}`]),
  ].join("\n");
}

const indented = (line: string): string => (line === "" ? "" : `  ${line}`);

/** `{type: str, default: 3, description: "How often"}` */
function parameterText({ required, type, default: preset, description }: SnippetParameter): string {
  const members = [
    ...(type ? [`type: ${plain(type)}`] : []),
    ...(required === false && preset === undefined ? ["required: false"] : []),
    ...(preset === undefined ? [] : [`default: ${plain(preset)}`]),
    ...(description ? [`description: ${JSON.stringify(description)}`] : []),
  ];
  return `{${members.join(", ")}}`;
}

/** A text as YAML, quoted only if necessary. */
const plain = (text: string): string =>
  /^[\p{L}\p{N}][^:#,[\]{}\p{C}]*$/u.test(text) && text.trim() === text ? text : JSON.stringify(text);
