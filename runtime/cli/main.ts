/**
 * The runtime commands of the command line: serve, client, help, exec, run, config, keys, doctor. They return exit
 * codes and print through `Start`.
 */

import { keyCaller, principalOfKey, takeOwnKey } from "../access/callers.js";
import { INVALID_KEY } from "../access/key-store.js";
import { findOp } from "../call/resolve.js";
import type { HelpAnswer } from "../catalog/help.js";
import type { Project } from "../catalog/project.js";
import type { LogOptions } from "../config/log.js";
import { secretsOf } from "../config/secrets.js";
import type { WebSettings } from "../config/settings.js";
import { writeJson } from "../contract/exact-number.js";
import { hotOps } from "../contract/exposure.js";
import { type Fetch, isToolFailure, type Logger, type Principal } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { onLine } from "../contract/on-line.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import { faultLine } from "../extensions/extensions.js";
import type { Gateway } from "../gateway/gateway.js";
import { openStart, type Start } from "../gateway/open-project.js";
import type { Live } from "../gateway/reloadable-gateway.js";
import { keepServing } from "../serve/last-resort.js";
import type { ClientFlags, ClientStart } from "../serve/socket/client.js";
import { serveTransports, type TransportFlags, transportsOf } from "../serve/transports.js";
import { inTime } from "../state/deadline.js";
import { inFull } from "../state/failure.js";
import { argumentsOf } from "./arguments.js";
import type { ConfigFlags } from "./config.js";
import { helpText } from "./help-text.js";
import type { KeysCommand, KeysFlags } from "./keys.js";
import type { RunFlags } from "./run.js";

/** Whether the process serves many calls, or one command; a command does not log its call unless configured. */
type Lifetime = "server" | "command";

/** How long a reload waits for new or changed servers. */
const CONNECT_MS = 10_000;

/** The gateway of a project, reloadable. */
async function liveGateway(start: Start, lifetime: Lifetime = "command"): Promise<Live> {
  const [{ createGateway }, { createLive }, { createResourcePool }, { openLog }] = await Promise.all([
    import("../gateway/gateway.js"),
    import("../gateway/reloadable-gateway.js"),
    import("../contract/resource-pool.js"),
    import("../config/log.js"),
  ]);
  const shared = createResourcePool();
  const logs = memoizeAsync((options) => openLog(JSON.parse(options) as LogOptions, start.root));
  const pools = memoizeAsync(async () => (await import("../upstream/upstreams.js")).createPool(start));
  const open = async (from: Start): Promise<Gateway> => {
    const project = await openStart(from, () => pools(""));
    const { settings, root } = project;
    if (from !== start) await project.upstreams?.connectNew(CONNECT_MS);
    else if (lifetime === "server") project.upstreams?.warm();
    const isNoise = lifetime === "command" && settings.log.level === "info" && settings.log.file === undefined;
    const log = await logs(JSON.stringify(isNoise ? { level: "warn" } : settings.log));
    for (const fault of project.extensions?.faults ?? []) log.warn(onLine(faultLine(fault)));
    if (lifetime === "server") warnOfHot(project, log);
    const warn = (message: string): void => log.warn(message);
    const openState = async () => (await import("../state/open.js")).openState({ url: settings.state, root, warn });
    const surroundings = { openState, log, secret: secretsOf(root), fetch: lazyFetch(settings.web) };
    const { stale } = from;
    return createGateway(project, { ...surroundings, shared, stale, reload: () => live.reload() });
  };
  const live: Live = createLive(await open(start), async () => {
    const next = await start.again();
    return { gateway: await open(next), stale: next.stale() };
  });
  return live;
}

/** Warns about hot ops that exceed the budget. */
function warnOfHot({ registry, settings }: Project, log: Logger): void {
  const { expose, run, ops } = settings;
  if (!expose.gateway) return;
  const listed = registry.tools.filter(({ op }) => ops.get(op)?.hidden !== true);
  const { left } = hotOps(listed, { ...expose, run: run.exposed, signatures: run.signatures });
  if (left.length > 0) log.warn("no room for hot ops", { budget: expose.budget, ops: left.map(({ op }) => op) });
}

/** The gateway with the principal of the command line. */
async function gatewayOf(start: Start) {
  const key = takeOwnKey();
  const gateway = await liveGateway(start);
  try {
    const { localPrincipal } = await import("../gateway/gateway.js");
    return {
      gateway,
      principal: key === undefined ? localPrincipal(gateway.settings) : await ownPrincipal(gateway, key),
    };
  } catch (error) {
    await gateway.close();
    throw error;
  }
}

/**
 * As {@link gatewayOf}, and opens the state database if possible. @throws UsageError for a fault that the user must
 * correct
 */
async function statefulGatewayOf(start: Start): ReturnType<typeof gatewayOf> {
  const opened = await gatewayOf(start);
  try {
    await requireState(opened.gateway);
    return opened;
  } catch (error) {
    await opened.gateway.close();
    throw error;
  }
}

/** @throws UsageError for a key that is not live, or cannot be verified */
async function ownPrincipal({ keys }: Gateway, key: string): Promise<Principal> {
  const principal = await principalOfKey(keys, key).catch((error: unknown) => {
    throw isToolFailure(error) ? new UsageError(error.message) : error;
  });
  if (principal) return principal;
  throw new UsageError(`OUBLIETTE_API_KEY: ${INVALID_KEY}; unset it to call without a key`);
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

export type { TransportFlags } from "../serve/transports.js";

/**
 * Serves the registry: over stdio until the client disconnects, over HTTP and a socket until a signal; SIGHUP reloads.
 * Exit code 0.
 */
export async function serve(start: Start, flags: TransportFlags): Promise<number> {
  const key = takeOwnKey();
  const open = transportsOf(flags, start.root);
  const [gateway, { localPrincipal }] = await Promise.all([
    liveGateway(start, "server"),
    import("../gateway/gateway.js"),
  ]);
  const reload = async (): Promise<void> => {
    const answer = await gateway.reload();
    gateway.log[answer.startsWith("OK") ? "info" : "error"](onLine(answer));
  };
  process.on("SIGHUP", reload);
  const { version, err } = start;
  const principal = () => localPrincipal(gateway.settings);
  const stdio = key === undefined ? {} : { stdioCaller: keyCaller(gateway, key) };
  const look = memoizeAsync(async () => warnOfStale(start, gateway.log));
  const later = setTimeout(look, LOOK_MS, "").unref();
  const transports = async () => {
    await requireState(gateway);
    return open({ gateway, principal, ...stdio, version, err });
  };
  const takeBack = keepServing(() => gateway.log);
  await serveTransports(transports, { gateway }).finally(takeBack);
  clearTimeout(later);
  await look("");
  process.removeListener("SIGHUP", reload);
  return 0;
}

/** How long a server waits for its state database before it starts without it; calls then answer UNAVAILABLE. */
const STATE_MS = 2000;

/**
 * Opens the state database at the start of a process.
 *
 * @throws UsageError for a fault that the user must correct; an unreachable, locked or full database is only logged,
 * since it may recover
 */
async function requireState({ openState, log }: Pick<Gateway, "openState" | "log">): Promise<void> {
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

/**
 * When a server checks whether `generated/` is stale, or at its end if earlier. The check reads every source, so
 * `initialize` comes first.
 */
const LOOK_MS = 1000;

function warnOfStale({ stale }: Start, log: Logger): void {
  const changed = stale();
  if (changed.length > 0) log.warn(`generated/ is older than ${changed.join(", ")}: run "toolwright generate"`);
}

export type { ClientFlags } from "../serve/socket/client.js";

/** Serves a project, if there is one, and the tools of a server on a socket over stdio. Exit code 0. */
export async function client(start: ClientStart, flags: ClientFlags): Promise<number> {
  const { serveClient } = await import("../serve/socket/client.js");
  return serveClient(start, flags, async (project) => {
    const [gateway, { localPrincipal }] = await Promise.all([
      liveGateway(project, "server"),
      import("../gateway/gateway.js"),
    ]);
    return { gateway, principal: () => localPrincipal(gateway.settings) };
  });
}

/** Flags of the command `help`. */
export interface HelpFlags {
  readonly full?: boolean;
  readonly schemas?: boolean;
  readonly examples?: boolean;
  readonly json?: boolean;
}

/** Prints the answer of `tool_help`. Exit code 0, or 1 if the path does not exist. */
export async function help(start: Start, path: string, flags: HelpFlags): Promise<number> {
  const { gateway, principal } = await gatewayOf(start);
  const request = {
    path,
    format: flags.full ? "full" : "short",
    include_examples: flags.examples !== false,
    include_schemas: flags.schemas === true,
  };
  const answer: HelpAnswer = gateway.help(request, principal);
  start.out(flags.json ? `${JSON.stringify(answer)}\n` : helpText(answer, start.paint));
  await gateway.close();
  return answer.type === "not_found" || answer.type === "error" ? 1 : 0;
}

/** Flags of the command `exec`. */
export interface ExecFlags {
  readonly args?: string;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

/** Calls one op and prints the envelope. Exit code 0, or 1 if it is not ok. */
export async function exec(start: Start, op: string, words: readonly string[], flags: ExecFlags): Promise<number> {
  const { isState } = await import("../config/settings.js");
  const { state } = start.overrides;
  if (state !== undefined && !isState(state))
    throw new UsageError(
      `--state must be a postgres:// URL. Arguments that are called like a flag go after --: toolwright exec ${op} -- --state ${JSON.stringify(state)}`,
    );
  const { gateway, principal } = await statefulGatewayOf(start);
  const cancel = new AbortController();
  process.once("SIGINT", () => cancel.abort());
  try {
    const args = argumentsOf(findOp(gateway.index.view(principal.grant), op)?.tool, words, flags.args);
    const call = {
      op,
      args,
      ...(flags.dryRun ? { dry_run: true } : {}),
      ...(flags.idempotencyKey === undefined ? {} : { idempotency_key: flags.idempotencyKey }),
    };
    const envelope = await gateway.dispatch(call, principal, { signal: cancel.signal });
    start.out(`${writeJson(envelope, flags.json ? undefined : 2)}\n`);
    return envelope.ok ? 0 : 1;
  } finally {
    await gateway.close();
  }
}

export type { RunFlags } from "./run.js";

/** Runs Python and prints the reply. Exit code 0, or 1 if it failed or, with `--check`, for type errors. */
export async function run(start: Start, file: string | undefined, flags: RunFlags): Promise<number> {
  const { runCode } = await import("./run.js");
  // A check calls no op, so it needs no state.
  return runCode({ start, file, flags, open: () => (flags.check ? gatewayOf(start) : statefulGatewayOf(start)) });
}

export type { ConfigFlags } from "./config.js";

/** Prints the configuration in force. Exit code 0, or 1 if a variable is not set. */
export async function config(start: Start, flags: ConfigFlags): Promise<number> {
  const { printConfig } = await import("./config.js");
  return printConfig(start, flags);
}

export type { KeysFlags } from "./keys.js";

/**
 * Creates, revokes, rotates, lists and checks API keys. Exit code 0, or 1 if the request is refused or the key is not
 * live.
 */
export async function keys(start: Start, command: KeysCommand, flags: KeysFlags, keyId?: string): Promise<number> {
  const { keysCommand } = await import("./keys.js");
  return keysCommand(start, command, flags, keyId);
}

/** Checks the project and its surroundings. Exit code 0, or 1 for a fault. */
export async function doctor(start: Start, flags: { readonly json?: boolean }): Promise<number> {
  const { examine } = await import("./doctor.js");
  const findings = await examine(start);
  const bad = findings.filter((one) => !one.ok);
  if (flags.json) start.out(`${JSON.stringify({ ok: bad.length === 0, findings })}\n`);
  else
    for (const { ok, what, found, remedy } of findings) {
      const mark = ok ? start.paint("green", "ok  ") : start.paint("red", "FAIL");
      start.out(`${mark} ${what.padEnd(12)} ${found}${ok || remedy === undefined ? "" : `\n     → ${remedy}`}\n`);
    }
  return bad.length === 0 ? 0 : 1;
}
