/** What is recorded of calls and runs, and where: a feature makes the recorder. */

import type { Transaction } from "./handler.js";

/** One call of an op. */
export interface CallEntry {
  /** Milliseconds since the epoch, at the end. */
  readonly at: number;
  readonly op: string;
  /** The error code; absent on success. */
  readonly code?: string;
  readonly ms: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly trace_id: string;
  /** Id of the principal. */
  readonly caller: string;
  /** Name of the client program; empty if unknown. */
  readonly client: string;
}

/** One run of a program. */
export interface RunEntry extends Omit<CallEntry, "op"> {
  /** Calls that it made. */
  readonly calls: number;
  /** Name of the language of its program; absent if that is not known. */
  readonly language?: string | undefined;
  /** Whether its program was refused before it ran. */
  readonly isRefused?: boolean | undefined;
}

/** Names of the sums beside calls and runs; those of features are of an op, whose name is the second word. */
export type Counter = "stored_bytes" | "handed_bytes" | "definition_tokens" | "extra_calls" | `${string} ${string}`;

/** Records calls, runs and counters. */
export interface Recorder {
  call(entry: CallEntry): void;
  run(entry: RunEntry): void;
  add(name: Counter, value: number): void;
  /** Does further writing in the transaction of the next entries. */
  alongside(write: (tx: Transaction) => Promise<void>): void;
  /** Writes buffered entries. Never rejects. */
  flush(): Promise<void>;
}
