/** The calls that wait for a person, for all who show them: the command line, the console, notifications, the agent. */

import type { Decider } from "../../config/approval-settings.js";
import type { JsonObject } from "../../contract/registry.js";
import type { State } from "../../state/open.js";
import { iso, queries } from "../../state/schema.js";
import { sealingKey } from "../../state/sealing-key.js";
import { sealOf } from "./log-text.js";

/** A call that waits for a person. Times are ISO 8601 in UTC. */
export interface WaitingCall {
  readonly run: string;
  /** `approval`: a person approves or rejects it. `outcome`: a person says whether it happened. */
  readonly kind: "approval" | "outcome";
  /** Who began the run. */
  readonly caller: string;
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
  /** The rule that asks, such as `approve[0]`; empty for an outcome. */
  readonly rule: string;
  /** Where a person may decide. */
  readonly by: readonly Decider[];
  readonly asked_at: string;
  readonly expires_at: string;
}

/** Calls that a listing shows. */
const MAX_SHOWN = 1000;

/** The calls that wait, the one that waits longest first. */
export async function waitingCalls(
  state: State,
  now: number,
  { caller, run }: { readonly caller?: string; readonly run?: string } = {},
): Promise<readonly WaitingCall[]> {
  const seal = sealOf(await sealingKey(state), "runs");
  const rows = await state.transaction("read", async (tx) => {
    const of = <T extends "approvals" | "outcomes">(table: T) => {
      let waiting = queries(tx)
        .selectFrom(table as "outcomes")
        .innerJoin("runs", "runs.id", `${table as "outcomes"}.run_id`)
        .select(["run_id", "caller", "place", "op", "args", "asked_at", `${table as "outcomes"}.expires_at`])
        .where("runs.status", "=", "running")
        .where(`${table as "outcomes"}.status`, "=", "waiting")
        .where(`${table as "outcomes"}.expires_at`, ">", iso(now))
        .orderBy("asked_at")
        .orderBy("place")
        .limit(MAX_SHOWN);
      if (caller !== undefined) waiting = waiting.where("caller", "=", caller);
      return run === undefined ? waiting : waiting.where("run_id", "=", run);
    };
    const rules = queries(tx).selectFrom("approvals").select(["run_id", "place", "rule", "deciders"]);
    const asked = await of("approvals").execute();
    const ids = [...new Set(asked.map(({ run_id }) => run_id))];
    const found = ids.length === 0 ? [] : await rules.where("run_id", "in", ids).execute();
    const ruleOf = new Map(found.map((one) => [`${one.run_id}:${one.place}`, one]));
    const approvals = asked.map((row) => {
      const { rule = "", deciders = "" } = ruleOf.get(`${row.run_id}:${row.place}`) ?? {};
      return { ...row, kind: "approval" as const, rule, deciders };
    });
    const outcomes = (await of("outcomes").execute()).map((row) => {
      return { ...row, kind: "outcome" as const, rule: "", deciders: "console cli" };
    });
    return [...approvals, ...outcomes].sort((a, b) => (a.asked_at < b.asked_at ? -1 : 1)).slice(0, MAX_SHOWN);
  });
  return rows.map(({ run_id, place, args, deciders, ...row }) => ({
    ...row,
    run: run_id,
    call: place,
    args: JSON.parse(seal.open(args)) as JsonObject,
    by: deciders.split(" ") as Decider[],
  }));
}
