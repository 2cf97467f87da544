/**
 * When keys were used, and the audit of refusals and admin calls. Kept in memory for at most a second, then written in one
 * transaction. What cannot be written is counted and dropped: this never fails a call.
 */

import type { Logger } from "../contract/handler.js";
import { BACKGROUND_MS, inTime, withinMs } from "../state/deadline.js";
import type { State } from "../state/open.js";
import { queries } from "../state/schema.js";
import { AUDIT, retain } from "../stats/expire.js";

/** A refusal, a login, or a call of an admin op. */
export interface AuditEntry {
  /** Absent where there was no key. */
  readonly keyId?: string;
  readonly op: string;
  /** The error code; absent where it was done. */
  readonly code?: string;
  /** Empty where nothing was called. */
  readonly traceId: string;
}

/** Writes down who came. */
export interface AccessLog {
  /** A live key was shown. Written at most once a minute. */
  used(keyId: string): void;
  /** A key was shown that is not live: its id where it was one. Written once in {@link REFUSED_MS} for each of them, and for all strangers. */
  refused(keyId?: string): void;
  audit(entry: AuditEntry): void;
  /** When each key was last used, by key id; what is in memory is written before. */
  uses(): Promise<ReadonlyMap<string, string>>;
  /** Writes what is in memory, and stops. */
  close(): Promise<void>;
}

/** What it is made of. */
export interface AccessLogParts {
  readonly state: () => Promise<State>;
  readonly log: Logger;
  readonly clock: () => number;
  readonly retentionDays: number;
}

interface Waiting {
  /** Last use, in ms since the epoch, by key id. */
  readonly uses: Map<string, number>;
  readonly audit: (AuditEntry & { readonly at: number })[];
}

const WRITE_MS = 1000;
/** How long who lists keys waits for what is in memory, and how long the end of a server does. */
const FLUSH_MS = 1000;
const CLOSE_MS = 2000;
/** When a key was used is known to the minute. */
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Entries of the audit that wait in memory, and so come in a second: whoever is refused over and over cannot fill the database. */
const MOST_WAITING = 1000;
/** Time in which wrong keys are one entry, however many are shown. */
const REFUSED_MS = 5 * MINUTE_MS;
/** Stands for a key that was shown where ops stand. */
const KEY = "key";
/** Stands for a login at the console where ops stand. */
export const LOGIN = "console.login";
/** Refusals of one key in a minute that are written: whoever is refused on purpose hides nothing that others do. */
const MOST_REFUSALS = 100;

const empty = (): Waiting => ({ uses: new Map(), audit: [] });
const iso = (ms: number): string => new Date(ms).toISOString();

const NOT_WRITTEN = "uses of keys are not written";
const errorOf = (error: unknown) => ({ error: String(error) });
const late = (): Error => new Error("the database does not answer");

/** Nothing is opened before there is something to write. */
export function createAccessLog({ state, log, clock, retentionDays }: AccessLogParts): AccessLog {
  let waiting = empty();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const [isDue, isOver] = [oncePer(MINUTE_MS), refusalsPerMinute(clock)];
  const retention = retain({ log, clock, keptMs: retentionDays * DAY_MS, tables: AUDIT });
  const { keep, drop } = keeping(state, log, (open) => retention.on(open));
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    const batch = waiting;
    [timer, waiting] = [undefined, empty()];
    // One batch that fails for good must not take the later ones with it.
    if (batch.uses.size + batch.audit.length > 0)
      writing = writing.then(() => keep(batch)).catch(() => drop(batch.audit.length));
    return writing;
  };
  const soon = (): void => {
    timer ??= setTimeout(() => void flush(), WRITE_MS).unref();
  };
  const audit = (entry: AuditEntry): void => {
    if (isOver(entry) || waiting.audit.length >= MOST_WAITING) drop();
    else waiting.audit.push({ ...entry, at: clock() });
    soon();
  };
  return {
    used(keyId) {
      const now = clock();
      if (!isDue(keyId, now)) return;
      waiting.uses.set(keyId, now);
      soon();
    },
    refused: refusing({ clock, log, audit }),
    audit,
    uses: () =>
      inTime(flush(), FLUSH_MS, late)
        .catch(() => undefined)
        .then(state)
        .then(usesIn),
    async close() {
      await inTime(flush(), CLOSE_MS, late).catch((error: unknown) => log.warn(NOT_WRITTEN, errorOf(error)));
      await retention.stop();
    },
  };
}

/** Writes batches, and counts what is lost. */
function keeping(state: AccessLogParts["state"], log: Logger, written: (state: State) => void) {
  let dropped = 0;
  return {
    drop(count = 1): void {
      dropped += count;
    },
    async keep(batch: Waiting): Promise<void> {
      try {
        const open = await withinMs(BACKGROUND_MS, state);
        await withinMs(BACKGROUND_MS, () => write(open, batch));
        written(open);
      } catch (error) {
        dropped += batch.audit.length;
        log.warn(NOT_WRITTEN, errorOf(error));
      }
      if (dropped > 0) log.warn(`${dropped} entries of the audit are lost`);
      dropped = 0;
    },
  };
}

/** Tells of wrong keys: the first of each, and then how many there were meanwhile. */
function refusing({ clock, log, audit }: Pick<AccessLogParts, "clock" | "log"> & Pick<AccessLog, "audit">) {
  const isNew = oncePer(REFUSED_MS);
  let times = 0;
  return (keyId?: string): void => {
    times++;
    if (!isNew(keyId ?? "", clock())) return;
    log.warn("keys were shown that are not live", { key_id: keyId, times });
    times = 0;
    audit({ ...(keyId === undefined ? {} : { keyId }), op: KEY, code: "UNAUTHENTICATED", traceId: "" });
  };
}

function oncePer(ms: number) {
  const noted = new Map<string, number>();
  return (keyId: string, now: number): boolean => {
    if (now - (noted.get(keyId) ?? Number.NEGATIVE_INFINITY) < ms) return false;
    noted.set(keyId, now);
    return true;
  };
}

/** Whether a refusal or a login is one too many of its key in the same minute. */
function refusalsPerMinute(clock: () => number) {
  const counts = new Map<string, number>();
  let minute = 0;
  return ({ keyId, code, op }: AuditEntry): boolean => {
    if (keyId === undefined || (code === undefined && op !== LOGIN)) return false;
    const current = Math.floor(clock() / MINUTE_MS);
    if (current !== minute) counts.clear();
    minute = current;
    const count = (counts.get(keyId) ?? 0) + 1;
    counts.set(keyId, count);
    return count > MOST_REFUSALS;
  };
}

/** A use that another server noted within the same minute stays as it is. */
function write(state: State, { uses, audit }: Waiting): Promise<void> {
  return state.transaction("write", async (tx) => {
    const db = queries(tx);
    for (const [key_id, at] of uses)
      await db
        .insertInto("key_uses")
        .values({ key_id, last_used_at: iso(at) })
        .onConflict((conflict) =>
          conflict
            .column("key_id")
            .doUpdateSet({ last_used_at: iso(at) })
            .where("key_uses.last_used_at", "<=", iso(at - MINUTE_MS)),
        )
        .execute();
    const rows = audit.map(({ at, keyId = "", op, code = "", traceId }) => {
      return { at: iso(at), key_id: keyId, op, code, trace_id: traceId };
    });
    if (rows.length > 0) await db.insertInto("audit").values(rows).execute();
  });
}

async function usesIn(state: State): Promise<ReadonlyMap<string, string>> {
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("key_uses").selectAll().execute());
  return new Map(rows.map(({ key_id, last_used_at }) => [key_id, last_used_at]));
}
