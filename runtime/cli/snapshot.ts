/**
 * `toolwright snapshot`: reads all configured servers in parallel, and writes their snapshots or reports how they
 * differ.
 */

import { existsSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { withCallerToken } from "../access/caller-tokens.js";
import { looksLikeKey } from "../access/key-text.js";
import { secretsOf } from "../config/secrets.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { byCodeUnit } from "../contract/canonical.js";
import { closest } from "../contract/closest.js";
import { writeJson } from "../contract/exact-number.js";
import type { Principal } from "../contract/handler.js";
import { rememberToken } from "../contract/known-secrets.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { onLine } from "../contract/message-text.js";
import type { Registry } from "../contract/registry.js";
import { scrub } from "../contract/scrub.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import { messageOf } from "../contract/thrown.js";
import { isSignInRequired, type TokenSource } from "../contract/token-source.js";
import { UsageError } from "../contract/usage-error.js";
import { type Start, settingsOrRefuse } from "../gateway/open-project.js";
import { loadSignIn } from "../gateway/sign-in-part.js";
import { concurrencyLimit } from "../run/concurrency-limit.js";
import { type Authorization, authorizationOf } from "../upstream/authorization.js";
import { openBrowser } from "../upstream/browser.js";
import { readBy, readServer, serverDrift, snapshotFile, snapshotReader } from "../upstream/drift.js";
import { atFirstStart, FIRST_START_MS, installerOf } from "../upstream/first-start.js";
import { expandServer, type UpstreamServer } from "../upstream/servers.js";
import { type Snapshot, sameSnapshot, snapshotText } from "../upstream/snapshot.js";
import { isUpstreamError, UpstreamError } from "../upstream/upstream-error.js";
import { printOutcome, type SnapshotOutcome, snapshotJson } from "./snapshot-report.js";

/** Input of the command: that of the runtime, and the generator's functions for snapshots. */
export interface SnapshotStart extends Start {
  readonly progress: (stage: string | undefined) => void;
  /** Whether an entry of `sources` reads the snapshot of a server. */
  readonly isSource: (name: string) => boolean;
  /** Whether there is a terminal, so that a browser can be opened. */
  readonly interactive: boolean;
}

/** Flags of the command. */
export interface SnapshotFlags {
  readonly check?: boolean;
  readonly json?: boolean;
  /** The key or user with whose connections servers are read; default: the owner of the machine. */
  readonly principal?: string;
  /** Whether an access token on standard input is exchanged, for servers of mode token_exchange. */
  readonly token?: boolean;
  /** Whether to suggest the next command; false if it follows automatically. */
  readonly next?: boolean;
}

/** Servers read in parallel. */
const MAX_PARALLEL_SERVERS = 8;
const NO_TOOLS: Registry = { ir_version: 1, registry_version: "", tools: [], packs: [], reserved: [] };

/** Exit code 0, or 1 if a server failed or, with `check`, differs. */
export async function snapshot(start: SnapshotStart, names: readonly string[], flags: SnapshotFlags): Promise<number> {
  const chosen = choose(start.config.servers ?? {}, names);
  const { connections } = settingsOrRefuse(start, NO_TOOLS, await loadSignIn(start));
  const readers = await readersOf(start, chosen, flags);
  const opened = memoizeAsync(async () => (await import("./connections.js")).connectionsOf(start));
  const stop = stopOnSignals();
  sayInstalling(start, chosen);
  const waiting = showWaiting(start, chosen);
  const authorization = authorizationOf({ root: start.root, ...(start.interactive ? { open: askFor(start) } : {}) });
  const tokens = tokensFrom(connections ? async () => (await opened("")).connections : undefined);
  const limit = concurrencyLimit(MAX_PARALLEL_SERVERS);
  const running = chosen.map(([name, entry]) =>
    limit.pass(async () => {
      const outcome = await outcomeOf(start, name, entry, flags, {
        authorization,
        tokens,
        readers,
        signal: stop.signal,
      });
      waiting.done(name);
      return outcome;
    }),
  );
  const outcomes: SnapshotOutcome[] = [];
  const width = Math.max(...chosen.map(([name]) => name.length), 0);
  for (const one of running) {
    const outcome = await one;
    outcomes.push(outcome);
    if (flags.json) continue;
    start.progress(undefined);
    printOutcome(outcome, width, start);
    waiting.show();
  }
  stop.done();
  waiting.end();
  if (connections) await (await opened("")).state.close();
  const ok = outcomes.every((one) => one.kind !== "failed" && one.kind !== "differs");
  if (flags.json) start.out(`${writeJson({ ok, servers: outcomes.map(snapshotJson) })}\n`);
  else if (flags.next !== false) sayNext(start, outcomes, chosen.length);
  return ok ? 0 : 1;
}

/** Shows which servers have not answered yet, and after a while for how long. */
function showWaiting({ progress }: SnapshotStart, chosen: readonly Named[]) {
  const began = performance.now();
  const waiting = new Set(chosen.map(([name]) => name));
  const show = (): void => {
    const list = [...waiting].join(", ");
    const seconds = Math.floor((performance.now() - began) / 1000);
    const shown = `${list.length > 60 ? `${waiting.size} servers` : list}${seconds < 2 ? "" : ` (${seconds} s)`}`;
    progress(waiting.size === 0 ? undefined : `reading ${shown}`);
  };
  const ticking = setInterval(show, 1000).unref();
  show();
  return {
    show,
    done: (name: string): void => {
      waiting.delete(name);
      show();
    },
    end: (): void => {
      clearInterval(ticking);
      progress(undefined);
    },
  };
}

/** Tokens of connections, whose database is opened with the first one. */
function tokensFrom(open: (() => Promise<TokenSource>) | undefined): () => TokenSource | undefined {
  let made: TokenSource | undefined;
  const source: TokenSource | undefined = open && {
    token: async (use) => {
      made ??= await open();
      return made.token(use);
    },
    refused: (use, token) => made?.refused(use, token),
    widened: async (use, scope) => {
      made ??= await open();
      return made.widened(use, scope);
    },
  };
  return () => source;
}

type Named = readonly [name: string, entry: ServerEntry];

/** @throws UsageError if there is nothing to read, or a name is unknown */
function choose(servers: Readonly<Record<string, ServerEntry>>, names: readonly string[]): readonly Named[] {
  const all = Object.entries(servers).sort(([a], [b]) => byCodeUnit(a, b));
  if (all.length === 0)
    throw new UsageError(
      'toolwright.yaml configures no servers: add one, such as  servers: { files: { command: npx, args: ["-y", "@modelcontextprotocol/server-filesystem", "."] } }',
    );
  if (names.length === 0) return all.filter(([, entry]) => entry.enabled !== false);
  const wanted = new Set(names);
  for (const name of wanted) {
    if (Object.hasOwn(servers, name)) continue;
    const known = all.map(([one]) => one);
    const near = closest(name, known);
    throw new UsageError(
      `no server ${name} in toolwright.yaml; ${near === undefined ? "" : `did you mean ${near}? `}known: ${known.join(", ")}`,
    );
  }
  return all.filter(([name]) => wanted.has(name));
}

interface Around {
  readonly authorization: Authorization;
  readonly tokens: () => TokenSource | undefined;
  readonly readers: (entry: ServerEntry) => Principal;
  readonly signal: AbortSignal;
}

const wasRead = ({ root }: Pick<Start, "root">, name: string): boolean => existsSync(join(root, snapshotFile(name)));

/** Says which servers install their package before they answer. */
function sayInstalling(start: SnapshotStart, chosen: readonly Named[]): void {
  for (const [name, entry] of chosen) {
    const installer = entry.timeout === undefined && !wasRead(start, name) ? installerOf(entry) : undefined;
    if (installer !== undefined)
      start.err(
        `${name}: ${installer} may install its package first, which may take up to ${FIRST_START_MS / 1000} s\n`,
      );
  }
}

/** The result for one server. Never throws, so that a failure affects only this server. */
async function outcomeOf(
  start: SnapshotStart,
  name: string,
  entry: ServerEntry,
  flags: SnapshotFlags,
  { readers, ...around }: Around,
): Promise<SnapshotOutcome> {
  const known = expandServer(name, entry, secretsOf(start.root, start.config.secrets));
  if ("reason" in known)
    return { kind: "failed", name, error: new UpstreamError("UNAVAILABLE", known.reason, known.remedy) };
  const server = wasRead(start, name) ? known : atFirstStart(known, entry);
  try {
    const found = await readServer(readBy(server, readers(entry)), {
      root: start.root,
      version: start.version,
      ...around,
    });
    return flags.check ? await compare(start, name, found) : await writeSnapshot(start, name, found);
  } catch (error) {
    if (isUpstreamError(error)) return { kind: "failed", name, error: ofReader(server, error, flags) };
    const message = scrub(messageOf(error).replaceAll(start.root + sep, ""), server.secrets.values());
    return { kind: "failed", name, error: new UpstreamError("UNAVAILABLE", message, "correct that, and run it again") };
  }
}

/**
 * The callers as whom servers are read.
 *
 * @throws UsageError for a token that no server is given
 */
async function readersOf(
  { err }: SnapshotStart,
  chosen: readonly Named[],
  flags: SnapshotFlags,
): Promise<Around["readers"]> {
  const reader = snapshotReader(flags.principal);
  const issuers = new Set(
    chosen.flatMap(([, { auth }]) => (auth?.mode === "token_exchange" ? [auth.issuer ?? ""] : [])),
  );
  if (!flags.token) return () => reader;
  const [issuer = "", ...more] = issuers;
  if (issuers.size === 0)
    throw new UsageError("--token is for servers whose auth has the mode token_exchange: name one");
  if (more.length > 0) throw new UsageError("--token is for servers of one issuer: name those");
  if (process.stdin.isTTY) err("paste the token, then Enter and Ctrl-D\n");
  const token = await tokenOnInput();
  const said = await issuerIn(token);
  if (said !== undefined && said !== issuer)
    throw new UsageError(`the token on standard input is of ${onLine(said)}, and is exchanged at ${issuer} only`);
  const known = withCallerToken(reader, token, issuer);
  return ({ auth }) => (auth?.mode === "token_exchange" ? known : reader);
}

async function tokenOnInput(): Promise<string> {
  const { text } = await import("node:stream/consumers");
  const token = (await text(process.stdin)).trim().replace(/^bearer\s+/i, "");
  if (token === "") throw new UsageError("standard input holds no token: toolwright snapshot NAME --token < token");
  if (looksLikeKey(token))
    throw new UsageError("standard input holds an API key of toolwright, which is sent to no server: give a token");
  rememberToken(token);
  return token;
}

/** The issuer that a JWT names; undefined for any other token. */
async function issuerIn(token: string): Promise<string | undefined> {
  try {
    return (await import("jose")).decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** A failure for lack of the token of a caller says whose it is, and how another caller is named. */
function ofReader(
  { name, tokens }: UpstreamServer,
  error: UpstreamError,
  { principal, token }: SnapshotFlags,
): UpstreamError {
  const { code, message, remedy, lack } = error;
  const say = (what: string, how: string) => new UpstreamError(code, what, how, [], { lack });
  if (tokens === "own" && isSignInRequired(lack))
    return say(
      `${name} is not connected for ${principal ?? "the owner of the machine"}`,
      `${remedy} as ${principal ?? "the owner of the machine"}, or name a caller of "toolwright connections list": toolwright snapshot ${name} --principal ID`,
    );
  if (tokens === "exchanged" && lack && !token)
    return say(message, `give it an access token of a caller: toolwright snapshot ${name} --token < token`);
  return error;
}

const textOf = (path: string): Promise<string | undefined> => readFile(path, "utf8").catch(() => undefined);

/** Writes the snapshot of a server if it has changed. */
export async function writeSnapshot(
  { root, isSource }: Pick<SnapshotStart, "root" | "isSource">,
  name: string,
  found: Snapshot,
): Promise<SnapshotOutcome> {
  const file = snapshotFile(name);
  const path = join(root, file);
  const before = await textOf(path);
  const changed = before === undefined || !sameSnapshot(before, found);
  if (changed) {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomically(path, snapshotText(found));
  }
  return { kind: changed ? "written" : "unchanged", name, file, found, isRead: isSource(name) };
}

async function compare({ root, lock }: SnapshotStart, name: string, found: Snapshot): Promise<SnapshotOutcome> {
  const [drift, file] = [await serverDrift({ root, ...lock }, name, found), snapshotFile(name)];
  const isDifferent = drift.findings.length + drift.notes.length > 0;
  return isDifferent ? { kind: "differs", name, file, found, ...drift } : { kind: "matches", name, file, found };
}

function askFor({ err, progress }: SnapshotStart): (url: URL, server: string) => void {
  return (url, server) => {
    progress(undefined);
    err(`${server} asks for authorization. Open this address if no browser does:\n  ${url.href}\n`);
    openBrowser(url);
  };
}

function sayNext({ out, paint }: SnapshotStart, outcomes: readonly SnapshotOutcome[], chosen: number): void {
  if (chosen === 0) out("Every server is disabled; name one to read it all the same.\n");
  for (const one of outcomes)
    if ((one.kind === "written" || one.kind === "unchanged") && !one.isRead)
      out(`${paint("yellow", `no entry of \`sources\` reads ${one.file}`)}: add  - mcp: servers/*.json\n`);
  if (outcomes.some((one) => one.kind === "written")) out('Run "toolwright generate" to take the changes over.\n');
  const differing = outcomes.filter((one) => one.kind === "differs").map((one) => one.name);
  if (differing.length > 0) out(`Run "toolwright snapshot ${differing.join(" ")}" to take the changes over.\n`);
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Aborts the work at the first signal; a second one ends the process and all its children. */
function stopOnSignals(): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const stop = (): void => (controller.signal.aborted ? process.exit(1) : controller.abort());
  for (const signal of SIGNALS) process.on(signal, stop);
  return {
    signal: controller.signal,
    done: () => {
      for (const signal of SIGNALS) process.off(signal, stop);
    },
  };
}
