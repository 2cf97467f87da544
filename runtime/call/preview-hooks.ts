/** What a preview of a program does for the calls of the program. */

import type { ApprovalRule } from "../config/approval-settings.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import type { Trial } from "../state/trial.js";

/** A call whose answer is assumed. */
export interface AssumedCall {
  /** Its key, which ends in its place in the program. */
  readonly key: string;
  readonly tool: Tool;
}

/** A write that the program would make. */
export interface PreviewedWrite extends AssumedCall {
  readonly args: JsonObject;
  /** The rule that asks a person about it, if one does. */
  readonly rule: ApprovalRule | undefined;
}

/** Notes how a write would end. */
export interface WriteNotes {
  /** Its handler did it in a transaction that is rolled back. */
  done(result: JsonValue): void;
  /**
   * It is not sent in a preview.
   *
   * @param planned what its planner says
   * @returns the answer that the program gets in its place
   */
  assumed(planned: JsonValue | undefined): JsonValue;
  failed(error: unknown): void;
}

/** What a preview does for the calls of its program. */
export interface PreviewHooks {
  /** The data on which handlers work; opened by the first of them. */
  data(): Promise<Trial>;
  /** Whether arguments hold a value that is assumed. */
  isAssumed(args: JsonObject): boolean;
  /** The answer of a read that is not sent. */
  assume(call: AssumedCall): JsonValue;
  write(write: PreviewedWrite): WriteNotes;
}
