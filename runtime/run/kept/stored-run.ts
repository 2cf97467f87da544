/** What the row of a run and its log hold, as they are stored. */

import { callerIds, type LastingCaller } from "../../access/former-keys.js";
import type { Principal } from "../../contract/handler.js";
import type { RunRow } from "../../state/schema.js";
import type { LoggedCall } from "../engine/journal.js";
import type { AfterProgress } from "./after-calls.js";
import { answerOfText, type LogSeal } from "./log-text.js";
import type { KeptCall } from "./run-table.js";
import type { ProgramRecord } from "./stored-program.js";
import type { TitlesRecord } from "./stored-titles.js";

/** What a run has called, and what its ops were then. */
export interface StoredRecord extends TitlesRecord, ProgramRecord {
  readonly counts: readonly (readonly [string, number])[];
  readonly called: readonly string[];
  readonly foreign: readonly string[];
  readonly ops: Readonly<Record<string, string>>;
  /** The failed run after which it goes on; absent if it goes on after none. */
  readonly after?: AfterProgress;
}

/** The record of a run. */
export const recordOf = ({ record }: Pick<RunRow, "record">): StoredRecord => JSON.parse(record) as StoredRecord;

/** Whether the caller began the run. */
export const isRunOf = (row: Pick<RunRow, "caller" | "principal">, caller: LastingCaller): boolean =>
  callerIds(caller).includes(row.caller) && (JSON.parse(row.principal) as Principal).kind === caller.kind;

/** A call of the log. */
export function loggedCall({ asked, op, answer }: KeptCall, seal: Pick<LogSeal, "open">): LoggedCall {
  const entry = { asked, op, isOp: op !== "" };
  if (answer === null) return entry;
  return { ...entry, answer: answerOfText(seal.open(answer)) };
}
