/** Starts the reloadable gateway of a project, for a server, a command or a program. */

import { hostname } from "node:os";
import type { Project } from "../catalog/project.js";
import type { LogOptions } from "../config/log.js";
import { loadSecrets, maskKnownSecrets, secretsOf } from "../config/secrets.js";
import type { WebSettings } from "../config/settings.js";
import { hotOps } from "../contract/exposure.js";
import type { Fetch, Logger } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError } from "../contract/usage-error.js";
import { allowPrivateOf } from "../http-client/named-address.js";
import { inTime } from "../state/deadline.js";
import { inFull } from "../state/failure.js";
import type { State } from "../state/open.js";
import type { Replicas } from "../state/replicas.js";
import { addedWarnings } from "./added-ops.js";
import { loadFeatures } from "./features.js";
import type { Gateway } from "./gateway.js";
import { digestOf, openStart, type Start, variablesOf } from "./open-project.js";
import type { Live } from "./reloadable-gateway.js";
import { settingWarnings, unservedFeatures, unsetSecrets } from "./setting-warnings.js";
import { loadSignIn } from "./sign-in-part.js";

/** Whether the process serves many calls, or one command; a command does not log its call unless configured. */
export type Lifetime = "server" | "command";

/** How long a reload waits for new or changed servers. */
const CONNECT_MS = 10_000;

/** What a gateway is started with, beside its project. */
export interface GatewayStart {
  /** Receives the log, a line of JSON each; default: as `log` of the configuration says. */
  readonly onLog?: ((line: string) => void) | undefined;
  /** The state database is not opened before this resolves; default: when it is first asked for. */
  readonly stateAfter?: Promise<void> | undefined;
}

/**
 * The gateway of a project, reloadable.
 *
 * @throws UsageError as {@link openStart}
 */
export async function startGateway(
  start: Start,
  lifetime: Lifetime,
  { onLog, stateAfter }: GatewayStart = {},
): Promise<Live> {
  const [{ createOpGateway }, { createLive }, { createResourcePool }, { openLog }] = await Promise.all([
    import("./gateway.js"),
    import("./reloadable-gateway.js"),
    import("../contract/resource-pool.js"),
    import("../config/log.js"),
  ]);
  const shared = createResourcePool();
  const logs = memoizeAsync((options) => openLog(JSON.parse(options) as LogOptions, start.root, onLog));
  const newPool = async () => (await import("../upstream/upstreams.js")).createConnectionPool(start);
  const pools = memoizeAsync(start.pool ?? newPool);
  const open = async (from: Start): Promise<Gateway> => {
    maskKnownSecrets(from.root, from.config.secrets);
    if (lifetime === "server") await loadSecrets(from.root, from.config);
    const project = await openStart(from, () => pools(""));
    const { settings } = project;
    if (from !== start) await project.upstreams?.connectNew(CONNECT_MS);
    else if (lifetime === "server") project.upstreams?.warm();
    const isNoise =
      !onLog && lifetime === "command" && settings.log.level === "info" && settings.log.file === undefined;
    const log = await logs(JSON.stringify(isNoise ? { level: "warn" } : settings.log));
    for (const one of addedWarnings(project)) log.warn(one);
    const secret = secretsOf(from.root, from.config.secrets);
    if (lifetime === "server") {
      warnOfHot(project, log);
      const warnings = [
        ...settingWarnings(from, project.registry, await loadSignIn(from)),
        ...unsetSecrets(from.config, secret),
      ];
      for (const one of warnings) log.warn(one);
    } else for (const one of unservedFeatures(from)) log.warn(one);
    const opener = stateOpener(project, lifetime, log);
    const openState = stateAfter ? () => stateAfter.then(opener) : opener;
    const surroundings = { openState, log, secret, fetch: lazyFetch(project.root, settings.web) };
    const replica = lifetime === "server" ? `${hostname()}/${process.pid}` : undefined;
    const { stale, console } = from;
    const features = await loadFeatures({ ...from, lookup: variablesOf(from.root, from.config.secrets) });
    const own = { stale, console, features, replica, reload: () => live.reload() };
    return createOpGateway(project, { ...surroundings, ...own, shared });
  };
  const configurations = createConfigurations(start);
  const live: Live = createLive(await open(start), async () => {
    const next = await configurations.next();
    const gateway = await open(next.start);
    configurations.serve(next);
    return { gateway, stale: next.start.stale() };
  });
  if (lifetime === "server") followReplicas(live, configurations);
  return live;
}

/** A configuration, and the digest of what a server serves with it. */
interface Configuration {
  readonly start: Start;
  digest(): Promise<string>;
}

/** The configurations of this server. */
interface Configurations {
  /** The one in force. */
  served(): Configuration;
  /** The one for a reload. */
  next(): Promise<Configuration>;
  serve(next: Configuration): void;
  /** Whether a reload would change anything; it uses what was read to find out. */
  hasChanged(): Promise<boolean>;
}

function createConfigurations(start: Start): Configurations {
  const configurationOf = (one: Start): Configuration => {
    let digest: Promise<string> | undefined;
    return {
      start: one,
      digest() {
        digest ??= digestOf(one);
        return digest;
      },
    };
  };
  const read = async () => configurationOf(await start.again());
  let served = configurationOf(start);
  let ahead: Configuration | undefined;
  return {
    served: () => served,
    async next() {
      const next = ahead ?? (await read());
      ahead = undefined;
      return next;
    },
    serve(next) {
      served = next;
    },
    async hasChanged() {
      const next = await read();
      const isOther = (await next.digest()) !== (await served.digest());
      if (isOther) ahead = next;
      return isOther;
    },
  };
}

/**
 * Tells the other servers of the database what this one serves, and reloads after they did, if that changes anything
 * here. Clients list everything again in any case: the next request may reach another server.
 */
function followReplicas(live: Live, { served, hasChanged }: Configurations): void {
  let replicas: Replicas | undefined;
  let stop = (): unknown => undefined;
  let last: Promise<unknown> = Promise.resolve();
  const logged = (error: unknown): void => live.current().log.warn("not reloaded", { error: messageOf(error) });
  const heard = async (digest: string): Promise<void> => {
    if (digest === (await served().digest())) return;
    if (await hasChanged()) await live.reload();
    else live.changed();
  };
  const follow = (digest: string): void => {
    last = last.then(() => heard(digest)).catch(logged);
  };
  const tell = async (): Promise<void> => {
    const next = live.current().cluster?.replicas;
    if (next !== replicas) {
      stop();
      replicas = next;
      stop = next?.onServed(follow) ?? (() => undefined);
    }
    if (next) next.serve(await served().digest());
  };
  const tellSoon = (): void => void tell().catch(logged);
  live.onSwap(tellSoon);
  tellSoon();
}

/** Opens the state database of a project. */
const stateOpener =
  ({ settings, root }: Project, lifetime: Lifetime, log: Logger) =>
  async (): Promise<State> => {
    const { openState } = await import("../state/open.js");
    const state = await openState({ ...settings.state, root, warn: (message) => log.warn(message) });
    if (lifetime === "server") warnOfKeys(settings, state, log);
    return state;
  };

/** Warns about keys of `state_encryption` that do not open what is stored under them. */
function warnOfKeys({ connections }: Project["settings"], state: State, log: Logger): void {
  if (!connections) return;
  const check = async (): Promise<void> => {
    const { keyFaults } = await import("../connections/key-check.js");
    for (const { found, remedy } of await keyFaults(state, connections.keys))
      log.warn("stored connections cannot be opened", { error: `state_encryption.keys: ${found}`, to_do: remedy });
  };
  check().catch((error: unknown) =>
    log.info("the keys of state_encryption were not compared with what is stored", { error: messageOf(error) }),
  );
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
function lazyFetch(root: string, { allowPrivate }: WebSettings): Fetch {
  allowPrivateOf(root, allowPrivate);
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
export async function requireState(live: Live): Promise<void> {
  const { log } = live.current();
  const tell = (error: unknown): void => log.warn("the state database is not available yet", { error: inFull(error) });
  const opened = live
    .within(({ openState }) => openState())
    .catch((error: unknown) => {
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
