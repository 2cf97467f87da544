/** A plan as text, for the agent and the command line. */

import { writeJson } from "../../contract/exact-number.js";
import { onLine } from "../../contract/message-text.js";
import type { JsonValue } from "../../contract/registry.js";
import type { Plan, PlanEntry, PlannedOutcome } from "./plan.js";

/** Entries that the text names. */
const MAX_NAMED = 200;
/** Longest arguments, results and messages in it, in characters. */
const MAX_LENGTH = 300;

/** The text of a plan: its writes in order, and how far it can be relied on. */
export function planText(plan: Plan): string {
  const { entries, reads, error, digest } = plan;
  const more = entries.length - MAX_NAMED;
  return [
    `Plan: ${countText(entries.length, "write")} and ${countText(reads, "read")}, ${exactnessText(plan)}. Nothing was changed.`,
    ...entries.slice(0, MAX_NAMED).map((entry, at) => entryText(plan, entry, at + 1)),
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(partialAfterAll(plan) ? [PARTIAL_END] : []),
    ...(error === undefined ? [] : [`The program then fails: ${shortened(error)}`]),
    `Digest: ${digest}`,
  ].join("\n");
}

const countText = (count: number, of: string): string => `${count} ${of}${count === 1 ? "" : "s"}`;

const exactnessText = ({ exactness, partial_from }: Plan): string =>
  exactness === "partial" ? `partial from ${partial_from} on` : exactness;

const PARTIAL =
  "Partial from here: the program looks at an answer that is assumed. With the real one, it may write otherwise.";
const PARTIAL_END =
  "Partial from here: the program looked at an answer that is assumed. With the real one, it may write more.";

const partialAfterAll = ({ entries, partial_from }: Plan): boolean =>
  partial_from !== undefined && partial_from > entries.length;

function entryText({ partial_from }: Plan, entry: PlanEntry, number: number): string {
  const { place, op, args, outcome, is_assumed, rule } = entry;
  const marks = [...(is_assumed ? ["assumed"] : []), ...(rule === undefined ? [] : [`waits for approval (${rule})`])];
  return [
    ...(partial_from === number ? [PARTIAL] : []),
    `${number}. call ${place}: ${op} ${shortened(writeJson(args))}${marks.length === 0 ? "" : `  [${marks.join(", ")}]`}`,
    ...outcomeLines(outcome),
  ].join("\n");
}

function outcomeLines(outcome: PlannedOutcome): readonly string[] {
  if (outcome.kind === "fails") return [`   fails: ${shortened(outcome.error)}`];
  const { kind, result } = outcome;
  const said = result === undefined ? undefined : shortened(writeJson(result as JsonValue));
  if (kind === "done") return said === undefined ? [] : [`   gives ${said}`];
  return [said === undefined ? "   is not sent in a preview" : `   is not sent in a preview; its planner says ${said}`];
}

/** An op with its arguments, in one line. */
export const entryLine = ({ op, args }: Pick<PlanEntry, "op" | "args">): string =>
  `${op} ${shortened(writeJson(args))}`;

const shortened = (text: string): string => {
  const line = onLine(text);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
};
