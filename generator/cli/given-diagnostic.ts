/** Says diagnostics to somebody who has no project. */

import type { Diagnostic } from "../core/diagnostic.js";

const CONFIG = "definitions/toolwright.yaml";
/** What only the configuration of a project corrects, beside the address of an API. */
const IN_PROJECT = /toolwright\.yaml|(?:under|to) `(?:ops|vocabulary|exports|selections|depth)`|toolwright names/;
const KEEP = "make a project with --save, where that can be set";

/** The file of the caller that a message begins with. */
const FILE = /^\.\.\/\S+\.\w+(?=[ :])/;

/** Parts of remedies that are about a project, and what they are without one. */
const PARTS: readonly (readonly [part: RegExp, instead: string])[] = [
  [/, or (?:take the file out of `sources`|call the file _name\.ts to leave it out); `allow_empty: true` .*$/, ""],
  [/the project and its packages/, "what it imports"],
  [/, in this project$/, " in its folder"],
];

/**
 * A diagnostic for somebody who has no project: paths are relative to the working directory, and the remedy is a flag.
 *
 * @param path gives the path to show for a file of the diagnostic
 */
export function diagnosticForCaller(one: Diagnostic, path: (file: string) => string): Diagnostic {
  const message = one.message.replace(/(?<!\S)\.\.\/\S+/g, path);
  const remedy = PARTS.reduce((text, [part, instead]) => text.replace(part, instead), one.fix);
  const fix = one.code === "server-missing" ? "name it with --server" : IN_PROJECT.test(one.fix) ? KEEP : remedy;
  if (one.file !== CONFIG) return { ...one, file: path(one.file), message, fix };
  const [about = "the command"] = FILE.exec(one.message) ?? [];
  return { ...one, file: path(about), line: 1, column: 1, message, fix };
}
