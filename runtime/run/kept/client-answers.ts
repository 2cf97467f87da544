/** What a person says in the client that was asked: it decides about calls as they were asked, each once. */

import type { LastingCaller } from "../../access/former-keys.js";
import type { Transaction } from "../../contract/handler.js";
import type { State } from "../../state/open.js";
import { iso, queries } from "../../state/schema.js";
import { type Decided, type Decision, decide } from "./approval-table.js";
import { decideIn } from "./ready-runs.js";
import { isRunOf } from "./stored-run.js";
import { questionId } from "./waiting-calls.js";

/** What a person says about a call. */
export interface ClientAnswer extends Pick<Decision, "status" | "reason"> {
  /** The id of the question. */
  readonly id: string;
}

/**
 * Decides about calls of a run whose rules let people decide by elicitation; a job resumes the run when none waits any
 * more. A question that has been decided, or asked again, is left as it is; so is the run of another caller.
 */
export const decideAsAsked = (
  state: State,
  id: string,
  answers: readonly ClientAnswer[],
  caller: LastingCaller,
  now: number,
): Promise<Decided> =>
  decideIn(state, id, now, async (tx, run) => {
    if (!isRunOf(run, caller)) return { done: [], elsewhere: [], left: 0 };
    const by = `${caller.id} by elicitation`;
    const places = await askedPlaces(tx, id, now);
    const decided: Decided[] = [];
    for (const answer of answers) {
      const place = places.get(answer.id);
      if (place !== undefined) decided.push(await decide(tx, id, [place], { ...answer, by, via: "elicitation" }, now));
    }
    return {
      done: decided.flatMap(({ done }) => done),
      elsewhere: decided.flatMap(({ elsewhere }) => elsewhere),
      left: decided.at(-1)?.left ?? places.size,
    };
  });

/** The places of the calls that wait, by the ids of their questions. */
async function askedPlaces(tx: Transaction, id: string, now: number): Promise<ReadonlyMap<string, string>> {
  const rows = await queries(tx)
    .selectFrom("approvals")
    .select(["run_id", "place", "asked_at", "rule_hash"])
    .where("run_id", "=", id)
    .where("status", "=", "waiting")
    .where("expires_at", ">", iso(now))
    .execute();
  return new Map(rows.map((row) => [questionId(row), row.place]));
}
