/** Starts the reloadable gateway of a project, for a server, a command or a program. */

import { hostname } from "node:os";
import type { Project } from "../catalog/project.js";
import type { LogOptions } from "../config/log.js";
import { secretsOf } from "../config/secrets.js";
import type { WebSettings } from "../config/settings.js";
import { hotOps } from "../contract/exposure.js";
import type { Fetch, Logger } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError } from "../contract/usage-error.js";
import { faultLine } from "../extensions/extensions.js";
import { inTime } from "../state/deadline.js";
import { inFull } from "../state/failure.js";
import type { Replicas } from "../state/replicas.js";
import type { Gateway } from "./gateway.js";
import { digestOf, openStart, type Start } from "./open-project.js";
import type { Live } from "./reloadable-gateway.js";

/** Whether the process serves many calls, or one command; a command does not log its call unless configured. */
export type Lifetime = "server" | "command";

/** How long a reload waits for new or changed servers. */
const CONNECT_MS = 10_000;

/**
 * The gateway of a project, reloadable.
 *
 * @param onLog - receives the log, a line of JSON each; default: as `log` of the configuration says
 * @throws UsageError as {@link openStart}
 */
export async function startGateway(start: Start, lifetime: Lifetime, onLog?: (line: string) => void): Promise<Live> {
  const [{ createGateway }, { createLive }, { createResourcePool }, { openLog }] = await Promise.all([
    import("./gateway.js"),
    import("./reloadable-gateway.js"),
    import("../contract/resource-pool.js"),
    import("../config/log.js"),
  ]);
  const shared = createResourcePool();
  const logs = memoizeAsync((options) => openLog(JSON.parse(options) as LogOptions, start.root, onLog));
  const pools = memoizeAsync(async () => (await import("../upstream/upstreams.js")).createPool(start));
  const open = async (from: Start): Promise<Gateway> => {
    const project = await openStart(from, () => pools(""));
    const { settings, root } = project;
    if (from !== start) await project.upstreams?.connectNew(CONNECT_MS);
    else if (lifetime === "server") project.upstreams?.warm();
    const isNoise =
      !onLog && lifetime === "command" && settings.log.level === "info" && settings.log.file === undefined;
    const log = await logs(JSON.stringify(isNoise ? { level: "warn" } : settings.log));
    for (const fault of project.extensions?.faults ?? []) log.warn(onLine(faultLine(fault)));
    if (lifetime === "server") warnOfHot(project, log);
    const warn = (message: string): void => log.warn(message);
    const openState = async () => (await import("../state/open.js")).openState({ ...settings.state, root, warn });
    const surroundings = { openState, log, secret: secretsOf(root), fetch: lazyFetch(settings.web) };
    const { stale, console } = from;
    const replica = lifetime === "server" ? `${hostname()}/${process.pid}` : undefined;
    return createGateway(project, { ...surroundings, shared, stale, console, replica, reload: () => live.reload() });
  };
  let served = start;
  const live: Live = createLive(await open(start), async () => {
    const next = await start.again();
    const gateway = await open(next);
    served = next;
    return { gateway, stale: next.stale() };
  });
  followReplicas(live, { served: () => served, again: start.again });
  return live;
}

/** What this server serves, and what it would serve after a reload. */
interface Configurations {
  served(): Start;
  again(): Promise<Start>;
}

/**
 * Tells the other servers of the database what this one serves, and reloads after they did, if that changes anything
 * here. Clients list everything again in any case: the next request may reach another server.
 */
function followReplicas(live: Live, { served, again }: Configurations): void {
  let replicas: Replicas | undefined;
  let current = "";
  let stop = (): unknown => undefined;
  const heard = async (digest: string): Promise<void> => {
    if (digest === current) return;
    const next = await digestOf(await again());
    if (next === current) live.changed();
    else await live.reload();
  };
  const tell = async (): Promise<void> => {
    const next = live.cluster?.replicas;
    const digest = next ? await digestOf(served()) : "";
    if (next !== replicas) {
      stop();
      replicas = next;
      stop = next?.onServed((other) => void heard(other).catch(logged)) ?? (() => undefined);
    }
    current = digest;
    next?.serve(digest);
  };
  const logged = (error: unknown): void => live.log.warn("not reloaded", { error: messageOf(error) });
  live.onSwap(() => void tell().catch(logged));
  void tell().catch(logged);
}

/** Warns about hot ops that exceed the budget. */
function warnOfHot({ registry, settings }: Project, log: Logger): void {
  const { expose, run, ops } = settings;
  if (!expose.gateway) return;
  const listed = registry.tools.filter(({ op }) => ops.get(op)?.hidden !== true);
  const { left } = hotOps(listed, { ...expose, run: run.exposed, signatures: run.signatures });
  if (left.length > 0) log.warn("no room for hot ops", { budget: expose.budget, ops: left.map(({ op }) => op) });
}

/** The guarded `fetch`, loaded at the first request. */
function lazyFetch({ allowPrivate }: WebSettings): Fetch {
  let loading: Promise<Fetch> | undefined;
  const load = async (): Promise<Fetch> => {
    const { guardedFetch } = await import("../http-client/guard.js");
    return guardedFetch({ allowPrivate });
  };
  return async (input, init) => {
    loading ??= load();
    return (await loading)(input, init);
  };
}

/** How long a server waits for its state database before it starts without it; calls then answer UNAVAILABLE. */
const STATE_MS = 2000;

/**
 * Opens the state database at the start.
 *
 * @throws UsageError for a fault that the user must correct; an unreachable, locked or full database is only logged,
 * since it may recover
 */
export async function requireState({ openState, log }: Pick<Gateway, "openState" | "log">): Promise<void> {
  const tell = (error: unknown): void => log.warn("the state database is not available yet", { error: inFull(error) });
  const opened = openState().catch((error: unknown) => {
    if (isUsageError(error)) throw error;
    tell(error);
  });
  const late = (): Error => new Error(`it has not answered within ${STATE_MS} ms`);
  await inTime(opened, STATE_MS, late).catch((error: unknown) => {
    if (isUsageError(error)) throw error;
    tell(error);
    opened.catch(tell);
  });
}
