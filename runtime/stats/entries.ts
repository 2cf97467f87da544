/** Records of calls and runs for the statistics. */

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

/** One run of Python. */
export interface RunEntry extends Omit<CallEntry, "op"> {
  /** Calls that it made. */
  readonly calls: number;
}

/** Names of the sums beside calls and runs. */
export type Counter = "stored_bytes" | "handed_bytes" | "definition_tokens" | "extra_calls";

/** Records that are written together. */
export interface Batch {
  readonly calls: CallEntry[];
  readonly runs: RunEntry[];
  readonly sums: { readonly at: number; readonly name: Counter; readonly value: number }[];
}
