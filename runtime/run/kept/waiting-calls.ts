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
  /** Who began the run. */
  readonly caller: string;
  /** Its place in the run. */
  readonly call: string;
  readonly op: string;
  readonly args: JsonObject;
  /** The rule that asks, such as `approve[0]`. */
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
  const rows = await state.transaction("read", (tx) => {
    let waiting = queries(tx)
      .selectFrom("approvals")
      .innerJoin("runs", "runs.id", "approvals.run_id")
      .select(["run_id", "caller", "place", "op", "args", "rule", "deciders", "asked_at", "approvals.expires_at"])
      .where("runs.status", "=", "running")
      .where("approvals.status", "=", "waiting")
      .where("approvals.expires_at", ">", iso(now))
      .orderBy("asked_at")
      .orderBy("place")
      .limit(MAX_SHOWN);
    if (caller !== undefined) waiting = waiting.where("caller", "=", caller);
    if (run !== undefined) waiting = waiting.where("run_id", "=", run);
    return waiting.execute();
  });
  return rows.map(({ run_id, place, args, deciders, ...row }) => ({
    ...row,
    run: run_id,
    call: place,
    args: JSON.parse(seal.open(args)) as JsonObject,
    by: deciders.split(" ") as Decider[],
  }));
}
