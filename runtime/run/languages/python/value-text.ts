/** The text of the value of a program in Python. */

import { formattedTree } from "../../format.js";
import { wellFormed } from "../../text-repr.js";
import { treeOf, treeOfJson } from "../../value-tree.js";
import type { FinishedRun, FormatOptions } from "../language.js";
import { valueStr } from "./python-text.js";

/** The text of the value; undefined without a value. Text at the top level is the same in every format. */
export async function formatValue(outcome: FinishedRun, { depth, isOt }: FormatOptions): Promise<string | undefined> {
  if (outcome.outcome === "novalue") return undefined;
  if (outcome.outcome === "none") return "None";
  const { format = null } = outcome;
  if (format === "raw") return wellFormed(outcome.str ?? valueStr(outcome.value));
  const tree =
    (outcome.json === undefined ? undefined : treeOfJson(outcome.json, depth)) ??
    treeOf(outcome.value, depth, valueStr);
  return formattedTree(tree, format, isOt);
}
