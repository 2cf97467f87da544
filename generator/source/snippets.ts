/** Reads and checks `definitions/snippets.yaml`, and lists the snippets for the help index. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { ListedParameter, ListedSnippet } from "../../runtime/contract/help.js";
import { isRecord, type Values } from "../../runtime/contract/json.js";
import type { LanguageFeature } from "../../runtime/contract/program-language.js";
import { allLanguages } from "../../runtime/contract/python-language.js";
import { SNIPPETS_FILE } from "../../runtime/contract/snippet.js";
import { snippetsSchema } from "../config/schema.js";
import type { Report } from "../core/diagnostic.js";
import { messageValue } from "../core/message-value.js";
import { checkShape } from "../core/shape.js";
import { placeOfPath, type ReadYaml, readYaml } from "../core/yaml-file.js";

/** Access to the file, and the check of templates. */
export interface SnippetHost {
  readonly read: (file: string) => string | undefined;
  /** Why a template does not compile, if so; provided by the runtime. Absent: templates are not checked. */
  readonly templateFault?: (body: string) => Promise<string | undefined>;
  /** Reads a file as YAML; absent: parses it. */
  readonly readYaml?: ReadYaml;
}

/**
 * Snippets sorted by name; empty without a file.
 *
 * @param languages - those of programs, which may be none for the first one
 * @param features - whose languages snippets may be written in, too
 */
export async function readSnippets(
  host: SnippetHost,
  report: Report,
  languages: readonly string[] = [],
  features: readonly LanguageFeature[] = [],
): Promise<readonly ListedSnippet[]> {
  const text = host.read(SNIPPETS_FILE);
  const file = text === undefined ? undefined : (host.readYaml ?? readYaml)(SNIPPETS_FILE, text, report);
  if (!file) return [];
  const place = placeOfPath(file.places, { file: SNIPPETS_FILE, line: 1, column: 1 });
  const all = allLanguages(features).map(({ name }) => name);
  checkShape(file.values, snippetsSchema(all), [], { place, report });
  const entries = Object.entries(file.values).flatMap(([name, one]): readonly (readonly [string, Values])[] =>
    isRecord(one) ? [[name, one]] : [],
  );
  const run = languages.length > 0 ? languages : all.slice(0, 1);
  for (const [name, { params, body, language = all[0] }] of entries) {
    checkName("a snippet", name, place(name), report);
    const other = all.find((one) => one === language && !run.includes(one));
    if (other) report.add("snippet-language", place(name, "language"), { snippet: name, language: other });
    for (const key of isRecord(params) ? Object.keys(params) : [])
      checkName(`a parameter of ${name}`, key, place(name, "params", key), report);
    const reason = typeof body === "string" ? await host.templateFault?.(body) : undefined;
    if (reason !== undefined) report.add("snippet-invalid", place(name, "body"), { snippet: name, reason });
  }
  return entries.map(listed).sort((a, b) => byCodeUnit(a.name, b.name));
}

/** Checks a name, which must be a word for calls such as `$name key=value`. */
function checkName(what: string, name: string, at: ReturnType<ReturnType<typeof placeOfPath>>, report: Report): void {
  if (/^\w+$/.test(name)) return;
  const expected = "made of letters, digits and underscores";
  report.add("config-invalid", at, { path: `the name of ${what}`, expected, received: messageValue(name) });
}

const listed = ([name, { description, language, params, body }]: readonly [string, Values]): ListedSnippet => ({
  name,
  description: typeof description === "string" ? description : "",
  ...(typeof language === "string" ? { language } : {}),
  params: Object.entries(isRecord(params) ? params : {}).map(
    ([key, one]): ListedParameter => ({
      ...(isRecord(one) ? one : {}),
      name: key,
    }),
  ),
  body: typeof body === "string" ? body : "",
});
