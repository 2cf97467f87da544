/** Lets a write of a run pass: it is one of an approved plan, a person has approved it, or nobody asks about it. */

import type { AskedOutcome, AskedPermission } from "../../call/call.js";
import type { Decider } from "../../config/approval-settings.js";
import type { PlanEntry } from "../preview/plan.js";
import { diffLines, entryLine, planText } from "../preview/plan-text.js";
import { type AskingRun, isPermitted } from "./asking.js";
import { callPlace, PLAN_PLACE } from "./places.js";
import { addPlan } from "./plan-table.js";
import { divergence, type PlannedRun, type Planning, planCovers } from "./planning.js";

/** A question that waits for a person. */
export interface WaitingHere extends AskedOutcome {
  /** About a call, about what has become of one, about the plan, or about a call that was not planned. */
  readonly kind: "approval" | "outcome" | "plan" | "diverged";
  /** Where a person may decide; absent: where the question that stands says. */
  readonly by?: readonly Decider[] | undefined;
  /** What the caller is told about it. */
  readonly lines?: readonly string[];
}

/** What decides about the writes of a run. */
export interface Permits {
  readonly planning: Planning | undefined;
  /** The run, which is stored by then. */
  run(): AskingRun;
  /** Stores what is new of the run. */
  store(): Promise<void>;
  /** Whether the call has been asked about before. */
  wasAsked(key: string): boolean;
  /** Waits until the program pauses. @throws ToolFailure CANCELLED then */
  park(waiting: WaitingHere): Promise<never>;
}

/**
 * Waits until the write may be made.
 *
 * @throws ToolFailure PERMISSION_DENIED if a person has rejected it or its plan; CANCELLED when the program pauses
 */
export async function permitWrite(permits: Permits, asked: AskedPermission): Promise<void> {
  const planned = await permits.planning?.planned();
  if (planned) {
    await requirePlan(permits, planned, asked);
    const { key, op, args } = asked;
    const found = planned.held.next({ place: callPlace({ key }), op, args });
    if ("expected" in found) return requireDivergence(permits, planned, asked, found.expected);
    if (planCovers(planned.stored, found, asked.rule)) return;
  }
  if (!asked.rule && !permits.wasAsked(asked.key)) return;
  await permits.store();
  if (!(await isPermitted(permits.run(), asked)))
    await permits.park({ ...asked, kind: "approval", by: asked.rule?.by });
}

async function requirePlan(permits: Permits, planned: PlannedRun, asked: AskedPermission): Promise<void> {
  if (planned.approved) return;
  await permits.store();
  const run = permits.run();
  const { stored, rule } = planned;
  const { digest: hash, entries, exactness } = stored.plan;
  const question = {
    key: `${run.driver.id}:${PLAN_PLACE}`,
    op: "plan",
    args: { writes: entries.length, exactness, digest: hash },
    hash,
    rule,
    also: async (tx: Parameters<typeof addPlan>[0]) => {
      if (!planned.isStored) await addPlan(tx, run, stored);
    },
  };
  planned.approved = await isPermitted(run, question);
  if (planned.approved) return;
  const lines = planText(stored.plan).split("\n");
  const { args } = question;
  const { key, parked } = asked;
  await permits.park({ op: "plan", key, args, kind: "plan", by: rule.by, lines, parked });
}

/** Entries that a message names. */
const MAX_NAMED = 3;

async function requireDivergence(
  permits: Permits,
  planned: PlannedRun,
  asked: AskedPermission,
  expected: readonly PlanEntry[],
): Promise<void> {
  await permits.store();
  const question = { ...asked, rule: divergence(planned, asked.rule), planned: expected.slice(0, MAX_STORED) };
  if (await isPermitted(permits.run(), question)) return planned.held.loosen();
  const { by } = question.rule;
  await permits.park({ ...asked, kind: "diverged", by, lines: diffLines(asked, expected) });
}

/** Entries of the plan that are stored with a call that differs from all of them. */
const MAX_STORED = 20;

/** A warning about writes that were planned and not made; undefined if there is none. */
export function missingText(planned: PlannedRun | undefined): string | undefined {
  const missing = planned?.held.missing() ?? [];
  if (missing.length === 0) return undefined;
  const named = missing.slice(0, MAX_NAMED).map((entry) => entryLine(entry));
  const more = missing.length - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])].join("; ");
  return `Warning: planned and not made: ${all}`;
}
