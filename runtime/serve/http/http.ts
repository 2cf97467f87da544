/**
 * The HTTP transport: MCP at `/mcp` in both protocol eras, without sessions, so that any instance can answer any
 * request.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import type { Principal } from "../../contract/handler.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import { withinMs } from "../../state/deadline.js";
import { inFull } from "../../state/failure.js";
import { SERVED_TOOLS, type ServedTools } from "../gateway-tools.js";
import { ABORT_MS, type OpenTransport } from "../transport.js";
import { allowedHosts, type HttpAddress, inUrl, isLoopback, listeningAt, refuseUnsafe } from "./address.js";
import { type HttpAppOptions, httpApp } from "./app.js";
import { httpCallers } from "./callers.js";
import { listenAt } from "./listen.js";
import { createMcp } from "./mcp.js";
import { createOpenRequests } from "./requests.js";

/** Options of the HTTP transport. */
export interface HttpOptions extends ServedTools {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  /** The principal of requests without a key, read at each request. */
  readonly principal: () => Principal;
  readonly version: string;
  readonly address: HttpAddress;
  /** Whether the console is served besides MCP. */
  readonly hasConsole: boolean;
}

/** An open HTTP transport and the URL of its endpoint. */
export interface HttpTransport {
  readonly transport: OpenTransport;
  readonly url: string;
}

/** How long `/readyz` waits for the state database, and how long its answer is cached. */
const PING_MS = 2000;
const BELIEVED_MS = 1000;

/**
 * Binds the address and serves.
 *
 * @throws UsageError for an address that cannot or must not be bound
 */
export async function openHttp(options: HttpOptions): Promise<HttpTransport> {
  const { gateway, address, principal, gatewayTools = SERVED_TOOLS } = options;
  const { log, settings } = gateway;
  await refuseUnsafe(address, settings.http.access, gateway.keys);
  const requests = createOpenRequests(() => gateway.settings.http.inFlight);
  const mcp = createMcp(options);
  let isEnding = false;
  const app = httpApp({
    hosts: allowedHosts(address),
    principalOf: httpCallers({
      keys: () => gateway.keys,
      access: () => gateway.settings.http.access,
      isLoopback: isLoopback(address),
      local: principal,
    }),
    ...{ gateway, gatewayTools },
    login: loginOf(options),
    rates: () => gateway.rates,
    watch: ({ kind, id }) => (kind === "key" ? gateway.keys.watch(id) : undefined),
    requests,
    answer: mcp.answer,
    bodyBytes: () => gateway.settings.http.bodyBytes,
    isEnding: () => isEnding,
    isReady: readiness(gateway),
    log,
  });
  const bound = await listenAt(listeningAt(address), address.port, {
    ...settings.http,
    listener: getRequestListener(app.fetch, { overrideGlobalObjects: false }),
    onError: (error) => log.error("http", { error: error.message }),
  });
  const stopFollowing = gateway.onSwap?.(() => bound.limit(gateway.settings.http));
  const stop = (): void => {
    isEnding = true;
    stopFollowing?.();
    bound.stop();
  };
  const close = async (): Promise<void> => {
    requests.abort();
    await requests.idle(ABORT_MS);
    await mcp.close();
    await bound.close(ABORT_MS);
  };
  return {
    transport: { stop, idle: requests.idle, close },
    url: `http://${inUrl(listeningAt(address)[0])}:${bound.port}/mcp`,
  };
}

/** A login cookie needs TLS unless only this machine can connect. */
function loginOf({ hasConsole, address }: Pick<HttpOptions, "hasConsole" | "address">): HttpAppOptions["login"] {
  if (!hasConsole) return "off";
  return isLoopback(address) ? "plain" : "secure";
}

/** Whether the state database can be read and written; checked once a second at most. */
function readiness({ ping, log }: Pick<Gateway, "ping" | "log">): () => Promise<boolean> {
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve(false) };
  const ask = (): Promise<boolean> => {
    const answer = withinMs(PING_MS, ping).then(
      () => true,
      (error: unknown) => {
        log.warn("not ready", { error: inFull(error) });
        return false;
      },
    );
    return Promise.race([answer, sleep(PING_MS, false, { ref: false })]);
  };
  return () => {
    const now = Date.now();
    if (now - last.at >= BELIEVED_MS) last = { at: now, answer: ask() };
    return last.answer;
  };
}
