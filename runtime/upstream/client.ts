/**
 * Opens a client to one configured upstream server: transport, environment, headers, authorization, time limits, and
 * the cleanup of everything that was started. Used by `snapshot` and by calls of proxied tools.
 */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AuthProvider, Client, ClientCapabilities, Transport } from "@modelcontextprotocol/client";
import { guardBy } from "../contract/guard.js";
import { codeOf } from "../contract/thrown.js";
import type { TokenSource } from "../contract/token-source.js";
import type { TraceContext } from "../contract/trace-context.js";
import { recordRequested } from "../metrics/operations.js";
import { BROKEN_OFF } from "./answer-bound.js";
import type { Authorization, Provider } from "./authorization.js";
import { connectionTokens, reportingFetch } from "./connection-tokens.js";
import type { Deviation } from "./deviations.js";
import { createExactAnswers } from "./exact-answers.js";
import { boundedFetch } from "./fetch.js";
import { takeOwnIds } from "./own-ids.js";
import { type ProcessTransport, processTransport } from "./process.js";
import { AS_SENT, inFormOf, LATEST } from "./result-forms.js";
import type { Endpoint, UpstreamServer } from "./servers.js";
import { connectionError, deniedError, refusalDetails, UpstreamError } from "./upstream-error.js";

/** How a server is opened, and the limits of its connection. */
export interface UpstreamOptions {
  /** The working directory of a stdio server. */
  readonly root: string;
  /** The version of toolwright that the server sees. */
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Longest message, or answer over HTTP, in bytes; default: `answer_bytes` of the server. */
  readonly messageBytes?: number;
  /** Where tokens of connections come from. */
  readonly tokens?: () => TokenSource | undefined;
  /** How the user grants authorization if the server requires OAuth; absent without a user. */
  readonly authorization?: Authorization;
  /** Time limit of each step of ending a child process. */
  readonly graceMs?: number;
  /** Which questions the server may ask, and how they are answered; absent: none. */
  readonly questions?: Questions;
  /** Called once if a lasting connection ends by itself, but not when it is closed. */
  readonly onLost?: (why: UpstreamError) => void;
  /** Called for each answer that breaks the protocol and is read. */
  readonly deviates?: (what: Deviation) => void;
}

/** The questions that a server may ask its client, and their answers. */
export interface Questions {
  readonly capabilities: ClientCapabilities;
  answer(method: string, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

/** Options of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the server's `timeout`. */
  readonly timeoutMs?: number;
  readonly onProgress?: (done: number, total: number | undefined, message: string | undefined) => void;
  /** Capabilities of the client that the request is made for; in the newer protocol each request declares them. */
  readonly capabilities?: ClientCapabilities;
  /** The span that makes the request, for `_meta`. */
  readonly trace?: TraceContext | undefined;
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** An open connection. */
export interface Upstream {
  readonly client: Client;
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly protocolVersion: string;
  /** How many times the server has reported a change of its tool list. */
  listChanges(): number;
  /**
   * Sends a request and returns the result unchanged and unchecked. In the newer protocol it may be questions instead
   * (`resultType: "input_required"`).
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the server has assigned a session, which it may forget. */
  hasSession(): boolean;
  /** When its process last wrote anything, by `performance.now()`; `undefined` for a server without a process. */
  heardAt(): number | undefined;
  /** Converts an error of this connection to one with a remedy. */
  explain(error: unknown, signal?: AbortSignal): UpstreamError;
  /** Closes the connection and ends every process that was started for it. */
  close(): Promise<void>;
}

const DEFAULT_GRACE_MS = 1_000;
/** How long to wait while the server ends a session. */
const FAREWELL_MS = 1_000;
/** Errors with which a server that supports only the newer protocol answers `initialize`. */
const NOT_THE_OLDER = new Set([-32022, -32020, -32601, -32600]);

/**
 * Connects to a server. The older protocol is tried first, since every current server supports it; a server that
 * refuses it is tried again with the newer one, and one that requires authorization is tried again once that is
 * granted.
 *
 * @throws UpstreamError; nothing that was started is left running
 */
export async function connectUpstream(server: UpstreamServer, options: UpstreamOptions): Promise<Upstream> {
  let mode: Era = "legacy";
  for (let again = 0; ; again++) {
    try {
      return await attempt(server, options, mode);
    } catch (error) {
      if (!(error instanceof Again) || again >= MAX_ATTEMPTS) throw error instanceof Again ? error.instead : error;
      mode = error.mode;
    }
  }
}

/** Retries after the first attempt: with the newer protocol, and after authorization. */
const MAX_ATTEMPTS = 2;

type Era = "legacy" | { readonly pin: string };

/** Requests another attempt. */
class Again extends Error {
  readonly mode: Era;
  /** The error if no attempt is left. */
  readonly instead: UpstreamError;

  constructor(mode: Era, instead: UpstreamError) {
    super();
    this.mode = mode;
    this.instead = instead;
  }
}

async function attempt(server: UpstreamServer, options: UpstreamOptions, mode: Era): Promise<Upstream> {
  const { Client, specTypeSchemas: schemas } = await import("@modelcontextprotocol/client");
  const { questions, deviates = () => undefined } = options;
  const client = new Client(
    { name: "toolwright", version: options.version },
    { versionNegotiation: { mode }, ...(questions ? { capabilities: questions.capabilities } : {}) },
  );
  client.onerror = () => undefined;
  if (questions) answerBy(client, questions);
  const opened = await transportOf(server, options);
  const isNewer = () => client.getNegotiatedProtocolVersion() === LATEST;
  const forms = { schemas, name: server.name, isNewer, deviates };
  takeOwnIds(opened.transport, deviates, (answer, method) => inFormOf(answer, method, forms));
  const explain = (error: unknown, signal = options.signal): UpstreamError =>
    connectionError(error, server, signal, opened.child);
  const limits = { timeout: server.timeoutMs, ...(options.signal ? { signal: options.signal } : {}) };
  const close = async (): Promise<void> => {
    client.onclose = () => undefined;
    await opened.close();
    await client.close().catch(() => undefined);
  };
  try {
    options.signal?.throwIfAborted();
    // The SDK limits the request, but not the notification that follows it.
    await Promise.race([client.connect(opened.transport, limits), ending(server, options)]);
  } catch (error) {
    const failure = explain(error);
    const authorized = await opened.authorize?.().catch((reason: unknown) => deniedError(server, explain(reason)));
    await close();
    if (authorized === true) throw new Again(mode, failure);
    if (mode === "legacy" && refusesTheOlder(error)) throw new Again({ pin: LATEST }, failure);
    throw authorized || failure;
  }
  client.onclose = () => options.onLost?.(explain(new Error("its connection ended")));
  return {
    ...connectionOf(client, server, options),
    hasSession: opened.hasSession,
    heardAt: () => opened.child?.heardAt(),
    explain,
    close,
  };
}

/** Answers the server's questions. */
function answerBy(client: Client, { capabilities, answer }: Questions): void {
  const ask = async ({ method, params }: { readonly method: string; readonly params?: object | undefined }) =>
    answer(method, { ...params }) as Promise<never>;
  if (capabilities.elicitation) client.setRequestHandler("elicitation/create", ask);
  if (capabilities.sampling) client.setRequestHandler("sampling/createMessage", ask);
  if (capabilities.roots) client.setRequestHandler("roots/list", ask);
}

function connectionOf(
  client: Client,
  server: UpstreamServer,
  { signal: until, onLost }: UpstreamOptions,
): Omit<Upstream, "hasSession" | "heardAt" | "explain" | "close"> {
  let changes = 0;
  const changed = (): void => void changes++;
  client.setNotificationHandler("notifications/tools/list_changed", changed);
  const isNewer = client.getNegotiatedProtocolVersion() === LATEST;
  if (onLost && isNewer && client.getServerCapabilities()?.tools?.listChanged)
    void follow(client, changed).catch(() => undefined);
  const { name, version } = client.getServerVersion() ?? { name: server.name, version: "" };
  return {
    client,
    info: { name, version },
    instructions: client.getInstructions(),
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    listChanges: () => changes,
    request: (
      method,
      params = {},
      { signal = until, timeoutMs = server.timeoutMs, onProgress, capabilities, trace } = {},
    ) =>
      recordRequested({ server: server.name, method, tool: toolOf(method, params) }, () =>
        client.request(
          { method, params: { ...params, ...metaOf(isNewer ? capabilities : undefined, trace) } },
          AS_SENT,
          {
            timeout: timeoutMs,
            allowInputRequired: true,
            ...(signal ? { signal } : {}),
            ...(onProgress
              ? { onprogress: ({ progress, total, message }) => onProgress(progress, total, message) }
              : {}),
          },
        ),
      ),
  };
}

/** The tool of a call, which is one of the snapshot. */
const toolOf = (method: string, { name }: Readonly<Record<string, unknown>>): string | undefined =>
  method === "tools/call" && typeof name === "string" ? name : undefined;

const metaOf = (capabilities: ClientCapabilities | undefined, trace: TraceContext | undefined): object =>
  capabilities || trace ? { _meta: { ...trace, ...(capabilities ? { [CAPABILITIES]: capabilities } : {}) } } : {};

/** Wait before a lost subscription stream is opened again. */
const AGAIN_MS = 5_000;

/**
 * Subscribes to list changes, which the newer protocol sends to subscribers only. The end of a stream counts as a
 * change, since changes may have been missed.
 */
async function follow(client: Client, changed: () => void): Promise<void> {
  for (;;) {
    const { closed } = await client.listen({ toolsListChanged: true });
    const why = await closed;
    changed();
    if (why !== "remote") return;
    await sleep(AGAIN_MS, undefined, { ref: false });
  }
}

/** Rejects at the time limit or when the attempt is cancelled. */
function ending({ timeoutMs }: UpstreamServer, { signal }: UpstreamOptions): Promise<never> {
  const late = AbortSignal.timeout(timeoutMs);
  const end = signal ? AbortSignal.any([late, signal]) : late;
  return new Promise((_, reject) => {
    end.addEventListener("abort", () => reject(end.reason), { once: true });
  });
}

/** A transport with the resources that belong to it. */
interface Opened {
  readonly transport: Transport;
  readonly child?: ProcessTransport;
  hasSession(): boolean;
  /** Waits until the requested authorization is granted; false if none was requested. */
  readonly authorize?: () => Promise<boolean>;
  close(): Promise<void>;
}

async function transportOf(server: UpstreamServer, options: UpstreamOptions): Promise<Opened> {
  const { endpoint } = server;
  return endpoint.kind === "stdio" ? processOf(server, endpoint, options) : overHttp(server, endpoint, options);
}

type EndpointOf<K extends Endpoint["kind"]> = Extract<Endpoint, { readonly kind: K }>;

async function processOf(
  server: UpstreamServer,
  endpoint: EndpointOf<"stdio">,
  options: UpstreamOptions,
): Promise<Opened> {
  const { getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
  const { root, messageBytes = server.answerBytes, graceMs = DEFAULT_GRACE_MS } = options;
  const env = { ...getDefaultEnvironment(), ...endpoint.env };
  const cwd = resolve(root, endpoint.cwd ?? ".");
  // Without its folder, a process fails as if there were no command.
  if (!existsSync(cwd))
    throw new UpstreamError("UNAVAILABLE", `its folder ${cwd} is not there`, `correct servers.${server.name}.cwd`);
  const { command, args } = endpoint;
  const deviates = options.deviates ?? (() => undefined);
  const child = processTransport({ command, args, env, cwd, messageBytes, graceMs, deviates });
  return { transport: child, child, hasSession: () => false, close: () => child.close() };
}

async function overHttp(
  server: UpstreamServer,
  endpoint: EndpointOf<"http">,
  options: UpstreamOptions,
): Promise<Opened> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const ending = new AbortController();
  const { messageBytes = server.answerBytes, authorization, signal } = options;
  const answers = createExactAnswers(options.deviates ?? (() => undefined));
  const guard = guardBy(() => void transport.close().catch(() => undefined));
  const plainFetch = boundedFetch({
    endpoint: endpoint.url,
    headers: endpoint.headers,
    limit: messageBytes,
    until: ending.signal,
    onMessage: answers.heard,
    ...(options.deviates ? { deviates: options.deviates } : {}),
    onStreamEnd: (id, why) =>
      void setTimeout(
        guard(() => unanswered(transport, id, why)),
        ANSWER_MS,
      ),
  });
  const hasKey = Object.keys(endpoint.headers).some((one) => one.toLowerCase() === "authorization");
  const provider = hasKey || server.tokens ? undefined : await authorization?.providerFor(server);
  const tokens = server.tokens ? connectionTokens(server, options, endpoint.url) : undefined;
  const authProvider = tokens ?? (provider?.isAlone ? await renewing(provider) : provider);
  const fetch = provider?.redeeming(plainFetch) ?? plainFetch;
  const transport = new StreamableHTTPClientTransport(endpoint.url, {
    fetch: tokens ? reportingFetch(fetch, tokens.taken) : fetch,
    ...(authProvider ? { authProvider } : {}),
  });
  answers.attach(transport);
  return {
    transport,
    hasSession: () => transport.sessionId !== undefined,
    authorize: async () => {
      if (!provider?.asked) return false;
      await transport.finishAuth(await provider.redirected(signal));
      return true;
    },
    close: async () => {
      if (transport.sessionId !== undefined)
        await Promise.race([transport.terminateSession().catch(() => undefined), sleep(FAREWELL_MS)]);
      await transport.close().catch(() => undefined);
      ending.abort();
      provider?.close();
    },
  };
}

/**
 * Renews tokens once for all requests refused meanwhile: a second use of the same refresh token may end the
 * authorization.
 */
async function renewing(provider: Provider): Promise<AuthProvider> {
  const { auth, extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
  let renewal: Promise<unknown> | undefined;
  return {
    token: async () => (await provider.tokens())?.access_token,
    onUnauthorized: async ({ response, serverUrl, fetchFn }) => {
      const challenge = extractWWWAuthenticateParams(response);
      renewal ??= auth(provider, { serverUrl, fetchFn, ...challenge }).finally(() => {
        renewal = undefined;
      });
      await renewal;
    },
  };
}

/**
 * Wait after the end of a stream, since its answer may still be processed; the SDK ignores a second answer to the same
 * request.
 */
const ANSWER_MS = 50;

/** Answers a request with an error in place of the server; otherwise the SDK would wait for the time limit. */
function unanswered(transport: Transport, id: string | number, why: string): void {
  transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: BROKEN_OFF, message: why } });
}

/** Whether a server refuses the older protocol. Over HTTP this is status 400 with the error in the body. */
function refusesTheOlder(error: unknown): boolean {
  const code = codeOf(error);
  if (typeof code === "number") return NOT_THE_OLDER.has(code);
  const { status, text } = refusalDetails(error);
  return status === 400 && typeof text === "string" && /"code"\s*:\s*-3202[02]\b/.test(text);
}
