/**
 * The upstream servers of one project: calls of proxied tools, and server states. Connections are pooled by their
 * configuration, so that a reload keeps those of unchanged servers.
 */

import { callerToken } from "../access/caller-tokens.js";
import type { ProxyContext } from "../call/client-access.js";
import { silentLog } from "../config/log.js";
import { type Logger, ToolFailure } from "../contract/handler.js";
import { own } from "../contract/json.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { createResourcePool } from "../contract/resource-pool.js";
import type { ServerEntry } from "../contract/settings/entries.js";
import type { TokenSource } from "../contract/token-source.js";
import { within } from "../contract/within.js";
import type { ProxiedCall } from "./call.js";
import { type CallerSlots, createCallerSlots } from "./caller-slots.js";
import { type Connection, type ConnectionOptions, createConnection } from "./connection.js";
import { createDesk, type Desk } from "./elicitation.js";
import type { Lock } from "./lock.js";
import { expandServer, shownAddress, type Unusable, type UpstreamServer } from "./servers.js";
import type { SnapshotJobs } from "./snapshot-jobs.js";
import type { ConnectionStanding, ServerFault } from "./standing.js";
import { UpstreamError } from "./upstream-error.js";

/** Which server it is. */
export interface ServerIdentity {
  /** Its URL or its command, without secrets. */
  readonly address: string;
  readonly version: string | undefined;
}

/** The servers of one project. */
export interface Upstreams {
  /**
   * Calls a tool. Rejects with a ToolFailure: UNAVAILABLE, TIMEOUT, CONFLICT if the tool has changed, or its own error.
   *
   * @param args - with the server's own argument names
   */
  call(tool: Tool, args: JsonObject, ctx: ProxyContext): Promise<unknown>;
  /** Whether the server of a write is configured to take its idempotency key. */
  takesKey(tool: Tool): boolean;
  /** States of the enabled servers, by name. */
  states(): ReadonlyMap<string, ConnectionStanding>;
  /** The last failure of each server that had one, also where it is connected again. */
  faults(): ReadonlyMap<string, ServerFault>;
  /** Addresses without secrets and versions of the enabled servers, by name; a version is known while it is connected. */
  identities(): ReadonlyMap<string, ServerIdentity>;
  /** Connects a server again. @throws UpstreamError if it cannot be connected; false if there is no such server */
  restart(name: string): Promise<boolean>;
  /** Tools refused by the lock, by server. */
  refused(): ReturnType<Lock["refused"]>;
  /** Begins the jobs that read servers on a schedule (`snapshot.every`). */
  readonly snapshotJobs: SnapshotJobs;
  /** Sets the log for connection events. */
  logTo(log: Logger): void;
  /** Sets where tokens of connections come from. */
  takeTokens(tokens: TokenSource): void;
  /** Connects eager servers (`lazy: false`) in the background. */
  warm(): void;
  /** Connects the servers that are new in the pool; never rejects, and waits at most `ms`. */
  connectNew(ms: number): Promise<void>;
  /**
   * Releases the connections. Those that no other project of the pool uses are closed together with their processes.
   */
  close(): Promise<void>;
}

/** What the servers of a project are made of. */
export interface UpstreamsOptions {
  /** `servers` as configured. */
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** Value of a variable: from the environment, then from the secrets. */
  readonly secret: (name: string) => string | undefined;
  /** Without a lock, changed tools are not detected. */
  readonly lock?: Lock;
  readonly pool: ConnectionPool;
  /** Default: servers are not read on a schedule. */
  readonly snapshotJobs?: SnapshotJobs;
}

/** A pool of connections, keyed by their configuration. */
export interface ConnectionPool {
  take(server: UpstreamServer, isEager: boolean): Pooled;
  /** Sets the log for connection events; nothing is logged before. */
  logTo(log: Logger): void;
  /** Sets where tokens of connections come from; servers that need one cannot be connected before. */
  takeTokens(tokens: TokenSource): void;
  tokens(): TokenSource | undefined;
}

/** A pooled connection, and the calls on it. */
export interface Pooled {
  readonly connection: Connection;
  readonly desk: Desk;
  /** Whether it was added to the pool by this request. */
  readonly isNew: boolean;
  release(): Promise<void>;
}

/** Creates an empty pool. */
export function createConnectionPool(given: Omit<ConnectionOptions, "log" | "tokens">): ConnectionPool {
  let log = silentLog;
  let tokens: TokenSource | undefined;
  const options: ConnectionOptions = { ...given, log: () => log, tokens: () => tokens };
  const shared = createResourcePool();
  return {
    take: (server, isEager) => {
      const { take, release } = shared.hold();
      let isNew = false;
      const used = take(keyOf(server, isEager), () => {
        isNew = true;
        const connection = createConnection(server, isEager, options);
        return { value: { connection, desk: createDesk() }, close: () => connection.close() };
      });
      return { ...used, isNew, release };
    },
    logTo: (to) => {
      log = to;
    },
    takeTokens: (from) => {
      tokens = from;
    },
    tokens: () => tokens,
  };
}

/** The pool key. It includes expanded secrets, so that a changed value opens another connection. */
const keyOf = ({ name, endpoint, timeoutMs, tokens, caller }: UpstreamServer, isEager: boolean): string =>
  JSON.stringify([
    name,
    endpoint.kind === "http" ? { ...endpoint, url: endpoint.url.href } : endpoint,
    timeoutMs,
    isEager,
    tokens,
    caller?.key,
  ]);

/** The failure for a server that cannot be used as configured. */
const unusable = (name: string, { reason, remedy }: Unusable, { op }: Tool): ToolFailure =>
  new ToolFailure("UNAVAILABLE", `The server ${name} of ${op} cannot be used: ${reason}. To do: ${remedy}.`, {
    server: name,
  });

/** One enabled server: its connection, or why it could not be opened. */
type Slot = Pooled | Unusable;

const isOpen = (slot: Slot): slot is Pooled => "connection" in slot;

/** Whether all callers share the connection. */
const isCommon = ({ connection }: Pooled): boolean => ["common", undefined].includes(connection.server.tokens);

const noJobs: SnapshotJobs = () => () => undefined;

/** The connections that a project has taken from the pool. */
function createSlots({ servers, secret, pool }: Pick<UpstreamsOptions, "servers" | "secret" | "pool">) {
  const slots = new Map<string, Slot>();
  const ofCallers = createCallerSlots((server) => pool.take(server, false));
  let isEnded = false;
  const slotOf = (name: string): Slot | undefined => {
    const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (!entry || entry.enabled === false || isEnded) return undefined;
    const known = slots.get(name);
    // A variable may have been set since.
    if (known && isOpen(known)) return known;
    const server = expandServer(name, entry, secret);
    const slot = "reason" in server ? server : pool.take(server, entry.lazy === false);
    slots.set(name, slot);
    return slot;
  };
  const all = (): readonly (readonly [string, Slot])[] =>
    Object.keys(servers).flatMap((name) => {
      const slot = slotOf(name);
      return slot ? [[name, slot] as const] : [];
    });
  const end = async (): Promise<void> => {
    isEnded = true;
    await ofCallers.close();
    await Promise.all([...slots.values()].map((slot) => (isOpen(slot) ? slot.release() : undefined)));
  };
  return { slotOf, all, ofCallers, end };
}

/** Creates the servers of a project. Nothing is started. */
export function createUpstreams({ servers, secret, lock, pool, snapshotJobs = noJobs }: UpstreamsOptions): Upstreams {
  const { slotOf, all, ofCallers, end } = createSlots({ servers, secret, pool });
  let isClosed = false;
  const nameOf = (tool: Tool): string => serverNameOf(tool, (one) => Object.hasOwn(servers, one));
  // Connections of the previous project are taken over before it releases them.
  const pooled = all().flatMap(([, slot]) => (isOpen(slot) ? [slot] : []));
  return {
    call: async (tool, args, ctx) => {
      const name = nameOf(tool);
      const slot = slotOf(name);
      if (!slot) throw absent(name, tool, servers, isClosed);
      if (!isOpen(slot)) throw unusable(name, slot, tool);
      return called({ slot, ofCallers }, { lock, tool, args: withKey(servers[name], tool, args, ctx), ctx });
    },
    takesKey: (tool) => keyArgument(servers[nameOf(tool)], tool) !== undefined,
    states: () =>
      new Map(all().map(([name, slot]) => [name, isOpen(slot) ? slot.connection.standing() : cannotBe(slot)])),
    faults: () =>
      new Map(
        all().flatMap(([name, slot]) => {
          const fault = isOpen(slot) ? slot.connection.fault() : undefined;
          return fault ? [[name, fault] as const] : [];
        }),
      ),
    identities: () => new Map(all().map(([name, slot]) => [name, identityOf(servers[name], slot)])),
    restart: (name) => restarted(slotOf(name)),
    refused: () => lock?.refused() ?? new Map(),
    snapshotJobs,
    logTo: pool.logTo,
    takeTokens: pool.takeTokens,
    warm: () => {
      for (const [name, slot] of all())
        if (isOpen(slot) && servers[name]?.lazy === false && isCommon(slot)) void open(slot).catch(() => undefined);
    },
    connectNew: async (ms) => {
      const added = pooled.filter((one) => one.isNew && isCommon(one));
      await within(ms, Promise.all(added.map((one) => open(one).catch(() => undefined))));
    },
    close: async () => {
      isClosed = true;
      await end();
    },
  };
}

/** Calls a tool, with the connection of the caller where callers have their own. */
async function called(
  { slot, ofCallers }: { readonly slot: Pooled; readonly ofCallers: CallerSlots<Pooled> },
  call: Pick<ProxiedCall, "lock" | "tool" | "args" | "ctx">,
): Promise<unknown> {
  const { callUpstream } = await import("./call.js");
  const { server } = slot.connection;
  const { tokens, principal, signal } = call.ctx;
  // A caller who is not signed in at the server is asked to sign in before anything is sent.
  if (server.tokens && tokens) await tokens.token({ name: server.name, principal, signal: signal as AbortSignal });
  if (isCommon(slot)) return callUpstream({ ...slot, ...call });
  // A session is opened with one token, so that a caller with two tokens has two: none gets the rights of the other.
  const token = server.tokens === "exchanged" ? callerToken(principal)?.digest : undefined;
  const caller = { principal, key: JSON.stringify([principal.id, token]) };
  return ofCallers.use({ ...server, caller }, (own) => callUpstream({ ...own, ...call }));
}

/** The argument in which a tool takes the idempotency key of a write, if its server is configured to. */
function keyArgument(entry: ServerEntry | undefined, { kind, parameters }: Tool): string | undefined {
  const argument = entry?.idempotency?.argument;
  return kind === "write" ? parameters.find(({ original }) => original === argument)?.original : undefined;
}

/** The arguments with the idempotency key of the call, unless the caller gives one. */
function withKey(entry: ServerEntry | undefined, tool: Tool, args: JsonObject, ctx: ProxyContext): JsonObject {
  const name = keyArgument(entry, tool);
  const { idempotencyKey } = ctx;
  if (name === undefined || idempotencyKey === undefined || own(args, name) !== undefined) return args;
  return { ...args, [name]: idempotencyKey };
}

function identityOf(entry: ServerEntry = {}, slot: Slot): ServerIdentity {
  return { address: shownAddress(entry), version: isOpen(slot) ? slot.connection.version() : undefined };
}

async function restarted(slot: Slot | undefined): Promise<boolean> {
  if (!slot) return false;
  if (!isOpen(slot)) throw new UpstreamError("UNAVAILABLE", slot.reason, slot.remedy);
  await slot.connection.restart();
  return true;
}

const open = ({ connection }: Pooled): Promise<void> => connection.use(undefined, async () => undefined);

const cannotBe = ({ reason, remedy }: Unusable): ConnectionStanding => ({
  state: "disconnected",
  error: new UpstreamError("UNAVAILABLE", reason, remedy),
});

/**
 * The name of a tool's server: its snapshot file is named after it; the pack may have another name.
 *
 * @param isServer - whether a server of a name is configured
 */
export function serverNameOf({ source, group }: Tool, isServer: (name: string) => boolean): string {
  const file = /([^/]*)\.json$/.exec(source.file)?.[1];
  const names = [file, source.server, group].filter((one): one is string => one !== undefined);
  return names.find(isServer) ?? source.server ?? group;
}

function absent(name: string, tool: Tool, servers: UpstreamsOptions["servers"], isClosed: boolean): ToolFailure {
  if (isClosed) return unusable(name, { reason: "toolwright is ending", remedy: "call again" }, tool);
  const isOff = Object.hasOwn(servers, name);
  return unusable(
    name,
    isOff
      ? { reason: "it is switched off", remedy: `set servers.${name}.enabled to true in toolwright.yaml` }
      : { reason: "toolwright.yaml does not configure it", remedy: `add it under servers.${name} in toolwright.yaml` },
    tool,
  );
}
