/** The calls that wait for a person, for all who show them: the command line, the console, notifications, the agent. */

import type { Decider } from "../../config/approval-settings.js";
import { byCodeUnit, digest } from "../../contract/canonical.js";
import type { Transaction } from "../../contract/handler.js";
import { readJson } from "../../contract/read-json.js";
import type { JsonObject } from "../../contract/registry.js";
import type { State } from "../../state/open.js";
import { type ApprovalRow, iso, queries, type RunPlanRow } from "../../state/schema.js";
import { byPlace, type Plan, type PlanEntry } from "../preview/plan.js";
import { runSeal } from "./log-text.js";
import { PLAN_PLACE } from "./places.js";
import { planIn } from "./plan-table.js";
import { planRowOf } from "./run-table.js";
import { titlesOf } from "./stored-titles.js";

/** A call that waits for a person. Times are ISO 8601 in UTC. */
export interface WaitingCall {
  /** Names the question: a call that is asked about again, under another rule, has another id. */
  readonly id: string;
  readonly run: string;
  /**
   * `approval`: a person approves or rejects it. `outcome`: a person says whether it happened. `plan`: a person approves or
   * rejects all writes of the run. `diverged`: as `approval`, for a write that is not one of the plan.
   */
  readonly kind: "approval" | "outcome" | "plan" | "diverged";
  /** Who began the run. */
  readonly caller: string;
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
  /** The title of what it is about, escaped, as read when the run paused; absent if none was read. */
  readonly title?: string;
  /** The rule that asks, such as `approve[0]`; empty for an outcome. */
  readonly rule: string;
  /** What the rule says, if it was asked for, and is still in force. */
  readonly rule_text?: string;
  /** Where a person may decide. */
  readonly by: readonly Decider[];
  readonly asked_at: string;
  readonly expires_at: string;
  /** The plan that waits; absent if the plans of a listing are too large together. */
  readonly plan?: Plan;
  /** What was planned in place of the call. */
  readonly planned?: readonly PlanEntry[];
}

/** Largest plans of a listing together, in characters of sealed JSON; the first one is always there. */
const MAX_PLANS_LENGTH = 4_000_000;

/** Calls that a listing shows. */
const MAX_SHOWN = 1000;

const COLUMNS = ["run_id", "caller", "place", "op", "args", "asked_at", "expires_at"] as const;

const ID_LENGTH = 16;

/** The id of a question about a call of a run. */
export const questionId = (
  asked: Pick<ApprovalRow, "run_id" | "place" | "asked_at"> & { rule_hash?: string },
): string => `ap_${digest([asked.run_id, asked.place, asked.asked_at, asked.rule_hash ?? ""]).slice(0, ID_LENGTH)}`;

interface Only {
  /** Who began the run: one of these. */
  readonly callers?: readonly string[];
  readonly run?: string;
  /** What a rule says, by the digest of it; default: nothing is said. */
  readonly ruleText?: (hash: string) => string | undefined;
}

/** The calls that wait, the oldest first. */
export async function waitingCalls(
  state: State,
  now: number,
  { ruleText, ...only }: Only = {},
): Promise<readonly WaitingCall[]> {
  const seal = await runSeal(state);
  const { rows, bodies, records } = await state.transaction("read", async (tx) => {
    const all = await waitingRows(tx, now, only);
    const found = all.sort((a, b) => byCodeUnit(a.asked_at, b.asked_at) || byPlace(a, b)).slice(0, MAX_SHOWN);
    return { rows: found, bodies: await plansOf(tx, found), records: await recordsOf(tx, found) };
  });
  const titles = new Map(records.map((row) => [row.id, titlesOf(row, seal)]));
  return rows.map(({ run_id, place, args, deciders, planned, kind, rule_hash, ...row }) => {
    const title = titles.get(run_id)?.get(place);
    const text = ruleText?.(rule_hash);
    const body = place === PLAN_PLACE ? bodies.get(run_id) : undefined;
    return {
      ...row,
      id: questionId({ ...row, run_id, place, rule_hash }),
      kind: place === PLAN_PLACE ? "plan" : planned === null ? kind : "diverged",
      run: run_id,
      call: place,
      args: readJson(seal.open(args)) as JsonObject,
      ...(title === undefined ? {} : { title }),
      ...(text === undefined ? {} : { rule_text: text }),
      by: deciders.split(" ") as Decider[],
      ...(body ? { plan: planIn(body, seal).plan.plan } : {}),
      ...(planned === null ? {} : { planned: readJson(seal.open(planned)) as PlanEntry[] }),
    };
  });
}

/** The records of the runs of what waits. */
async function recordsOf(tx: Transaction, rows: readonly { readonly run_id: string }[]) {
  const ids = [...new Set(rows.map(({ run_id }) => run_id))];
  if (ids.length === 0) return [];
  return queries(tx).selectFrom("runs").select(["id", "record"]).where("id", "in", ids).execute();
}

/** The plans among what waits, as many as a listing may hold. */
async function plansOf(
  tx: Transaction,
  rows: readonly { readonly run_id: string; readonly place: string }[],
): Promise<ReadonlyMap<string, RunPlanRow>> {
  const found = new Map<string, RunPlanRow>();
  let length = 0;
  for (const { run_id, place } of rows) {
    if (place !== PLAN_PLACE || length > MAX_PLANS_LENGTH) continue;
    const row = await planRowOf(tx, run_id);
    length += row?.body.length ?? 0;
    if (row && (found.size === 0 || length <= MAX_PLANS_LENGTH)) found.set(run_id, row);
  }
  return found;
}

/** The rows of both tables, at most {@link MAX_SHOWN} of each. */
async function waitingRows(tx: Transaction, now: number, { callers, run }: Only) {
  const runs = queries(tx)
    .selectFrom("runs")
    .select(["id", "caller"])
    .where("status", "=", "running")
    .$if(callers !== undefined, (some) => some.where("caller", "in", callers ?? []))
    .$if(run !== undefined, (some) => some.where("id", "=", run ?? ""))
    .as("waiting_runs");
  const approvals = await queries(tx)
    .selectFrom("approvals")
    .innerJoin(runs, "waiting_runs.id", "approvals.run_id")
    .select([...COLUMNS, "rule", "rule_hash", "deciders", "planned"])
    .where("approvals.status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .orderBy("asked_at")
    .orderBy("place")
    .limit(MAX_SHOWN)
    .execute();
  const outcomes = await queries(tx)
    .selectFrom("outcomes")
    .innerJoin(runs, "waiting_runs.id", "outcomes.run_id")
    .select(COLUMNS)
    .where("outcomes.status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .orderBy("asked_at")
    .orderBy("place")
    .limit(MAX_SHOWN)
    .execute();
  return [
    ...approvals.map((row) => ({ ...row, kind: "approval" as const })),
    ...outcomes.map((row) => ({
      ...row,
      ...{ kind: "outcome" as const, rule: "", rule_hash: "", deciders: "console cli", planned: null },
    })),
  ];
}
