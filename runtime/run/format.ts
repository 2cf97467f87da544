/** Builds the text of a result by `__format__`, joined with the output of the code. Never fails. */

import type { RunOutcome } from "./engine/engine.js";
import { yamlOf } from "./format-yaml.js";
import { valueStr, wellFormed } from "./python-text.js";
import { jsonOf, type Tree, treeOf, treeOfJson } from "./value-tree.js";

/** A successful run. */
export type Finished = Extract<RunOutcome, { readonly ok: true }>;

/** Context of the text besides the outcome. */
export interface FormatOptions {
  /** `limits.result_depth`: deeper values are `"..."`. */
  readonly depth: number;
  /** Whether the captured value is directly a call of an op of `ot`, which answers in YAML. */
  readonly isOt: boolean;
}

/** The reply to code without a value and without output. */
const NO_VALUE = "OK: no return value";

type Writer = (tree: Tree) => string | Promise<string>;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ["json", (tree) => jsonOf(tree)],
  ["json_h", (tree) => jsonOf(tree, 2)],
  ["yml", (tree) => yamlOf(tree, "flow")],
  ["yml_h", (tree) => yamlOf(tree, "block")],
]);

/** The text of the value; undefined without a value. Text at the top level is the same in every format. */
export async function formatValue(outcome: Finished, { depth, isOt }: FormatOptions): Promise<string | undefined> {
  if (outcome.outcome === "novalue") return undefined;
  if (outcome.outcome === "none") return "None";
  const { format = null } = outcome;
  if (format === "raw") return wellFormed(outcome.str ?? valueStr(outcome.value));
  const tree =
    (outcome.json === undefined ? undefined : treeOfJson(outcome.json, depth)) ?? treeOf(outcome.value, depth);
  if (tree.kind === "text") return tree.text;
  if (format === null && isOt && tree.kind !== "literal") return yamlOf(tree, "ot");
  const write = typeof format === "string" ? WRITERS.get(format) : undefined;
  return write ? write(tree) : jsonOf(tree);
}

/** A text without the newlines at its end. */
export function withoutNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** The output without newlines at its end, then the text of the value on a line of its own. */
export function joinReply(printed: string, value: string | undefined): string {
  const output = withoutNewlines(printed);
  if (value === undefined) return output === "" ? NO_VALUE : output;
  return output === "" ? value : `${output}\n${value}`;
}
