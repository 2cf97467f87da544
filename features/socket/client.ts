/** The command `client`: serves MCP over stdio with the tools of a project and of the server on a socket. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { takeOwnKey } from "../../runtime/access/callers.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import type { OpenTransport } from "../../runtime/gateway/open-transport.js";
import { closingOf, serveTransports } from "../../runtime/serve/transports.js";
import type { RemoteClientOptions } from "./remote-client.js";
import { socketPath } from "./socket-file.js";

/** Flags of the command. */
export interface ClientFlags {
  readonly socket: string;
  readonly logLevel?: string;
}

/** Input of the command. */
export interface ClientStart {
  readonly root: string;
  readonly version: string;
  readonly env: NodeJS.ProcessEnv;
  /** Reads the configuration of the project at the root; called only if there is one. */
  readonly project: () => Promise<Start>;
}

/** Settings from the environment; the key is removed from it so that child processes do not inherit it. */
type Given = Pick<RemoteClientOptions, "key" | "view" | "waitMs">;

const WAIT_MS = 1_500;
const MAX_WAIT_MS = 60_000;

/**
 * Reads the environment variables of the client; deletes the key so that no child process inherits it.
 *
 * @throws UsageError for invalid values
 */
export function takeSettings(env: NodeJS.ProcessEnv): Given {
  const key = takeOwnKey(env);
  const { OUBLIETTE_EXPOSE: expose = "all", OUBLIETTE_DISCOVERY_WAIT_MS: wait = String(WAIT_MS) } = env;
  if (expose !== "all" && expose !== "gateway")
    throw new UsageError("OUBLIETTE_EXPOSE is neither all nor gateway: set one of them, or leave it out");
  const waitMs = Number(wait);
  if (!/^\d{1,5}$/.test(wait) || waitMs > MAX_WAIT_MS)
    throw new UsageError(`OUBLIETTE_DISCOVERY_WAIT_MS is no number from 0 to ${MAX_WAIT_MS}: correct it`);
  return { key, view: expose === "all" ? "ops" : "gateway", waitMs };
}

/** Opens a project, with the local caller. */
async function openLocally(project: Start) {
  const [{ startGateway }, { localPrincipal }] = await Promise.all([
    import("../../runtime/gateway/start-gateway.js"),
    import("../../runtime/gateway/gateway.js"),
  ]);
  const live = await startGateway(project, "server");
  return { live, principal: () => localPrincipal(live.current().settings) };
}

/** Serves over stdio until the client disconnects. Exit code 0. */
export async function serveClient(start: ClientStart, flags: ClientFlags): Promise<number> {
  const { root, version, env } = start;
  const { socket, logLevel = "info" } = flags;
  const settings = takeSettings(env);
  const path = socketPath(root, socket);
  const [{ openLog }, { openRemoteClient }] = await Promise.all([
    import("../../runtime/config/log.js"),
    import("./remote-client.js"),
  ]);
  const log = await openLog({ level: logLevel }, root);
  // Connects while the project is read.
  const remoteTools = openRemoteClient({ path, ...settings, log });
  try {
    const project = hasProject(root) ? await openLocally(await start.project()) : undefined;
    const { openRemoteStdio, openStdio } = await import("../../runtime/serve/stdio/stdio.js");
    const transport = (): OpenTransport =>
      project ? openStdio({ ...project, version, remoteTools }) : openRemoteStdio({ remoteTools, version, log });
    const serving = project ? closingOf(project.live) : { log: () => log, close: async () => {} };
    await serveTransports(async () => [transport()], serving);
  } finally {
    remoteTools.close();
  }
  return 0;
}

const hasProject = (root: string): boolean => existsSync(join(root, "generated", "registry.json"));
