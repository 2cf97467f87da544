/** Jobs that tell people of calls that wait: one for each place that is told, so that each is tried again by itself. */

import type { Settings } from "../../config/settings.js";
import { entryOf } from "../../config/topics.js";
import type { Transaction } from "../../contract/handler.js";
import { addJob } from "../../state/job-table.js";
import type { State } from "../../state/open.js";
import type { Driver } from "./run-table.js";

/** The topic of these messages. */
export const WAITING_TOPIC = "approvals:waiting";
/** Kinds of the jobs; the payload is the id of the run. */
export const TELL_TOPIC = "tell a topic of waiting calls";
export const TELL_WEBHOOK = "tell a webhook of waiting calls";

/** Time for a program to make further calls that wait: one message names all of them. */
const COLLECT_MS = 1000;

/** The kinds of the jobs that settings ask for. */
export const noticesOf = ({ topics, webhook }: Pick<Settings, "topics" | "webhook">): readonly string[] => [
  ...(entryOf(topics, WAITING_TOPIC) ? [TELL_TOPIC] : []),
  ...(webhook ? [TELL_WEBHOOK] : []),
];

/** Has people told that calls of a run wait. Call it last in the transaction. */
export async function tellLater(
  state: State,
  tx: Transaction,
  { id, epoch }: Driver,
  kinds: readonly string[],
): Promise<void> {
  for (const kind of kinds) await addJob(state, tx, { kind, key: `${id}:${epoch}`, payload: id, delayMs: COLLECT_MS });
}
