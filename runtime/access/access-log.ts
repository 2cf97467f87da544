/**
 * Records the last use of keys, and the audit of refusals and admin calls. Entries are buffered for at most a second,
 * then written in one transaction. Entries that cannot be written are counted and dropped: this never fails a call.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { byCodeUnit } from "../contract/canonical.js";
import type { Logger } from "../contract/handler.js";
import { BACKGROUND_MS, inTime, withinStateMs } from "../state/deadline.js";
import type { State } from "../state/open.js";
import type { Retention } from "../state/retention.js";
import { iso, queries } from "../state/schema.js";

const addresses = new AsyncLocalStorage<string>();

/** Answers the request of a client. Its address follows the request through everything that the work awaits, for the audit. */
export const ofClientAt = <T>(address: string, work: () => T): T => addresses.run(address, work);

/** The address of the client; empty outside a request over HTTP. */
const clientAddress = (): string => addresses.getStore() ?? "";

/** A refusal, a login, or a call of an admin op. */
export interface AuditEntry {
  /** Absent for a call without a key. */
  readonly keyId?: string;
  readonly op: string;
  /** The error code; absent on success. */
  readonly code?: string;
  /** Empty if no op was called. */
  readonly traceId: string;
}

/** Records uses of keys and audit entries. */
export interface AccessLog {
  /** Records the use of a live key, at most once a minute. */
  used(keyId: string): void;
  /**
   * Records the use of a key that is not live; `keyId` if it ever existed. Written once per {@link REFUSED_MS} for
   * each key id, and once for all unknown keys.
   */
  refused(keyId?: string): void;
  audit(entry: AuditEntry): void;
  /** Last use of each key, by key id; writes buffered entries first. */
  uses(): Promise<ReadonlyMap<string, string>>;
  /** Writes buffered entries, and stops. */
  close(): Promise<void>;
}

/** Dependencies of the access log. */
export interface AccessLogParts {
  readonly state: () => Promise<State>;
  readonly log: Logger;
  readonly clock: () => number;
  /** Deletes old entries of the audit. */
  readonly retention: Retention;
}

interface Waiting {
  /** Last use, in ms since the epoch, by key id. */
  readonly uses: Map<string, number>;
  readonly audit: (AuditEntry & { readonly at: number; readonly address: string })[];
}

const WRITE_MS = 1000;
/** Time limit of the flush before a listing of keys, and of the flush at shutdown. */
const FLUSH_MS = 1000;
const CLOSE_MS = 2000;
/** Uses of keys are recorded to the minute. */
const MINUTE_MS = 60_000;
/** Most audit entries in the buffer, and so in a second: repeated refusals cannot fill the database. */
const MAX_WAITING = 1000;
/** Time in which wrong keys make one entry, however many there are. */
const REFUSED_MS = 5 * MINUTE_MS;
/** Value of `op` in an entry about a key that is not live. */
const KEY = "key";
/** Value of `op` in an entry about a login at the console. */
export const LOGIN = "console.login";
/**
 * Most refusals and logins of one key per minute that are written: an attacker cannot crowd out the entries of others.
 */
const MAX_REFUSALS = 100;

const empty = (): Waiting => ({ uses: new Map(), audit: [] });

const NOT_WRITTEN = "uses of keys are not written";
const errorOf = (error: unknown) => ({ error: String(error) });
const late = (): Error => new Error("the database does not answer");

/** Opens the database only when there is something to write. */
export function createAccessLog({ state, log, clock, retention }: AccessLogParts): AccessLog {
  let waiting = empty();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  const [isDue, isOver] = [oncePer(MINUTE_MS), refusalsPerMinute(clock)];
  const { keep, drop } = keeping(state, log, retention.on);
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    const batch = waiting;
    [timer, waiting] = [undefined, empty()];
    // A batch that fails for good must not fail the later ones.
    if (batch.uses.size + batch.audit.length > 0)
      writing = writing.then(() => keep(batch)).catch(() => drop(batch.audit.length));
    return writing;
  };
  const soon = (): void => {
    timer ??= setTimeout(() => void flush(), WRITE_MS).unref();
  };
  const audit = (entry: AuditEntry): void => {
    if (isOver(entry) || waiting.audit.length >= MAX_WAITING) drop();
    else waiting.audit.push({ ...entry, at: clock(), address: clientAddress() });
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
    },
  };
}

/** Writes batches, and counts lost entries. */
function keeping(state: AccessLogParts["state"], log: Logger, written: (state: State) => void) {
  let dropped = 0;
  return {
    drop(count = 1): void {
      dropped += count;
    },
    async keep(batch: Waiting): Promise<void> {
      try {
        const open = await withinStateMs(BACKGROUND_MS, state);
        await withinStateMs(BACKGROUND_MS, () => write(open, batch));
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

/** Reports wrong keys: the first of each, then the number since the last report. */
function refusing({ clock, log, audit }: Pick<AccessLogParts, "clock" | "log"> & Pick<AccessLog, "audit">) {
  const isNew = oncePer(REFUSED_MS);
  let times = 0;
  return (keyId?: string): void => {
    times++;
    if (!isNew(keyId ?? "", clock())) return;
    log.warn("keys that are not live were used", { key_id: keyId, times });
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

/** Returns a check whether a refusal or a login exceeds the limit of its key in the current minute. */
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
    return count > MAX_REFUSALS;
  };
}

/** Writes a batch. A use that another server recorded within the same minute is kept. */
function write(state: State, { uses, audit }: Waiting): Promise<void> {
  return state.transaction("write", async (tx) => {
    const db = queries(tx);
    // Sorted, so that servers that share a database lock the rows in the same order.
    for (const [key_id, at] of [...uses].sort(([a], [b]) => byCodeUnit(a, b)))
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
    const rows = audit.map(({ at, keyId = "", op, code = "", traceId, address }) => {
      return { at: iso(at), key_id: keyId, op, code, trace_id: traceId, address };
    });
    if (rows.length > 0) await db.insertInto("audit").values(rows).execute();
  });
}

async function usesIn(state: State): Promise<ReadonlyMap<string, string>> {
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("key_uses").selectAll().execute());
  return new Map(rows.map(({ key_id, last_used_at }) => [key_id, last_used_at]));
}
