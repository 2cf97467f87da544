/** Console data besides the ops: statistics, recent calls, servers and logins. */

import type { KeyCheck } from "../access/admission.js";
import { createLogins, type Logins } from "../access/console-logins.js";
import type { Recent, SpanTree } from "../call/recent-spans.js";
import type { Principal } from "../contract/handler.js";
import type { Host } from "../packs/host.js";
import { seenServers } from "../packs/ot/state.js";
import { isOwner } from "../packs/ot/stats.js";
import type { State } from "../state/open.js";
import type { BucketCounts } from "../stats/buckets.js";
import type { Period, Stats } from "../stats/figures.js";
import type { HourCalls } from "../stats/report/figures.js";
import type { Refused } from "../upstream/lock.js";
import type { Upstreams } from "../upstream/upstreams.js";

/** A server as the console shows it. */
export interface SeenServer {
  readonly name: string;
  readonly state: string;
  /** Why it is not connected, and the remedy. */
  readonly error?: string;
  readonly remedy?: string;
  readonly retry_ms?: number;
  /** Tools refused by the lock, since they differ from the snapshot. */
  readonly refused: readonly Refused[];
}

/** The figures of `ot.stats` with data for charts. */
export interface SeenStats extends Stats {
  /** When they were read, in ms since the epoch. */
  readonly now: number;
  /** Hours with calls, ascending. */
  readonly hours: readonly HourCalls[];
  /** Distribution of durations by op. */
  readonly durations: readonly (readonly [op: string, counts: BucketCounts])[];
}

/** The console data of a project. */
export interface ConsoleData {
  readonly logins: Logins;
  /** Figures of a period for all ops or one, limited to what the caller may see; `undefined` without statistics. */
  stats(period: Period, op: string, principal: Principal): Promise<SeenStats | undefined>;
  /** The caller's recent calls with their spans; all calls for the machine's owner and admins. */
  calls(limit: number, principal: Principal): readonly SpanTree[];
  servers(principal: Principal): readonly SeenServer[];
}

/** Dependencies of the console data. */
export interface ConsoleDataParts {
  readonly host: Host;
  readonly upstreams: Upstreams | undefined;
  readonly recent: Recent;
  readonly state: () => Promise<State>;
  readonly keys: KeyCheck;
  readonly clock: () => number;
  /** Longest wait of a login query for the state database. */
  readonly limitMs: number;
}

/** Creates the console data. Nothing is opened before it is requested. */
export function createConsoleData({
  host,
  upstreams,
  recent,
  state,
  keys,
  clock,
  limitMs,
}: ConsoleDataParts): ConsoleData {
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
        // Details are shown only to owners and to callers of the server's ops.
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
