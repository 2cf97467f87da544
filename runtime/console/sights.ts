/** What people see in the console beside the ops: statistics, recent calls, servers; and who is logged in. */

import type { KeyCheck } from "../access/admission.js";
import type { Principal } from "../contract/handler.js";
import type { Recent, SpanTree } from "../observe/recent.js";
import { seenServers } from "../ot/state.js";
import { isOwner } from "../ot/stats.js";
import type { Host } from "../shipped.js";
import type { State } from "../state/open.js";
import type { BucketCounts } from "../stats/buckets.js";
import type { Period, Stats } from "../stats/figures.js";
import type { HourCalls } from "../stats/report/figures.js";
import type { Refused } from "../upstream/lock.js";
import type { Upstreams } from "../upstream/upstreams.js";
import { createLogins, type Logins } from "./logins.js";

/** A server as the console shows it. */
export interface SeenServer {
  readonly name: string;
  readonly state: string;
  /** Why it is not connected, and what to do. */
  readonly error?: string;
  readonly remedy?: string;
  readonly retry_ms?: number;
  /** Tools that are not called because they are not what the snapshot says. */
  readonly refused: readonly Refused[];
}

/** The figures of `ot.stats`, and what is drawn from them. */
export interface SeenStats extends Stats {
  /** When they were read, in ms since the epoch. */
  readonly now: number;
  /** Hours with calls, ascending. */
  readonly hours: readonly HourCalls[];
  /** By op: how many calls took how long. */
  readonly durations: readonly (readonly [op: string, counts: BucketCounts])[];
}

/** What the console shows of a project. */
export interface Sights {
  readonly logins: Logins;
  /** Figures of a period, of all ops or one, as far as they are the caller's; undefined where nothing is measured. */
  stats(period: Period, op: string, principal: Principal): Promise<SeenStats | undefined>;
  /** The caller's recent calls with their spans, everybody's for who owns the machine or is an admin. */
  calls(limit: number, principal: Principal): readonly SpanTree[];
  servers(principal: Principal): readonly SeenServer[];
}

/** What it is made of. */
export interface SightsParts {
  readonly host: Host;
  readonly upstreams: Upstreams | undefined;
  readonly recent: Recent;
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Longest that a question about a login may wait for the state database. */
  readonly limitMs: number;
}

/** Puts it together. Nothing is opened before somebody looks. */
export function createSights({ host, upstreams, recent, state, keys, clock, limitMs }: SightsParts): Sights {
  const ofCaller = (principal: Principal) => (isOwner(principal) ? {} : { caller: principal.id });
  return {
    logins: createLogins({ state, keys, clock, limitMs }),
    async stats(period, op, principal) {
      const now = clock();
      const found = await host.statistics?.charts({ period, op, now, ...ofCaller(principal) });
      return found && { ...found.stats, now, hours: found.hours, durations: [...found.durations] };
    },
    calls: (limit, principal) => recent.calls(limit, ofCaller(principal).caller),
    servers: (principal) => {
      const standings = upstreams?.states();
      const refused = upstreams?.refused();
      return seenServers({ host, principal }).map(([name, standing]) => {
        const { error, retryMs } = standings?.get(name) ?? {};
        // Others hear of it where they call what the server offers.
        const tells = isOwner(principal) || host.project.registry.tools.some(({ source }) => source.server === name);
        return {
          name,
          state: standing,
          ...(error && tells ? { error: error.message, remedy: error.remedy } : {}),
          ...(retryMs === undefined ? {} : { retry_ms: retryMs }),
          refused: (refused?.get(name) ?? []).filter(({ op }) => host.view(principal).exact(op) !== undefined),
        };
      });
    },
  };
}
