/**
 * The words of callers, by which ops are ranked for the same caller only: nobody's words change what another one is shown.
 * They are read in the background, so that help waits for no database.
 */

import { rememberNewest } from "../../../runtime/catalog/session.js";
import type { Logger, Transaction } from "../../../runtime/contract/handler.js";
import { FADED, type OwnWords, wordWeight } from "../../../runtime/contract/learned-words.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { BACKGROUND_MS, withinStateMs } from "../../../runtime/state/deadline.js";
import type { State } from "../../../runtime/state/open.js";
import type { Retention } from "../../../runtime/state/retention.js";
import { iso } from "../../../runtime/state/schema.js";
import { secretWithin, serverSecret } from "../../../runtime/state/sealing-key.js";
import { type Hashing, hashingWith } from "../hashing.js";
import { addWords, CALLER_COUNT, readCallerWords } from "./word-rows.js";

/** Stores the words of callers, and gives them back to the same caller. */
export interface CallerWords {
  /** Adds the words of a query that led to a call of the op. */
  add(caller: string, tool: Pick<Tool, "op">, stems: readonly string[]): void;
  /** The words of a caller, as far as they are read. */
  of(caller: string): OwnWords;
}

/** Dependencies of {@link createCallerWords}. */
interface CallerWordsParts {
  readonly state: () => Promise<State>;
  /** Writes in the transaction of the next statistics. */
  readonly recorder: {
    alongside(write: (tx: Transaction) => Promise<void>): void;
    flush(): Promise<void>;
  };
  /** Deletes old rows. */
  readonly retention: Retention;
  readonly log: Pick<Logger, "debug">;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Callers whose words are in memory, and how long they are not read again. */
const MAX_CALLERS = 200;
const READ_AGAIN_MS = 10_000;
const DAY_LENGTH = "2026-11-22".length;
const DAY_MS = 86_400_000;
/** Days after which a row counts less. */
const FADING_DAYS = 90;

const dayOf = (ms: number): string => iso(ms).slice(0, DAY_LENGTH);

/** The last day whose rows count less. */
export const fadedDay = (now: number): string => dayOf(now - FADING_DAYS * DAY_MS);

/** The hash of a caller. */
export const callerKey = ({ hash }: Pick<Hashing, "hash">, caller: string): string => hash(`caller ${caller}`);

const wordKey = (hashing: Pick<Hashing, "hash"> | undefined, stem: string): string =>
  hashing?.hash(`word ${stem}`) ?? "";

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Counts of one caller: by hash of a stem and by op. */
class Counts {
  private readonly ops = new Map<string, Map<string, number>>();
  readonly readAt: number;

  constructor(readAt: number) {
    this.readAt = readAt;
  }

  add(op: string, key: string, count: number): void {
    const words = this.ops.get(op) ?? new Map<string, number>();
    this.ops.set(op, words.set(key, Math.min(CALLER_COUNT, (words.get(key) ?? 0) + count)));
  }

  weights(key: string): ReadonlyMap<string, number> {
    const found = [...this.ops].flatMap(([op, words]): [string, number][] => {
      const count = words.get(key);
      return count === undefined ? [] : [[op, wordWeight(count, words.size)]];
    });
    return new Map(found);
  }
}

/** Makes the store. The database is opened with the first words, or the first look. */
export function createCallerWords({ state, recorder, retention, log, clock }: CallerWordsParts): CallerWords {
  const known = new Map<string, Counts>();
  const reading = new Set<string>();
  let hashing: Hashing | undefined;
  const ready = async (): Promise<Hashing> => {
    hashing ??= hashingWith(await withinStateMs(BACKGROUND_MS, async () => serverSecret(await state(), "learning")));
    return hashing;
  };
  // A database that is away is reported by what needs it, and a command of one call ends before the words are read.
  const failed = (error: unknown): void => log.debug("the words of a caller are not read", { error: String(error) });
  const read = async (caller: string): Promise<void> => {
    const own = callerKey(await ready(), caller);
    await recorder.flush();
    const at = clock();
    const counts = new Counts(at);
    const rows = await withinStateMs(BACKGROUND_MS, async () => {
      const open = await state();
      retention.on(open);
      return open.transaction("read", (tx) => readCallerWords(tx, own));
    });
    const faded = fadedDay(at);
    for (const { op, stem_key, day, count } of rows)
      counts.add(op, stem_key, Number(count) * (day > faded ? 1 : FADED));
    rememberNewest(known, caller, counts, MAX_CALLERS);
  };
  return {
    add(caller, { op }, stems) {
      for (const stem of hashing ? stems : []) known.get(caller)?.add(op, wordKey(hashing, stem), 1);
      const day = dayOf(clock());
      recorder.alongside(async (tx) => {
        const made = hashing ?? hashingWith(await secretWithin(tx, "learning"));
        const words = new Map(stems.map((stem) => [wordKey(made, stem), stem]));
        await addWords(tx, { op, caller: callerKey(made, caller), words, day });
      });
    },
    of(caller) {
      const counts = known.get(caller);
      if (!reading.has(caller) && !(counts && clock() - counts.readAt < READ_AGAIN_MS)) {
        reading.add(caller);
        void read(caller)
          .catch(failed)
          .finally(() => reading.delete(caller));
      }
      return (stem) => (counts ? counts.weights(wordKey(hashing, stem)) : NOTHING);
    },
  };
}
