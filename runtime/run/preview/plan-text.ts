/** A plan as text, for the agent and the command line. */

import { writeJson } from "../../contract/exact-number.js";
import { onLine, visibleText } from "../../contract/message-text.js";
import type { JsonValue } from "../../contract/registry.js";
import type { Plan, PlanEntry, PlannedOutcome } from "./plan.js";

/** Entries that the text names. */
const MAX_NAMED = 200;
/** Longest arguments, results and messages in it, in characters. */
const MAX_LENGTH = 300;

/** How much a text shows: everything, for those who decide, or a part. */
interface Extent {
  readonly isWhole?: boolean;
}

/** The text of a plan: its writes in order, and how far it can be relied on. */
export function planText(plan: Plan, extent: Extent = {}): string {
  const { entries, reads, error, digest } = plan;
  const named = extent.isWhole ? entries : entries.slice(0, MAX_NAMED);
  const more = entries.length - named.length;
  return [
    `Plan: ${countText(entries.length, "write")} and ${countText(reads, "read")}, ${exactnessText(plan)}. Nothing was changed.`,
    ...named.map((entry, at) => entryText(plan, entry, at + 1, extent)),
    ...(more > 0 ? [`and ${more} more, which the plan as an object has`] : []),
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

function entryText({ partial_from }: Plan, entry: PlanEntry, number: number, extent: Extent): string {
  const { place, outcome, is_assumed, rule } = entry;
  const marks = [...(is_assumed ? ["assumed"] : []), ...(rule === undefined ? [] : [`waits for approval (${rule})`])];
  return [
    ...(partial_from === number ? [PARTIAL] : []),
    `${number}. call ${place}: ${entryLine(entry, extent)}${marks.length === 0 ? "" : `  [${marks.join(", ")}]`}`,
    ...guessLines(entry),
    ...outcomeLines(outcome),
  ].join("\n");
}

/** Which plain values may be those that earlier writes give. */
export const guessLines = ({ may_be = {} }: Pick<PlanEntry, "may_be">): readonly string[] =>
  Object.entries(may_be).map(([pointer, labels]) => `   ${onLine(pointer)} may be ${labels.join(" or ")}`);

function outcomeLines(outcome: PlannedOutcome): readonly string[] {
  if (outcome.kind === "fails") return [`   fails: ${shortened(outcome.error)}`];
  const { kind, result } = outcome;
  const said = result === undefined ? undefined : shortened(writeJson(result as JsonValue));
  if (kind === "done") return said === undefined ? [] : [`   gives ${said}`];
  return [said === undefined ? "   is not sent in a preview" : `   is not sent in a preview; its planner says ${said}`];
}

/** An op with its arguments, in one line. */
export function entryLine({ op, args }: Pick<PlanEntry, "op" | "args">, { isWhole = false }: Extent = {}): string {
  const text = writeJson(args);
  return `${op} ${isWhole ? visibleText(text) : shortened(text)}`;
}

/** Entries of the plan that a difference names. */
const MAX_EXPECTED = 3;

/** What was planned, and what the program calls now. */
export function diffLines(
  now: Pick<PlanEntry, "op" | "args">,
  expected: readonly PlanEntry[],
  extent: Extent = {},
): readonly string[] {
  const named = extent.isWhole ? expected : expected.slice(0, MAX_EXPECTED);
  const more = expected.length - named.length;
  return [
    ...(expected.length === 0 ? ["- the plan has no further write"] : []),
    ...named.map((entry) => `- planned: ${entryLine(entry, extent)}`),
    ...(more > 0 ? [`- or ${more} more`] : []),
    `+ now: ${entryLine(now, extent)}`,
  ];
}

const shortened = (text: string): string => {
  const line = visibleText(text);
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH)}…` : line;
};
