/**
 * Records calls and runs: kept in memory for at most a second, then written in one transaction, and
 * written before anything is read. What cannot be written is counted and dropped: statistics never fail a call.
 */

import type { Logger } from "../contract/handler.js";
import { BACKGROUND_MS, inTime, withinMs } from "../state/deadline.js";
import type { State } from "../state/open.js";
import { retain, STATISTICS } from "./expire.js";
import { write } from "./store.js";

/** One call of an op. */
export interface CallEntry {
  /** Milliseconds since the epoch, at the end. */
  readonly at: number;
  readonly op: string;
  /** The error code; absent where it was done. */
  readonly code?: string;
  readonly ms: number;
  readonly chars_in: number;
  readonly chars_out: number;
  readonly trace_id: string;
  /** Id of the principal. */
  readonly caller: string;
  /** Name of the client program; empty where it is not known. */
  readonly client: string;
}

/** One run of Python. */
export interface RunEntry extends Omit<CallEntry, "op"> {
  /** Calls that it made. */
  readonly calls: number;
}

/** Names of the sums that are kept beside calls and runs. */
export type Counter = "stored_bytes" | "handed_bytes" | "definition_tokens" | "extra_calls";

/** What is written at once. */
export interface Batch {
  readonly calls: CallEntry[];
  readonly runs: RunEntry[];
  readonly sums: { readonly at: number; readonly name: Counter; readonly value: number }[];
}

/** Records what happens. */
export interface Recorder {
  call(entry: CallEntry): void;
  run(entry: RunEntry): void;
  add(name: Counter, value: number): void;
  /** Writes what is in memory. Never rejects. */
  flush(): Promise<void>;
  /** Writes what is in memory and stops; old rows that are still there are deleted by the next recorder. */
  close(): Promise<void>;
}

/** What a recorder is made of. */
export interface RecorderParts {
  readonly state: () => Promise<State>;
  readonly log: Logger;
  readonly clock: () => number;
  readonly retentionDays: number;
}

const FLUSH_MS = 1000;
/** How long the end of a server waits for what is in memory. */
const CLOSE_MS = 2000;
/** Entries that wait in memory; further ones are written at once. */
const MOST_WAITING = 5000;
const DAY_MS = 86_400_000;

const empty = (): Batch => ({ calls: [], runs: [], sums: [] });
const sizeOf = ({ calls, runs, sums }: Batch): number => calls.length + runs.length + sums.length;

/** Makes a recorder. The database is opened with the first flush. */
export function createRecorder({ state, log, clock, retentionDays }: RecorderParts): Recorder {
  let waiting = empty();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const retention = retain({ log, clock, keptMs: retentionDays * DAY_MS, tables: STATISTICS });
  const keep = async (batch: Batch): Promise<void> => {
    try {
      // The deadline of the call that was the first to be recorded is not theirs.
      const open = await withinMs(BACKGROUND_MS, state);
      await withinMs(BACKGROUND_MS, () => open.transaction("write", (tx) => write(tx, batch)));
      retention.on(open);
    } catch (error) {
      log.warn(`${sizeOf(batch)} entries of the statistics are lost`, { error: String(error) });
    }
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (sizeOf(waiting) > 0) {
      const batch = waiting;
      waiting = empty();
      // Not even a log that throws takes the later ones with it.
      writing = writing.then(() => keep(batch)).catch(() => undefined);
    }
    return writing;
  };
  const soon = (): void => {
    if (sizeOf(waiting) >= MOST_WAITING) void flush();
    else timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
  };
  return {
    call(entry) {
      waiting.calls.push(entry);
      soon();
    },
    run(entry) {
      waiting.runs.push(entry);
      soon();
    },
    add(name, value) {
      waiting.sums.push({ at: clock(), name, value });
      soon();
    },
    flush,
    async close() {
      await inTime(flush(), CLOSE_MS, () => new Error("the database does not answer")).catch((error: unknown) =>
        log.warn("the latest statistics are lost", { error: String(error) }),
      );
      await retention.stop();
    },
  };
}
