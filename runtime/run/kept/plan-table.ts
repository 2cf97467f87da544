/** The table of plans to which runs are held. */

import { writeJson } from "../../contract/exact-number.js";
import type { Transaction } from "../../contract/handler.js";
import { readJson } from "../../contract/read-json.js";
import { iso, queries, type RunPlanRow } from "../../state/schema.js";
import type { AskingRun } from "./asking.js";
import type { LogSeal } from "./log-text.js";
import type { PlanProgress, StoredPlan } from "./plan-held.js";
import { RUN_KEEP_MS } from "./run-table.js";

/** Stores the plan of a run. */
export async function addPlan(
  tx: Transaction,
  { driver, seal, createdAt }: Pick<AskingRun, "driver" | "seal" | "createdAt">,
  plan: StoredPlan,
): Promise<void> {
  const row = {
    run_id: driver.id,
    body: seal.seal(writeJson(plan)),
    progress: null,
    expires_at: iso(createdAt + RUN_KEEP_MS),
  };
  const insert = queries(tx).insertInto("run_plans").values(row);
  await insert.onConflict((conflict) => conflict.column("run_id").doNothing()).execute();
}

/** Stores how far the plan of a run has been made. */
export async function changePlan(tx: Transaction, id: string, seal: LogSeal, progress: PlanProgress): Promise<void> {
  const row = queries(tx)
    .updateTable("run_plans")
    .set({ progress: seal.seal(JSON.stringify(progress)) });
  await row.where("run_id", "=", id).execute();
}

/** The plan of a row. */
export function planIn({ body, progress }: Pick<RunPlanRow, "body" | "progress">, seal: Pick<LogSeal, "open">) {
  const plan = readJson(seal.open(body)) as StoredPlan;
  return { plan, progress: progress === null ? undefined : (JSON.parse(seal.open(progress)) as PlanProgress) };
}
