/**
 * The HTTP transport: MCP at `/mcp`, without sessions, so that any instance can answer any request, in both protocol eras.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { httpCallers } from "../access/http-callers.js";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import type { Live } from "../live.js";
import { withinMs } from "../state/deadline.js";
import { allowedHosts, type HttpAddress, inUrl, isLoopback, listeningAt, refuseUnsafe } from "./address.js";
import { ABORT_MS, type Door } from "./door.js";
import { type HttpAppOptions, httpApp } from "./http-app.js";
import { createMcp } from "./http-mcp.js";
import { createOpenRequests } from "./http-requests.js";
import { listenAt } from "./listen.js";

/** What the HTTP door is opened with. */
export interface HttpOptions {
  readonly gateway: Gateway & Partial<Pick<Live, "onSwap">>;
  /** Who calls without a key, asked at each request. */
  readonly principal: () => Principal;
  readonly version: string;
  readonly address: HttpAddress;
  /** Whether the console is served beside MCP. */
  readonly hasConsole: boolean;
}

/** An open HTTP door, and the address of its endpoint. */
export interface HttpDoor {
  readonly door: Door;
  readonly url: string;
}

/** How long the state database may take to answer `/readyz`, and how long its answer is believed. */
const PING_MS = 2000;
const BELIEVED_MS = 1000;

/**
 * Binds the address and serves.
 *
 * @throws UsageError for an address that cannot be bound, or must not be
 */
export async function openHttp(options: HttpOptions): Promise<HttpDoor> {
  const { gateway, address, principal } = options;
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
    gateway,
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
    door: { stop, idle: requests.idle, close },
    url: `http://${inUrl(listeningAt(address)[0])}:${bound.port}/mcp`,
  };
}

/** A cookie of a login needs TLS where others could listen. */
function loginOf({ hasConsole, address }: Pick<HttpOptions, "hasConsole" | "address">): HttpAppOptions["login"] {
  if (!hasConsole) return "off";
  return isLoopback(address) ? "plain" : "secure";
}

/** Whether the state database answers and stores what it is given; asked once a second at most. */
function readiness({ ping, log }: Pick<Gateway, "ping" | "log">): () => Promise<boolean> {
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve(false) };
  const ask = (): Promise<boolean> => {
    const answer = withinMs(PING_MS, ping).then(
      () => true,
      (error: unknown) => {
        log.warn("not ready", { error: String(error) });
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
