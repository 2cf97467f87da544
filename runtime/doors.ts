/** The doors of one process: opened together, ended together. */

import type { CallerOf } from "./access/callers.js";
import type { Principal } from "./contract/handler.js";
import type { Live } from "./live.js";
import { httpAddress } from "./mcp/address.js";
import type { Door } from "./mcp/door.js";
import { socketPath } from "./socket/socket-file.js";

/** Which doors are asked for; stdio where none is. */
export interface DoorFlags {
  readonly stdio?: boolean;
  /** `[HOST:]PORT`. */
  readonly http?: string;
  /** A path, or true for the default one. */
  readonly socket?: string | true;
  /** Whether `http` serves the console too; default: it does. */
  readonly console?: boolean;
}

/** What the doors lead to. */
export interface DoorOptions {
  readonly gateway: Live;
  /** Who calls without a key, asked at each request. */
  readonly principal: () => Principal;
  /** Who calls over stdio, where that is another: a key. */
  readonly stdioCaller?: CallerOf;
  readonly version: string;
  /** Tells a person where the doors are. */
  readonly err: (text: string) => void;
}

/**
 * Reads the flags and says how to open what they ask for, so that a wrong one is found before anything is loaded.
 *
 * @throws UsageError for an address that is none, or a path that is too long; opening throws it for one that cannot or must not be bound
 */
export function doorsOf(
  { stdio, http, socket, console: hasConsole = true }: DoorFlags,
  root: string,
): (options: DoorOptions) => Promise<readonly Door[]> {
  const address = http === undefined ? undefined : httpAddress(http);
  const path = socket === undefined ? undefined : socketPath(root, socket === true ? undefined : socket);
  return async ({ err, stdioCaller, ...options }) => {
    const doors: Door[] = [];
    try {
      if (path !== undefined) {
        const { openSocket } = await import("./socket/server.js");
        doors.push(await openSocket({ ...options, root, path }));
        err(`listening on ${path}\n`);
      }
      if (address) {
        const { openHttp } = await import("./mcp/http.js");
        const { door, url } = await openHttp({ ...options, address, hasConsole });
        doors.push(door);
        const page = hasConsole ? `console at ${new URL("/", url).href}\n` : "";
        err(`listening on ${url}\n${page}to connect a client: toolwright connect CLIENT --url ${url}\n`);
      }
    } catch (error) {
      // A door that stayed open would keep the process alive.
      await Promise.all(doors.map((door) => door.close()));
      throw error;
    }
    if (stdio || (path === undefined && !address)) {
      const { openStdio } = await import("./mcp/stdio.js");
      doors.push(openStdio({ ...options, principal: stdioCaller ?? options.principal }));
    }
    return doors;
  };
}

/** What is served until the end. */
export interface Serving {
  readonly gateway: Pick<Live, "log" | "close">;
  /** How long running calls may go on after the end; default 5 s. */
  readonly graceMs?: number;
}

const GRACE_MS = 5000;

/**
 * Opens the doors and serves until the only client of one has gone or SIGTERM or SIGINT arrives, then winds down; resolves when
 * everything is closed.
 *
 * Nothing new is accepted, running calls get 5 s, the rest is aborted, the state is closed. A second signal ends the process at once.
 */
export async function serveDoors(open: () => Promise<readonly Door[]>, serving: Serving): Promise<void> {
  const { gateway, graceMs = GRACE_MS } = serving;
  try {
    const doors = await open();
    gateway.log.info("ending", { reason: await stopped(doors) });
    const idle = await Promise.all(doors.map((door) => door.idle(graceMs)));
    if (idle.includes(false)) gateway.log.warn("calls aborted", { after_ms: graceMs });
    await Promise.all(doors.map((door) => door.close()));
  } finally {
    await gateway.close();
  }
}

/** Stops the doors at a signal, or at the end of one of them; says which. */
function stopped(doors: readonly Door[]): Promise<string> {
  return new Promise((resolve) => {
    const end = (reason: string): void => {
      // Without our listeners the next signal has its default effect, which is the end of the process.
      process.removeListener("SIGTERM", end);
      process.removeListener("SIGINT", end);
      for (const door of doors) door.stop();
      resolve(reason);
    };
    process.on("SIGTERM", end);
    process.on("SIGINT", end);
    for (const { ended } of doors) void ended?.then(end);
  });
}
