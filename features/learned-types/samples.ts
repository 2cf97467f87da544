/**
 * Reads recorded results: a file `<op>.ndjson` holds a result a line, `{"args": {…}, "result": …}`, with the day of the
 * call as `"day": "2026-11-22"` if it is known.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "../../runtime/contract/json.js";
import type { JsonValue, Tool } from "../../runtime/contract/registry.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { hashingWith } from "./hashing.js";
import { summaryOf } from "./learner.js";
import { saysError } from "./observed.js";
import { mergeOps, type OpSummary } from "./op-summary.js";
import { revealed } from "./reveal.js";
import type { OpRow } from "./store.js";

const SUFFIX = ".ndjson";
/** Day of results that name none. */
const NO_DAY = "1970-01-01";

/** The summaries of recorded results. @throws UsageError naming the file and line that cannot be used */
export function readSamples(folder: string, tools: readonly Tool[]): readonly OpRow[] {
  let names: readonly string[];
  try {
    names = readdirSync(folder)
      .filter((name) => name.endsWith(SUFFIX))
      .sort();
  } catch (error) {
    throw new UsageError(`--from ${folder} cannot be read: ${messageOf(error)}`);
  }
  if (names.length === 0)
    throw new UsageError(`--from ${folder} has no file OP${SUFFIX}, such as github.list_issues${SUFFIX}`);
  return names.flatMap((name) => {
    const op = name.slice(0, -SUFFIX.length);
    const tool = tools.find((one) => one.op === op);
    if (!tool) throw new UsageError(`${join(folder, name)}: there is no op ${op}; the name of the file is its op`);
    const summary = summaryOfFile(join(folder, name), tool);
    return summary ? [{ op, digest: tool.digest.input, summary }] : [];
  });
}

function summaryOfFile(file: string, tool: Tool): OpSummary | undefined {
  const hashing = hashingWith("samples");
  let summary: OpSummary | undefined;
  for (const [i, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (line.trim() === "") continue;
    const { args, result, day } = sampleOf(line, `${file}:${i + 1}`);
    if (saysError(result)) continue;
    const one = summaryOf({ tool, args, result, caller: undefined }, hashing, Date.parse(day), `line ${i}`);
    summary = summary ? mergeOps(summary, one) : one;
  }
  return summary && revealed(summary, hashing.nameOf);
}

function sampleOf(line: string, place: string): { args: unknown; result: JsonValue; day: string } {
  let sample: unknown;
  try {
    sample = JSON.parse(line);
  } catch (error) {
    throw new UsageError(`${place} is not JSON: ${messageOf(error)}`);
  }
  if (!isRecord(sample) || !Object.hasOwn(sample, "result"))
    throw new UsageError(`${place} is not an object with "result": write {"args": {…}, "result": …}`);
  const { args, result, day = NO_DAY } = sample;
  if (typeof day !== "string" || Number.isNaN(Date.parse(day)))
    throw new UsageError(`${place}: "day" must be a day such as 2026-11-22`);
  return { args, result: result as JsonValue, day };
}
