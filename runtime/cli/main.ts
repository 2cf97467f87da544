/**
 * The runtime commands of the command line: serve, help, exec, run, config, keys, doctor. They return exit
 * codes and print through `Start`.
 */

import type { KeyCheck } from "../access/admission.js";
import { principalOfKey, takeOwnKey } from "../access/callers.js";
import { INVALID_KEY } from "../access/key-store.js";
import { findOp } from "../call/resolve.js";
import type { HelpAnswer } from "../catalog/help-answers.js";
import { writeJson } from "../contract/exact-number.js";
import { isToolFailure, type Logger, type Principal } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import type { Gateway } from "../gateway/gateway.js";
import type { Start } from "../gateway/open-project.js";
import type { Live } from "../gateway/reloadable-gateway.js";
import { requireState, startGateway } from "../gateway/start-gateway.js";
import { advisedUrl, httpAddress, isReachable } from "../serve/http/address.js";
import { keepServing } from "../serve/last-resort.js";
import { closingOf, type OpenTransports, serveTransports, type TransportFlags } from "../serve/transports.js";
import { parsedArguments, readArgumentWords } from "./arguments.js";
import type { ConfigFlags } from "./config.js";
import { helpText } from "./help-text.js";
import type { KeysCommand, KeysFlags } from "./keys.js";
import type { ListFlags } from "./list.js";
import type { MadeCall } from "./next-call.js";
import type { RunFlags } from "./run.js";
import type { RunsFlags } from "./runs.js";

/** The gateway with the principal of the command line. */
async function gatewayOf(start: Start) {
  const key = takeOwnKey();
  const live = await startGateway(start, "command");
  try {
    const { localPrincipal } = await import("../gateway/gateway.js");
    const { settings, keys } = live.current();
    return { live, principal: key === undefined ? localPrincipal(settings) : await ownPrincipal(keys, key) };
  } catch (error) {
    await live.close();
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
    await requireState(opened.live);
    return opened;
  } catch (error) {
    await opened.live.close();
    throw error;
  }
}

/** @throws UsageError for a key that is not live, or cannot be verified */
async function ownPrincipal(keys: KeyCheck, key: string): Promise<Principal> {
  const principal = await principalOfKey(keys, key).catch((error: unknown) => {
    throw isToolFailure(error) ? new UsageError(error.message) : error;
  });
  if (principal) return principal;
  throw new UsageError(`OUBLIETTE_API_KEY: ${INVALID_KEY}; unset it to call without a key`);
}

export type { TransportFlags } from "../serve/transports.js";

/** Follows the definitions of a server until it ends. */
export type DefinitionWatch = (
  server: Pick<Gateway, "log"> & Pick<Live, "reload">,
  signal: AbortSignal,
) => Promise<void>;

/**
 * Serves the registry: over stdio until the client disconnects, over HTTP and a socket until a signal; SIGHUP reloads.
 * Exit code 0.
 */
export async function serveRegistry(start: Start, flags: TransportFlags, watch?: DefinitionWatch): Promise<number> {
  const key = takeOwnKey();
  const { startServer } = await import("../serve/serve.js");
  const { live, open } = await startServer(start, flags, { stdioKey: key, stateLater: true });
  const closing = closingOf(live);
  const reload = async (): Promise<void> => {
    const answer = await live.reload();
    closing.log()[answer.startsWith("OK") ? "info" : "error"](onLine(answer));
  };
  process.on("SIGHUP", reload);
  const look = memoizeAsync(async () => warnOfStale(start, closing.log()));
  const later = setTimeout(look, LOOK_MS, "").unref();
  const ended = new AbortController();
  let watching: Promise<void> | undefined;
  const transports = async () => {
    const opened = await open();
    await printAddresses(start, flags, opened, live.current());
    watching = watch?.({ log: closing.log(), reload: live.reload }, ended.signal).catch((error: unknown) =>
      closing.log().error("the definitions are not watched", { error: messageOf(error) }),
    );
    return opened.transports;
  };
  const takeBack = keepServing(closing.log);
  const serving = {
    ...closing,
    get graceMs() {
      return live.current().settings.http.drain.graceMs;
    },
  };
  await serveTransports(transports, serving).finally(takeBack);
  ended.abort();
  clearTimeout(later);
  await Promise.all([watching, look("")]);
  process.removeListener("SIGHUP", reload);
  return 0;
}

async function printAddresses(
  { err }: Start,
  flags: TransportFlags,
  { url, socket }: OpenTransports,
  { settings: { http }, keys }: Pick<Gateway, "settings" | "keys">,
): Promise<void> {
  const { publicUrl, tls, access } = http;
  if (socket !== undefined) err(`listening on ${socket}\n`);
  if (url === undefined) return;
  const address = httpAddress(flags.http ?? "");
  const advised = publicUrl ? new URL("/mcp", publicUrl).href : advisedUrl(address, url);
  const page = flags.console === false ? "" : `console at ${new URL("/", advised).href}\n`;
  const areOthersServed = isReachable(address, http);
  // If the keys cannot be read now, the advice is the one that works with keys and without.
  const anyMade = () => keys.anyMade().catch(() => true);
  const isOpen = async () => access === "auto" && !http.signIn && !(await anyMade());
  // Clients of an identity provider sign their users in themselves.
  const needsNoKey = http.signIn !== undefined || (!areOthersServed && (access === "none" || (await isOpen())));
  const command = `toolwright connect CLIENT --url ${advised}${needsNoKey ? " --no-key" : ""}`;
  err(`listening on ${url}\n${page}to connect a client: ${command}\n`);
  if (!areOthersServed) return;
  const orToken = http.signIn ? `${http.signIn.proof}, or ` : "";
  err(`every caller needs ${orToken}a key: toolwright keys create --name NAME --scope SCOPE\n`);
  if (!tls && publicUrl?.protocol !== "https:") err(NOT_ENCRYPTED);
}

/** Printed if other machines can connect, and it is not known that a TLS proxy is in front. */
const NOT_ENCRYPTED = `HTTP is not encrypted, and the console's login works over HTTPS only: where you do not trust the network, put a TLS proxy in front
`;

/**
 * When a server checks whether `generated/` is stale, or at its end if earlier. The check reads every source, so
 * `initialize` comes first.
 */
const LOOK_MS = 1000;

function warnOfStale({ stale }: Start, log: Logger): void {
  const changed = stale();
  if (changed.length > 0) log.warn(`generated/ is older than ${changed.join(", ")}: run "toolwright generate"`);
}

/** Flags of the command `help`. */
export interface HelpFlags {
  readonly full?: boolean;
  readonly schemas?: boolean;
  readonly examples?: boolean;
  readonly at?: string;
  readonly page?: string;
  readonly json?: boolean;
}

/**
 * Prints the answer of `tool_help`. Exit code 0, or 1 if the path does not exist.
 *
 * @param otherwise - called instead if the path names neither an op nor a group, and the exit code is 0
 */
export async function printHelp(start: Start, path: string, flags: HelpFlags, otherwise?: () => void): Promise<number> {
  const { live, principal } = await gatewayOf(start);
  const request = {
    path,
    format: flags.full ? "full" : "short",
    include_examples: flags.examples !== false,
    include_schemas: flags.schemas === true,
    ...(flags.at === undefined ? {} : { at: flags.at }),
    ...(flags.page === undefined ? {} : { page: Number(flags.page) }),
  };
  const answer: HelpAnswer = live.current().help(request, principal);
  await live.close();
  const isNamed = answer.type === "op" || answer.type === "directory";
  if (!isNamed && otherwise) {
    otherwise();
    return 0;
  }
  start.out(flags.json ? `${writeJson(answer)}\n` : helpText(answer, start.paint));
  return isNamed || answer.type === "results" ? 0 : 1;
}

/** Prints every op with its signature. Exit code 0, or 1 for a path without ops. */
export async function printList(start: Start, path: string, flags: ListFlags): Promise<number> {
  const { live, principal } = await gatewayOf(start);
  try {
    const { listText } = await import("./list.js");
    const { text, isFound } = listText(live.current().index.view(principal.grant), path, flags, start.paint);
    if (isFound) start.out(text);
    else start.err(`${start.paint("red", "error")} ${text}\n`);
    return isFound ? 0 : 1;
  } finally {
    await live.close();
  }
}

export type { ListFlags } from "./list.js";

/** Flags of the commands `exec` and `call`. */
export interface ExecFlags {
  readonly args?: string;
  readonly dryRun?: boolean;
  readonly idempotencyKey?: string;
  readonly json?: boolean;
}

/**
 * Calls one op and prints the envelope; for a call that can be corrected, also the command that makes it. Exit code 0, or 1
 * if it is not ok.
 *
 * @param command flags of that command
 */
export async function exec(
  start: Start,
  op: string,
  words: readonly string[],
  flags: ExecFlags,
  { tail, flags: known }: Pick<MadeCall, "tail" | "flags">,
): Promise<number> {
  const { isState } = await import("../config/state-settings.js");
  const { state } = start.overrides;
  if (state !== undefined && !isState(state))
    throw new UsageError(
      `--state must be a postgres:// URL. Arguments that are called like a flag go after --: toolwright exec ${op} -- --state ${JSON.stringify(state)}`,
    );
  const { live, principal } = await statefulGatewayOf(asCommand(start));
  const cancel = new AbortController();
  process.once("SIGINT", () => cancel.abort());
  try {
    const view = live.current().index.view(principal.grant);
    const args = parsedArguments(findOp(view, op)?.tool, await readArgumentWords(words), flags.args);
    const call = {
      op,
      args,
      ...(flags.dryRun ? { dry_run: true } : {}),
      ...(flags.idempotencyKey === undefined ? {} : { idempotency_key: flags.idempotencyKey }),
    };
    const envelope = await live.within(({ dispatch }) => dispatch(call, principal, { signal: cancel.signal }));
    start.out(`${writeJson(envelope, flags.json ? undefined : 2)}\n`);
    if (envelope.ok) return 0;
    const { nextCalls } = await import("./next-call.js");
    for (const line of nextCalls(envelope.error, { words, call, tail, flags: known }, view)) start.err(`${line}\n`);
    return 1;
  } finally {
    await live.close();
  }
}

/** The start of a command that makes calls and ends. */
const asCommand = (start: Start): Start => ({ ...start, overrides: { ...start.overrides, isCommand: true } });

export type { RunFlags } from "./run.js";

/** Runs a program and prints the reply. Exit code 0, or 1 if it failed or, with `--check`, for type errors. */
export async function run(start: Start, file: string | undefined, flags: RunFlags): Promise<number> {
  const { runCode } = await import("./run.js");
  // Checks and declarations call no op, so they need no state.
  const own = asCommand(start);
  return runCode({
    start: own,
    file,
    flags,
    open: () => (flags.check || flags.types ? gatewayOf(own) : statefulGatewayOf(own)),
  });
}

/** Goes on with a run whose server has ended, and prints its reply. Exit code 0, or 1 if it failed or cannot go on. */
export async function resume(start: Start, id: string, flags: RunsFlags): Promise<number> {
  const { printResumedRun } = await import("./runs.js");
  return printResumedRun(start, id, flags, () => statefulGatewayOf(asCommand(start)));
}

export type { ConfigFlags } from "./config.js";

/** Prints the configuration in force. Exit code 0, or 1 if a variable is not set or `serve` would refuse it. */
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
  if (flags.json) start.out(`${writeJson({ ok: bad.length === 0, findings })}\n`);
  else
    for (const { ok, what, found, remedy, needs_person = [] } of findings) {
      const mark = ok ? start.paint("green", "ok  ") : start.paint("red", "FAIL");
      start.out(`${mark} ${what.padEnd(12)} ${found}${ok || remedy === undefined ? "" : `\n     → ${remedy}`}\n`);
      for (const one of needs_person) start.out(`     needs a person: ${one}\n`);
    }
  return bad.length === 0 ? 0 : 1;
}
