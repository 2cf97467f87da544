/**
 * Records calls and runs: they are buffered for at most a second, then written in one transaction, and written before
 * anything is read. Entries that cannot be written are counted and dropped: statistics never fail a call.
 */

import type { Logger } from "../../runtime/contract/handler.js";
import type { Recorder } from "../../runtime/contract/recorder.js";
import { BACKGROUND_MS, inTime, withinStateMs } from "../../runtime/state/deadline.js";
import type { State } from "../../runtime/state/open.js";
import type { Retention } from "../../runtime/state/retention.js";
import { type RecordBatch, writeBatch } from "./store.js";

/** A recorder that can be stopped. */
interface StoppableRecorder extends Recorder {
  /** Writes buffered entries and stops. */
  close(): Promise<void>;
}

/** Dependencies of a recorder. */
export interface RecorderParts {
  readonly state: () => Promise<State>;
  readonly log: Logger;
  readonly clock: () => number;
  /** Deletes old rows. */
  readonly retention: Retention;
}

const FLUSH_MS = 1000;
/** Time limit of the flush at shutdown. */
const CLOSE_MS = 2000;
/** Most buffered entries; at this number they are written at once. */
const MAX_WAITING = 5000;

const empty = (): RecordBatch => ({ calls: [], runs: [], sums: [], others: [] });
const sizeOf = ({ calls, runs, sums, others }: RecordBatch): number =>
  calls.length + runs.length + sums.length + others.length;

/** Makes a recorder. The database is opened with the first flush. */
export function createRecorder({ state, log, clock, retention }: RecorderParts): StoppableRecorder {
  let waiting = empty();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const keep = async (batch: RecordBatch): Promise<void> => {
    try {
      // The deadline of the first recorded call does not apply here.
      const open = await withinStateMs(BACKGROUND_MS, state);
      await withinStateMs(BACKGROUND_MS, () => open.transaction("write", (tx) => writeBatch(tx, batch)));
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
      // Not even a log that throws may fail later writes.
      writing = writing.then(() => keep(batch)).catch(() => undefined);
    }
    return writing;
  };
  const soon = (): void => {
    if (sizeOf(waiting) >= MAX_WAITING) void flush();
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
    alongside(write) {
      waiting.others.push(write);
      soon();
    },
    flush,
    async close() {
      await inTime(flush(), CLOSE_MS, () => new Error("the database does not answer")).catch((error: unknown) =>
        log.warn("the latest statistics are lost", { error: String(error) }),
      );
    },
  };
}
