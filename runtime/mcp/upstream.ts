/**
 * Opens a client to one configured upstream server: transport, environment, headers, authorization, time limits, and the end
 * of everything that was started. `snapshot` uses it, and so does whatever calls a proxied tool.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type {
  AuthProvider,
  Client,
  ClientCapabilities,
  StandardSchemaV1,
  Transport,
} from "@modelcontextprotocol/client";
import { guardBy } from "../contract/guard.js";
import { createExactAnswers } from "./exact-answers.js";
import { filterMessages } from "./message-filter.js";
import type { Door, Server } from "./servers.js";
import type { Authorization, Provider } from "./upstream-auth.js";
import { BROKEN_OFF, denied, detailsOf, explained, type UpstreamError } from "./upstream-error.js";
import { boundedFetch } from "./upstream-fetch.js";
import { type ProcessTransport, processTransport } from "./upstream-process.js";

/** Where and within which bounds a server is opened. */
export interface UpstreamOptions {
  /** The working folder of a stdio server. */
  readonly root: string;
  /** Our version, as the server sees it. */
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Longest message, or answer over HTTP, in bytes. */
  readonly messageBytes?: number;
  /** How a person authorizes us where the server asks for OAuth; absent where nobody is there. */
  readonly authorization?: Authorization;
  /** Time that each step of ending a child process may take. */
  readonly graceMs?: number;
  /** What the server may ask of us, and who answers; absent: nothing. */
  readonly questions?: Questions;
  /** For connections that stay: called once when one ends by itself, and not when it is closed. */
  readonly onLost?: (why: UpstreamError) => void;
}

/** What a server may ask its client, and who answers. */
export interface Questions {
  readonly capabilities: ClientCapabilities;
  answer(method: string, params: Readonly<Record<string, unknown>>): Promise<Readonly<Record<string, unknown>>>;
}

/** Further wishes of one request. */
export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Default: the server's `timeout`. */
  readonly timeoutMs?: number;
  readonly onProgress?: (done: number, total: number | undefined) => void;
  /** What the client can answer for whom the request is made; in the newer protocol each request says so. */
  readonly capabilities?: ClientCapabilities;
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";

/** An open connection. */
export interface Upstream {
  readonly client: Client;
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly protocolVersion: string;
  /** How often the server has said that its list of tools changed. */
  listChanges(): number;
  /**
   * One request; the result as the server sent it, nothing dropped and nothing checked. In the newer protocol it may be no result
   * yet but questions (`resultType: "input_required"`).
   */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    options?: RequestOptions,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the server knows us by a session that it may forget. */
  hasSession(): boolean;
  /** Turns what went wrong on this connection into what a person is told. */
  explain(error: unknown, signal?: AbortSignal): UpstreamError;
  /** Ends the connection and every process that was started for it. */
  close(): Promise<void>;
}

const DEFAULT_MESSAGE_BYTES = 32_000_000;
const DEFAULT_GRACE_MS = 1_000;
/** Time for a server to hear that a session is over. */
const FAREWELL_MS = 1_000;
const LATEST = "2026-07-28";
/** What a server that only speaks the newer protocol answers to `initialize`. */
const NOT_THE_OLDER = new Set([-32022, -32601, -32600]);

/**
 * Connects to a server. The older protocol is asked for first, as every server of today speaks it; one that refuses it is asked
 * again in the newer one; one that asks for authorization is asked again when a person has given it.
 *
 * @throws UpstreamError; nothing that was started is left running
 */
export async function connect(server: Server, options: UpstreamOptions): Promise<Upstream> {
  let mode: Era = "legacy";
  for (let again = 0; ; again++) {
    try {
      return await attempt(server, options, mode);
    } catch (error) {
      if (!(error instanceof Again) || again >= MOST_ATTEMPTS) throw error instanceof Again ? error.instead : error;
      mode = error.mode;
    }
  }
}

/** Attempts after the first: in the newer protocol, and after authorization. */
const MOST_ATTEMPTS = 2;

type Era = "legacy" | { readonly pin: string };

/** Another attempt may do better. */
class Again extends Error {
  readonly mode: Era;
  /** What to say if it may not. */
  readonly instead: UpstreamError;

  constructor(mode: Era, instead: UpstreamError) {
    super();
    this.mode = mode;
    this.instead = instead;
  }
}

async function attempt(server: Server, options: UpstreamOptions, mode: Era): Promise<Upstream> {
  const { Client } = await import("@modelcontextprotocol/client");
  const { questions } = options;
  const client = new Client(
    { name: "toolwright", version: options.version },
    { versionNegotiation: { mode }, ...(questions ? { capabilities: questions.capabilities } : {}) },
  );
  client.onerror = () => undefined;
  if (questions) answerBy(client, questions);
  const opened = await transportOf(server, options);
  takeOwnIds(opened.transport);
  const explain = (error: unknown, signal = options.signal): UpstreamError =>
    explained(error, server, signal, opened.child);
  const limits = { timeout: server.timeoutMs, ...(options.signal ? { signal: options.signal } : {}) };
  const close = async (): Promise<void> => {
    client.onclose = () => undefined;
    await opened.close();
    await client.close().catch(() => undefined);
  };
  try {
    options.signal?.throwIfAborted();
    // The SDK limits the request, and not the notification that follows it.
    await Promise.race([client.connect(opened.transport, limits), ending(server, options)]);
  } catch (error) {
    const failure = explain(error);
    const authorized = await opened.authorize?.().catch((reason: unknown) => denied(server, explain(reason)));
    await close();
    if (authorized === true) throw new Again(mode, failure);
    if (mode === "legacy" && refusesTheOlder(error)) throw new Again({ pin: LATEST }, failure);
    throw authorized || failure;
  }
  client.onclose = () => options.onLost?.(explain(new Error("its connection ended")));
  return { ...connectionOf(client, server, options), hasSession: opened.hasSession, explain, close };
}

/** Answers what the server asks with what `questions` says. */
function answerBy(client: Client, { capabilities, answer }: Questions): void {
  const ask = async ({ method, params }: { readonly method: string; readonly params?: object | undefined }) =>
    answer(method, { ...params }) as Promise<never>;
  if (capabilities.elicitation) client.setRequestHandler("elicitation/create", ask);
  if (capabilities.sampling) client.setRequestHandler("sampling/createMessage", ask);
  if (capabilities.roots) client.setRequestHandler("roots/list", ask);
}

function connectionOf(
  client: Client,
  server: Server,
  { signal: until, onLost }: UpstreamOptions,
): Omit<Upstream, "hasSession" | "explain" | "close"> {
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
    request: (method, params = {}, { signal = until, timeoutMs = server.timeoutMs, onProgress, capabilities } = {}) =>
      client.request({ method, params: { ...params, ...declaring(isNewer ? capabilities : undefined) } }, AS_SENT, {
        timeout: timeoutMs,
        allowInputRequired: true,
        ...(signal ? { signal } : {}),
        ...(onProgress ? { onprogress: ({ progress, total }) => onProgress(progress, total) } : {}),
      }),
  };
}

const declaring = (capabilities: ClientCapabilities | undefined): object =>
  capabilities ? { _meta: { [CAPABILITIES]: capabilities } } : {};

/** Time between a lost stream of changes and the next one. */
const AGAIN_MS = 5_000;

/** In the newer protocol a server tells changes only to who listens; what was changed while nobody did, nobody knows. */
async function follow(client: Client, changed: () => void): Promise<void> {
  for (;;) {
    const { closed } = await client.listen({ toolsListChanged: true });
    const why = await closed;
    changed();
    if (why !== "remote") return;
    await sleep(AGAIN_MS, undefined, { ref: false });
  }
}

/** Rejects when an attempt has to end before the server has answered. */
function ending({ timeoutMs }: Server, { signal }: UpstreamOptions): Promise<never> {
  const late = AbortSignal.timeout(timeoutMs);
  const end = signal ? AbortSignal.any([late, signal]) : late;
  return new Promise((_, reject) => {
    end.addEventListener("abort", () => reject(end.reason), { once: true });
  });
}

/** Takes any object for an answer. */
const AS_SENT: StandardSchemaV1<unknown, Readonly<Record<string, unknown>>> = {
  "~standard": {
    version: 1,
    vendor: "toolwright",
    validate: (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? { value: value as Readonly<Record<string, unknown>> }
        : { issues: [{ message: "the answer is no object" }] },
  },
};

/** A transport, and what else is open for it. */
interface Opened {
  readonly transport: Transport;
  readonly child?: ProcessTransport;
  hasSession(): boolean;
  /** Waits for the person who was asked for authorization; false where nobody was. */
  readonly authorize?: () => Promise<boolean>;
  close(): Promise<void>;
}

async function transportOf(server: Server, options: UpstreamOptions): Promise<Opened> {
  const { door } = server;
  return door.kind === "stdio" ? processOf(door, options) : overHttp(server, door, options);
}

type DoorOf<K extends Door["kind"]> = Extract<Door, { readonly kind: K }>;

async function processOf(door: DoorOf<"stdio">, options: UpstreamOptions): Promise<Opened> {
  const { getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio");
  const { root: cwd, messageBytes = DEFAULT_MESSAGE_BYTES, graceMs = DEFAULT_GRACE_MS } = options;
  const env = { ...getDefaultEnvironment(), ...door.env };
  const child = processTransport({ command: door.command, args: door.args, env, cwd, messageBytes, graceMs });
  return { transport: child, child, hasSession: () => false, close: () => child.close() };
}

async function overHttp(server: Server, door: DoorOf<"http">, options: UpstreamOptions): Promise<Opened> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const ending = new AbortController();
  const { messageBytes = DEFAULT_MESSAGE_BYTES, authorization, signal } = options;
  const answers = createExactAnswers();
  const guard = guardBy(() => void transport.close().catch(() => undefined));
  const fetch = boundedFetch({
    endpoint: door.url,
    headers: door.headers,
    limit: messageBytes,
    until: ending.signal,
    onMessage: answers.heard,
    onStreamEnd: (id, why) =>
      void setTimeout(
        guard(() => unanswered(transport, id, why)),
        ANSWER_MS,
      ),
  });
  const hasKey = Object.keys(door.headers).some((one) => one.toLowerCase() === "authorization");
  const provider = hasKey ? undefined : await authorization?.providerFor(server);
  const transport = new StreamableHTTPClientTransport(door.url, {
    fetch,
    ...(provider ? { authProvider: provider.isAlone ? await renewing(provider) : provider } : {}),
  });
  answers.attach(transport);
  return {
    transport,
    hasSession: () => transport.sessionId !== undefined,
    authorize: async () => {
      if (!provider?.asked) return false;
      await transport.finishAuth(await provider.answer(signal));
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

/** Renews tokens once for all requests that were refused meanwhile: a second use of the same refresh token may end the authorization. */
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

/** What has arrived by then of a stream that ended was the answer; the SDK takes no second one for the same request. */
const ANSWER_MS = 50;

/** Answers a request in place of a server that will not: the SDK would wait for the time limit. */
function unanswered(transport: Transport, id: string | number, why: string): void {
  transport.onmessage?.({ jsonrpc: "2.0", id, error: { code: BROKEN_OFF, message: why } });
}

/** Has a transport pass over answers to what was not asked: the SDK would take the answer to `"2"` for one to 2. */
function takeOwnIds(transport: Transport): void {
  const asked = new Set<unknown>();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if ("method" in message && "id" in message) asked.add(message.id);
    // Nobody waits for the answer to what was cancelled.
    else if ("method" in message && message.method === CANCELLED) asked.delete(message.params?.["requestId"]);
    return send(message, options);
  };
  filterMessages(transport, (message) => ("method" in message || asked.delete(message.id) ? message : undefined));
}

const CANCELLED = "notifications/cancelled";

/** Over HTTP the refusal comes as status 400, with the error in its text. */
function refusesTheOlder(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "number") return NOT_THE_OLDER.has(code);
  const { status, text } = detailsOf(error);
  return status === 400 && typeof text === "string" && /"code"\s*:\s*-32022\b/.test(text);
}
