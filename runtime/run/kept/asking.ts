/** Asks people about a run: whether a write may be made, or its plan, and what has become of a write. */

import type { AskedOutcome, AskedPermission } from "../../call/call.js";
import type { CanCall } from "../../catalog/advice.js";
import { writeJson } from "../../contract/exact-number.js";
import { type Logger, ToolFailure, type Transaction } from "../../contract/handler.js";
import type { JsonValue } from "../../contract/registry.js";
import { BACKGROUND_MS, withinStateMs } from "../../state/deadline.js";
import type { LazyState } from "../../state/open.js";
import { iso } from "../../state/schema.js";
import type { PlanEntry } from "../preview/plan.js";
import { type ApprovalStanding, askApproval, MAX_WAITING_RUNS } from "./approval-table.js";
import type { LogSeal } from "./log-text.js";
import { tellLater } from "./notices.js";
import { askOutcome } from "./outcome-table.js";
import { callPlace } from "./places.js";
import { type Driver, RUN_KEEP_MS } from "./run-table.js";

/** What a keeper works with. */
export interface KeepParts {
  readonly state: Pick<LazyState, "get">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
  /** Kinds of the jobs that tell people of calls that wait; default: none. */
  readonly notices?: readonly string[];
}

/** The run about which people are asked; it is stored. */
export interface AskingRun {
  readonly parts: KeepParts;
  readonly driver: Driver;
  readonly caller: string;
  readonly seal: LogSeal;
  readonly createdAt: number;
  /** What its caller can call. */
  readonly can: CanCall;
}

/** A question about a write, or about a plan. */
export interface WriteQuestion extends Pick<AskedPermission, "key" | "op" | "hash" | "rule"> {
  readonly args: JsonValue;
  /** What was planned in its place. */
  readonly planned?: readonly PlanEntry[];
  /** Stores more, with the first question. */
  also?(tx: Transaction): Promise<void>;
}

/**
 * Whether a person has approved it; asks otherwise.
 *
 * @throws ToolFailure PERMISSION_DENIED if it is rejected, or its time is over
 */
export async function isPermitted(
  { parts, driver, caller, seal, can }: AskingRun,
  asked: WriteQuestion,
): Promise<boolean> {
  const state = await parts.state.get();
  const now = parts.clock();
  const { rule, planned } = asked;
  const expiresMs = rule?.expiresMs ?? 0;
  const row = {
    run_id: driver.id,
    place: callPlace(asked),
    op: asked.op,
    args: seal.seal(writeJson(asked.args)),
    args_hash: asked.hash,
    expires_at: iso(now + expiresMs),
    kept_until: iso(now + expiresMs + RUN_KEEP_MS),
    rule: rule?.name ?? "",
    rule_hash: rule?.hash ?? "",
    deciders: rule?.by.join(" ") ?? "",
    planned: planned ? seal.seal(writeJson(planned)) : null,
  };
  const standing = await withinStateMs(BACKGROUND_MS, () =>
    state.transaction("write", async (tx) => {
      const found = await askApproval(tx, row, caller, now);
      if (found.kind !== "waiting" || !found.isNew) return found;
      await asked.also?.(tx);
      await tellLater(state, tx, driver, parts.notices ?? []);
      return found;
    }),
  );
  if (standing.kind === "approved" || standing.kind === "waiting") return standing.kind === "approved";
  const { kind } = standing;
  throw new ToolFailure("PERMISSION_DENIED", refusalOf(asked.op, standing), { reason: kind, next: NEXT[kind](can) });
}

/** Asks what has become of a write. */
export async function askWhetherDone(
  { parts, driver, seal, createdAt }: AskingRun,
  asked: AskedOutcome,
): Promise<void> {
  const state = await parts.state.get();
  const ends = createdAt + RUN_KEEP_MS;
  const row = {
    run_id: driver.id,
    place: callPlace(asked),
    op: asked.op,
    args: seal.seal(writeJson(asked.args)),
    asked_at: iso(parts.clock()),
    expires_at: iso(ends),
    kept_until: iso(ends + RUN_KEEP_MS),
  };
  await withinStateMs(BACKGROUND_MS, () =>
    state.transaction("write", async (tx) => {
      const isNew = await askOutcome(tx, row);
      if (isNew) await tellLater(state, tx, driver, parts.notices ?? []);
    }),
  );
}

/** What a program can do after a refusal: there is nothing to correct in the call. */
const NEXT: Readonly<Record<Exclude<ApprovalStanding["kind"], "approved" | "waiting">, (can: CanCall) => string>> = {
  rejected: () => "leave the call out, or catch the PermissionError",
  too_many: (can) =>
    `${can("ot.runs") ? "ot.runs()" : '"toolwright runs list"'} lists the programs that wait: have them decided, or stop some with toolwright runs stop`,
  expired: () =>
    "send only the rest of the code again, since calls that were made stay made, and have this one decided in time",
  changed: () =>
    "send only the rest of the code again, since calls that were made stay made: this one is asked about anew",
};

function refusalOf(op: string, standing: ApprovalStanding): string {
  if (standing.kind === "rejected") {
    const { by, reason } = standing;
    return `${op} was rejected by ${by}${reason === "" ? "" : `: ${reason}`}. Nothing was changed.`;
  }
  if (standing.kind === "too_many")
    return `${op} needs an approval, and ${MAX_WAITING_RUNS} programs of this caller wait for theirs. Nothing was changed.`;
  if (standing.kind === "expired") return `${op} was not approved in time. Nothing was changed.`;
  return `${op} was approved for another call. Nothing was changed.`;
}
