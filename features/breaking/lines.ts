/**
 * Adds line numbers to findings. A registry holds no line numbers, since a moved definition would change it; they are looked up
 * in the current files.
 */

import type { Finding } from "../../runtime/contract/finding.js";
import { literalPattern } from "../../runtime/contract/op-glob.js";

/**
 * Findings with the line where their tool is defined. A finding is unchanged if the file is gone or the definition is not found
 * (a computed name, an operation of an API description without an id).
 *
 * @param read text of a file by its path relative to the root, or undefined
 */
export function withLines(
  findings: readonly Finding[],
  read: (file: string) => string | undefined,
): readonly Finding[] {
  const places = new Map<string, Place | undefined>();
  return findings.map((one) => {
    if (one.line > 0 || one.file === "" || one.tool === "") return one;
    const key = JSON.stringify([one.file, one.tool]);
    if (!places.has(key)) places.set(key, placeOf(read(one.file) ?? "", one.tool));
    return { ...one, ...places.get(key) };
  });
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** `name: "x"`, `"name": "x"`, `operationId: x`, `function x(`, `const x =`: the place of the first match. */
function placeOf(text: string, tool: string): Place | undefined {
  const definition = new RegExp(
    `\\b(?:name["']?\\s*:\\s*["'\`]|operationId["']?\\s*:\\s*["']?|function\\s+|const\\s+)${literalPattern(tool)}(?![\\w$-])`,
  );
  const at = text.search(definition);
  if (at < 0) return undefined;
  const lines = text.slice(0, at).split("\n");
  return { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}
