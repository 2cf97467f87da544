/**
 * The HTTP transport: MCP at `/mcp` in both protocol eras, without sessions, so that any instance can answer any
 * request.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { watchOf } from "../../access/admission.js";
import type { Principal } from "../../contract/handler.js";
import type { Cluster } from "../../gateway/gateway.js";
import type { OpenTransport } from "../../gateway/open-transport.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import type { SignInPart } from "../../gateway/sign-in-part.js";
import { keepMetrics } from "../../metrics/metrics.js";
import { withinStateMs } from "../../state/deadline.js";
import { inFull } from "../../state/failure.js";
import { SERVED_TOOLS, type ServedTools } from "../gateway-tools.js";
import { ABORT_MS } from "../transport.js";
import { allowedHosts, type HttpAddress, inUrl, isReachable, listeningAt, refuseUnsafe } from "./address.js";
import { type HttpAppOptions, httpApp } from "./app.js";
import { httpCallers } from "./callers.js";
import { openCertificate } from "./certificate.js";
import { listenAt } from "./listen.js";
import { createMcp } from "./mcp.js";
import { createOpenRequests } from "./requests.js";

/** Options of the HTTP transport. */
export interface HttpOptions extends ServedTools {
  readonly live: Live;
  /** The principal of requests without a key, read at each request. */
  readonly principal: () => Principal;
  readonly version: string;
  /** Folder of the project. */
  readonly root: string;
  readonly address: HttpAddress;
  /** Whether the console is served besides MCP. */
  readonly hasConsole: boolean;
  /** Sign-in, if a feature has it. */
  readonly signIn?: Pick<SignInPart, "loginRoutes"> | undefined;
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
  const { live, address, root } = options;
  const { log, settings, keys } = live.current();
  const http = () => live.current().settings.http;
  await refuseUnsafe(address, settings.http, keys);
  if (settings.http.metrics !== "off") keepMetrics();
  const requests = createOpenRequests(() => http().inFlight);
  const mcp = createMcp(options);
  const phase = { isDraining: false, isEnding: false };
  const own = appOptions(options, { requests, answer: mcp.answer, phase });
  const app = httpApp({ ...own, loginRoutes: (await options.signIn?.loginRoutes(own)) ?? [] });
  const { tls } = settings.http;
  const certificate = tls && (await openCertificate(tls, { root, log }));
  const bound = await listenAt(listeningAt(address), address.port, {
    ...settings.http,
    ...(certificate ? { certificate } : {}),
    // Balancers probe by HTTP/1.0 without a Host, which the adapter needs for the URL; the check of hosts reads the header.
    listener: getRequestListener(app.fetch, { overrideGlobalObjects: false, hostname: "localhost" }),
    onError: (error) => log.error("http", { error: error.message }),
  });
  const stopFollowing = live.onSwap(() => {
    bound.limit(http());
    if (http().metrics !== "off") keepMetrics();
  });
  const stop = (): void => {
    phase.isEnding = true;
    stopFollowing();
    bound.stop();
  };
  const drain = (): Promise<void> | undefined => {
    const { delayMs } = http().drain;
    if (delayMs === 0) return undefined;
    phase.isDraining = true;
    return sleep(delayMs);
  };
  const close = async (): Promise<void> => {
    certificate?.close();
    requests.abort();
    await requests.idle(ABORT_MS);
    await mcp.close();
    await bound.close(ABORT_MS);
  };
  return {
    transport: { drain, stop, idle: requests.idle, close },
    url: `${certificate ? "https" : "http"}://${inUrl(listeningAt(address)[0])}:${bound.port}/mcp`,
  };
}

/** What the routes of one server need beside its options. */
interface AppParts extends Pick<HttpAppOptions, "requests" | "answer"> {
  readonly phase: { readonly isDraining: boolean; readonly isEnding: boolean };
}

function appOptions(options: HttpOptions, { requests, answer, phase }: AppParts): Omit<HttpAppOptions, "loginRoutes"> {
  const { live, address, principal, gatewayTools = SERVED_TOOLS } = options;
  const { log } = live.current();
  const http = () => live.current().settings.http;
  const ownHosts = allowedHosts(address);
  return {
    hosts: () => [...ownHosts, ...http().allowedHosts],
    settings: http,
    principalOf: httpCallers({
      keys: () => live.current().keys,
      access: () => http().access,
      isReachable: () => isReachable(address, http()),
      publicUrl: () => http().publicUrl,
      signIn: () => http().signIn,
      log,
      local: principal,
    }),
    ...{ live, gatewayTools, requests, answer },
    login: loginOf(options),
    rates: () => live.current().rates,
    watch: (principal) => watchOf(live.current().keys, principal),
    bodyBytes: () => http().bodyBytes,
    isEnding: () => phase.isEnding,
    isReady: readiness(live, () => phase.isDraining),
    readiness: () => sharing(live.current().cluster),
    log,
  };
}

/** A login cookie needs TLS unless only this machine can connect. */
function loginOf({ hasConsole, address, live }: HttpOptions): HttpAppOptions["login"] {
  if (!hasConsole) return "off";
  return isReachable(address, live.current().settings.http) ? "secure" : "plain";
}

/** Length of a digest that is shown. */
const DIGEST_LENGTH = 12;

/** What `/readyz?verbose` says about the servers of the database; nothing by which one finds them. */
function sharing(cluster: Cluster | undefined): object {
  const own = cluster?.replicas.own();
  if (!cluster || !own) return {};
  const others = cluster.replicas.others();
  return {
    replicas: cluster.replicas.count(),
    messages: cluster.replicas.isPushed() ? "pushed" : "polled",
    configuration: others.every(({ digest }) => digest === own.digest) ? "same" : "different",
    digest: own.digest.slice(0, DIGEST_LENGTH),
    version: own.version,
  };
}

/** Whether the server takes requests and the state database can be read and written; that is checked once a second at most. */
function readiness(live: Live, isDraining: () => boolean): () => Promise<boolean> {
  const ping = () => live.within((gateway) => gateway.ping());
  let last = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve(false) };
  const ask = (): Promise<boolean> => {
    const answer = withinStateMs(PING_MS, ping).then(
      () => true,
      (error: unknown) => {
        live.current().log.warn("not ready", { error: inFull(error) });
        return false;
      },
    );
    return Promise.race([answer, sleep(PING_MS, false, { ref: false })]);
  };
  return async () => {
    if (isDraining()) return false;
    const now = Date.now();
    if (now - last.at >= BELIEVED_MS) last = { at: now, answer: ask() };
    return last.answer;
  };
}
