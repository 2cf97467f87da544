/** The command `client`: an MCP server on stdio, of a project and of the server on a socket. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { takeOwnKey } from "../access/callers.js";
import type { Principal } from "../contract/handler.js";
import { serveDoors } from "../doors.js";
import type { Live } from "../live.js";
import type { Door } from "../mcp/door.js";
import type { Start } from "../start.js";
import { UsageError } from "../usage-error.js";
import type { FarOptions } from "./far.js";
import { socketPath } from "./socket-file.js";

/** Flags of the command. */
export interface ClientFlags {
  readonly socket: string;
  readonly logLevel?: string;
}

/** What the command is given. */
export interface ClientStart {
  readonly root: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads the configuration of the project at the root; asked for only where there is one. */
  readonly project: () => Promise<Start>;
}

/** Opens a project, and says who calls it. */
type OpenProject = (project: Start) => Promise<{ readonly gateway: Live; readonly principal: () => Principal }>;

/** What the environment says, taken out of it where children must not inherit it. */
type Given = Pick<FarOptions, "key" | "view" | "waitMs">;

const WAIT_MS = 1_500;
const LONGEST_WAIT_MS = 60_000;

/**
 * Reads the variables of the client; the key is deleted, so that no child process inherits it.
 *
 * @throws UsageError for values that cannot be meant
 */
export function takeSettings(env: NodeJS.ProcessEnv): Given {
  const key = takeOwnKey(env);
  const { OUBLIETTE_EXPOSE: expose = "all", OUBLIETTE_DISCOVERY_WAIT_MS: wait = String(WAIT_MS) } = env;
  if (expose !== "all" && expose !== "gateway")
    throw new UsageError("OUBLIETTE_EXPOSE is neither all nor gateway: set one of them, or leave it out");
  const waitMs = Number(wait);
  if (!/^\d{1,5}$/.test(wait) || waitMs > LONGEST_WAIT_MS)
    throw new UsageError(`OUBLIETTE_DISCOVERY_WAIT_MS is no number from 0 to ${LONGEST_WAIT_MS}: correct it`);
  return { key, view: expose === "all" ? "ops" : "gateway", waitMs };
}

/** Serves over stdio until the client goes away. Exit code 0. */
export async function serveClient(start: ClientStart, flags: ClientFlags, open: OpenProject): Promise<number> {
  const { root, version, env } = start;
  const { socket, logLevel = "info" } = flags;
  const settings = takeSettings(env);
  const path = socketPath(root, socket);
  const [{ openLog }, { openFar }] = await Promise.all([import("../observe/log.js"), import("./far.js")]);
  const log = await openLog({ level: logLevel }, root);
  // The connection is under way while the project is read.
  const further = openFar({ path, ...settings, log });
  try {
    const project = hasProject(root) ? await open(await start.project()) : undefined;
    const { openFurtherStdio, openStdio } = await import("../mcp/stdio.js");
    const door = (): Door =>
      project ? openStdio({ ...project, version, further }) : openFurtherStdio({ further, version, log });
    await serveDoors(async () => [door()], { gateway: project?.gateway ?? { log, close: async () => {} } });
  } finally {
    further.close();
  }
  return 0;
}

const hasProject = (root: string): boolean => existsSync(join(root, "generated", "registry.json"));
