/**
 * Rate limits of keys that servers share through PostgreSQL: one token bucket for each key, in a row. A server that
 * gets many calls of a key takes some more than it needs, which it may use for a second: they are gone from the bucket
 * meanwhile, so that all servers together never admit more than the rate. All times are of the database's clock, or
 * lengths measured here.
 */

import { sql } from "kysely";
import { rememberNewest } from "../catalog/session.js";
import type { RateSettings } from "../config/transport-settings.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import type { Logger } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { withinAtMost } from "../state/deadline.js";
import type { State } from "../state/open.js";
import { createRates, type LocalRates, MAX_KEYS, type Rates, ROUNDING } from "./rate.js";

/** Dependencies of the rates. */
export interface SharedRatesParts {
  readonly rates: RateSettings;
  readonly state: () => Promise<State>;
  /** How many servers share the database now. */
  readonly replicas: () => number;
  /** Monotonic clock, in milliseconds. */
  readonly clock: () => number;
  readonly log: Logger;
}

/** Most calls that a server takes at once for a key. */
const MAX_LEASE = 20;
/** How long calls that were taken may be used. */
const LEASE_MS = 1000;
/** How long a call waits for its bucket. */
const WAIT_MS = 500;
/** After a failure, how long buckets of this server alone count. */
const AWAY_MS = 1000;

/**
 * Calls that one server takes at once: together the servers hold at most a quarter of the burst.
 *
 * @example
 * leaseOf(240, 3); // 20
 */
export const leaseOf = (burst: number, replicas: number): number =>
  Math.floor(Math.min(MAX_LEASE, Math.max(1, burst / (4 * Math.max(1, replicas)))));

/** A call that waits for its bucket. */
interface Waiting {
  readonly calls: number;
  settle(waitMs: number): void;
}

/** What this server knows of a bucket. */
interface Lease {
  /** Calls that were taken and not used. */
  left: number;
  /** Until when they may be used. */
  until: number;
  /** Calls of this server since a time: its demand. */
  demand: number;
  since: number;
  readonly waiting: Waiting[];
  isAsking: boolean;
}

/** Creates the rates. They ask for nothing before the first call. */
export function createSharedRates(parts: SharedRatesParts): Rates {
  const { rates, state, replicas, clock } = parts;
  const leases = new Map<string, Lease>();
  const alone = createFallback(parts);
  /** Asks the database for all calls that wait, and settles them. */
  const ask = async (keyId: string, lease: Lease): Promise<void> => {
    const began = clock();
    if (began >= lease.until) lease.left = 0;
    const asked = unserved(lease, lease.waiting.splice(0));
    if (asked.length === 0) return;
    try {
      const wanted = wantedBy(asked, lease, { rates, replicas: replicas() });
      const bucket = await withinAtMost(WAIT_MS, async () => takeFrom(await state(), keyId, wanted));
      alone.end();
      lease.left += bucket.granted;
      if (bucket.granted > 0) lease.until = began + LEASE_MS;
      for (const { calls, settle } of unserved(lease, asked))
        settle(waitMs(Math.min(calls, Math.max(rates.burst, 1)) - bucket.calls_left - lease.left, rates));
    } catch (error) {
      const own = alone.begin(error);
      for (const { calls, settle } of asked) settle(own.take(keyId, calls));
    }
  };
  const askAll = async (keyId: string, lease: Lease): Promise<void> => {
    lease.isAsking = true;
    while (lease.waiting.length > 0) await ask(keyId, lease);
    lease.isAsking = false;
  };
  return {
    take(keyId, calls = 1) {
      if (calls <= 0) return 0;
      const own = alone.current();
      if (own) return own.take(keyId, calls);
      const lease = leaseIn(leases, keyId, clock());
      lease.demand += calls;
      if (!lease.isAsking && lease.left >= calls && clock() < lease.until) {
        lease.left -= calls;
        return 0;
      }
      return new Promise((settle) => {
        lease.waiting.push({ calls, settle });
        if (!lease.isAsking) void askAll(keyId, lease);
      });
    },
  };
}

function leaseIn(leases: Map<string, Lease>, keyId: string, now: number): Lease {
  const fresh = { left: 0, until: 0, demand: 0, since: now, waiting: [], isAsking: false };
  const lease = leases.get(keyId) ?? fresh;
  rememberNewest(leases, keyId, lease, MAX_KEYS);
  if (now - lease.since > LEASE_MS) Object.assign(lease, { demand: 0, since: now });
  return lease;
}

/** The share of this server in the rates, which counts while the database is away. */
function createFallback({ rates, replicas, clock, log }: SharedRatesParts) {
  let until = Number.NEGATIVE_INFINITY;
  let own: LocalRates | undefined;
  return {
    /** The rates that count; undefined if the database is to be asked. */
    current: (): LocalRates | undefined => (clock() < until ? own : undefined),
    begin(error: unknown): LocalRates {
      until = clock() + AWAY_MS;
      if (own) return own;
      const servers = Math.max(1, replicas());
      const share = { burst: rates.burst / servers, perSecond: rates.perSecond / servers };
      log.warn("rates of keys are not shared while the database is away", { error: messageOf(error), ...share });
      own = createRates(share, clock);
      return own;
    },
    end(): void {
      own = undefined;
    },
  };
}

/** Settles the calls for which enough was taken, in their order, and returns the others. */
function unserved(lease: Lease, waiting: readonly Waiting[]): readonly Waiting[] {
  return waiting.filter(({ calls, settle }) => {
    if (lease.left + ROUNDING < calls) return true;
    lease.left -= calls;
    settle(0);
    return false;
  });
}

/** Time until calls that are lacking are refilled. */
const waitMs = (lacking: number, { perSecond }: RateSettings): number =>
  perSecond > 0
    ? Math.min(MAX_TIMER_MS, Math.max(1, Math.ceil((lacking * 1000) / perSecond - ROUNDING)))
    : MAX_TIMER_MS;

/** What a statement asks of a bucket. */
interface Wanted {
  readonly rates: RateSettings;
  /** Least number of calls that are of use. */
  readonly least: number;
  /** What the bucket must hold for that; the bucket may be in debt afterwards. */
  readonly needed: number;
  /** Most calls to take. */
  readonly most: number;
  /** Calls among those that may stay unused. */
  readonly spare: number;
  /** Most calls that a bucket is refilled to while servers hold unused ones. */
  readonly cap: number;
}

function wantedBy(
  asked: readonly Waiting[],
  { left, demand }: Lease,
  { rates, replicas }: { readonly rates: RateSettings; readonly replicas: number },
): Wanted {
  const most = leaseOf(rates.burst, replicas) - 1;
  // What was not used before is not taken again.
  const total = asked.reduce((sum, { calls }) => sum + calls, 0);
  const spare = Math.min(most, Math.max(0, demand - total));
  const least = Math.max(0, Math.min(...asked.map(({ calls }) => calls)) - left);
  const needed = Math.min(least, Math.max(rates.burst, 1));
  return {
    rates,
    least,
    needed,
    most: Math.max(0, total - left) + spare,
    spare,
    cap: rates.burst - Math.max(1, replicas) * most,
  };
}

/** The answer of a bucket: calls that were taken, and those that are left. */
interface Bucket {
  readonly granted: number;
  readonly calls_left: number;
}

/** Takes calls from a bucket, in one statement. @throws Error if the database belongs to this server alone */
async function takeFrom(state: State, keyId: string, wanted: Wanted): Promise<Bucket> {
  if (!state.shared) throw new Error("the state database is not shared");
  const { rows } = await state.shared.once((db) => statementOf(keyId, wanted).execute(db));
  const [bucket = { granted: 0, calls_left: 0 }] = rows;
  return bucket;
}

/**
 * A bucket that servers hold unused calls of is refilled to `cap` only, so that it holds, with those, the burst at most.
 * The clock is read once a statement, after the row is locked.
 */
function statementOf(keyId: string, { rates, least, needed, most, spare, cap }: Wanted) {
  const { burst, perSecond } = rates;
  const real = (value: number) => sql`${value}::double precision`;
  const grantedOf = (left: ReturnType<typeof sql>) =>
    sql`case when ${left} + ${real(ROUNDING)} >= ${real(needed)}
      then greatest(${real(least)}, least(${real(most)}, floor(${left} + ${real(ROUNDING)}))) else 0 end`;
  const leased = (granted: ReturnType<typeof sql>) =>
    sql`case when ${granted} > ${real(most - spare)} then make_interval(secs => ${LEASE_MS / 1000}) end`;
  return sql<Bucket>`insert into key_rates as b (key_id, calls_left, granted, at, leased_until)
    select ${keyId}, ${real(burst)} - g.granted, g.granted, n.now, coalesce(n.now + ${leased(sql`g.granted`)}, n.now)
      from (select clock_timestamp() as now) n, lateral (select ${grantedOf(real(burst))} as granted) g
    on conflict (key_id) do update set (calls_left, granted, at, leased_until) = (
      select a.calls_left - g.granted, g.granted, n.now, greatest(b.leased_until, n.now + ${leased(sql`g.granted`)})
      from (select greatest(b.at, clock_timestamp()) as now) n,
        lateral (select b.calls_left + extract(epoch from n.now - b.at)::double precision * ${real(perSecond)} as full,
          case when b.leased_until > n.now then ${real(cap)} else ${real(burst)} end as cap) f,
        lateral (select least(${real(burst)}, greatest(b.calls_left, least(f.cap, f.full))) as calls_left) a,
        lateral (select ${grantedOf(sql`a.calls_left`)} as granted) g)
    returning granted, calls_left`;
}
