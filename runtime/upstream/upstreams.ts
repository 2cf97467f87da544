/**
 * The upstream servers of one project: calls of its proxied tools, and how the servers stand. Connections are kept in a pool by
 * what they are opened with, so that a reload takes over those of servers that did not change.
 */

import { type Logger, ToolFailure } from "../contract/handler.js";
import type { JsonObject, Tool } from "../contract/registry.js";
import { openServer, type Server, type ServerEntry, type Unusable } from "../mcp/servers.js";
import { UpstreamError } from "../mcp/upstream-error.js";
import { silentLog } from "../observe/log.js";
import { createShared } from "../shared.js";
import { type Connection, type ConnectionOptions, createConnection, type Standing } from "./connection.js";
import type { ProxyContext } from "./context.js";
import type { Lock } from "./lock.js";
import { createDesk, type Desk } from "./questions.js";

/** The servers of one project. */
export interface Upstreams {
  /**
   * Calls a tool. Rejects with a ToolFailure: UNAVAILABLE, TIMEOUT, CONFLICT where the tool is not what it was, or its own error.
   *
   * @param args by the names that the server knows them by
   */
  call(tool: Tool, args: JsonObject, ctx: ProxyContext): Promise<unknown>;
  /** How the enabled servers stand, by name. */
  states(): ReadonlyMap<string, Standing>;
  /** Tools that the lock forbids, by server. */
  refused(): ReturnType<Lock["refused"]>;
  /** Where is said what happens to connections. */
  logTo(log: Logger): void;
  /** Connects, in the background, those that are to be there from the start (`lazy: false`). */
  warm(): void;
  /** Connects what this project has and no other of the pool had before it; never rejects, and takes no longer than `ms`. */
  connectNew(ms: number): Promise<void>;
  /** Lets go of the connections; those that no other project of the pool uses are closed, and no process of theirs is left. */
  close(): Promise<void>;
}

/** What the servers of a project are made of. */
export interface UpstreamsOptions {
  /** `servers` as configured. */
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** Value of a variable: from the environment, then the secrets. */
  readonly secret: (name: string) => string | undefined;
  /** Without one, tools that changed are not noticed. */
  readonly lock?: Lock;
  readonly pool: Pool;
}

/** Connections by what they are opened with. */
export interface Pool {
  take(server: Server, isEager: boolean): Pooled;
  /** Where it says from now on what happens to connections; before that it says nothing. */
  logTo(log: Logger): void;
}

/** A connection, and who uses it. */
export interface Pooled {
  readonly connection: Connection;
  readonly desk: Desk;
  /** Whether nobody had it before. */
  readonly isNew: boolean;
  release(): Promise<void>;
}

/** Makes an empty pool. */
export function createPool(given: Omit<ConnectionOptions, "log">): Pool {
  let log = silentLog;
  const options: ConnectionOptions = { ...given, log: () => log };
  const shared = createShared();
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
  };
}

/** Secrets are part of it, expanded: another value makes another connection. */
const keyOf = ({ name, door, timeoutMs }: Server, isEager: boolean): string =>
  JSON.stringify([name, door.kind === "http" ? { ...door, url: door.url.href } : door, timeoutMs, isEager]);

/** A server that cannot be used as it is configured. */
const unusable = (name: string, { reason, remedy }: Unusable, { op }: Tool): ToolFailure =>
  new ToolFailure("UNAVAILABLE", `The server ${name} of ${op} cannot be used: ${reason}. To do: ${remedy}.`, {
    server: name,
  });

/** One enabled server: its connection, or why there can be none. */
type Slot = Pooled | Unusable;

const isOpen = (slot: Slot): slot is Pooled => "connection" in slot;

/** Makes the servers of a project. Nothing is started. */
export function createUpstreams({ servers, secret, lock, pool }: UpstreamsOptions): Upstreams {
  const slots = new Map<string, Slot>();
  let isClosed = false;
  const slotOf = (name: string): Slot | undefined => {
    const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (!entry || entry.enabled === false || isClosed) return undefined;
    const known = slots.get(name);
    // A variable may have been set since.
    if (known && isOpen(known)) return known;
    const server = openServer(name, entry, secret);
    const slot = "reason" in server ? server : pool.take(server, entry.lazy === false);
    slots.set(name, slot);
    return slot;
  };
  const all = (): readonly (readonly [string, Slot])[] =>
    Object.keys(servers).flatMap((name) => {
      const slot = slotOf(name);
      return slot ? [[name, slot] as const] : [];
    });
  // What an earlier project of the pool holds is taken over while it is still held.
  const pooled = all().flatMap(([, slot]) => (isOpen(slot) ? [slot] : []));
  return {
    call: async (tool, args, ctx) => {
      const { callTool } = await import("./call.js");
      const name = serverOf(tool, servers);
      const slot = slotOf(name);
      if (!slot) throw absent(name, tool, servers, isClosed);
      if (!isOpen(slot)) throw unusable(name, slot, tool);
      return callTool({ ...slot, lock, tool, args, ctx });
    },
    states: () =>
      new Map(all().map(([name, slot]) => [name, isOpen(slot) ? slot.connection.standing() : cannotBe(slot)])),
    refused: () => lock?.refused() ?? new Map(),
    logTo: pool.logTo,
    warm: () => {
      for (const [name, slot] of all())
        if (isOpen(slot) && servers[name]?.lazy === false) void open(slot).catch(() => undefined);
    },
    connectNew: (ms) =>
      within(ms, Promise.all(pooled.filter(({ isNew }) => isNew).map((one) => open(one).catch(() => undefined)))),
    close: async () => {
      isClosed = true;
      await Promise.all([...slots.values()].map((slot) => (isOpen(slot) ? slot.release() : undefined)));
    },
  };
}

/** Waits for work, and no longer than `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

const open = ({ connection }: Pooled): Promise<void> => connection.use(undefined, async () => undefined);

const cannotBe = ({ reason, remedy }: Unusable): Standing => ({
  state: "disconnected",
  error: new UpstreamError("UNAVAILABLE", reason, remedy),
});

/** The name of the server is that of its snapshot's file; the pack may have another one. */
function serverOf({ source, group }: Tool, servers: UpstreamsOptions["servers"]): string {
  const file = /([^/]*)\.json$/.exec(source.file)?.[1];
  const names = [file, source.server, group].filter((one): one is string => one !== undefined);
  return names.find((one) => Object.hasOwn(servers, one)) ?? source.server ?? group;
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
