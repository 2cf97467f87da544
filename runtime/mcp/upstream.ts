/**
 * Opens a client to one configured upstream server: transport, environment, headers, authorization, time limits, and the end
 * of everything that was started. `snapshot` uses it, and so does whatever calls a proxied tool.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Client, StandardSchemaV1, Transport } from "@modelcontextprotocol/client";
import { clip, scrub } from "../observe/scrub.js";
import { type Door, messageOf, type Server } from "./servers.js";
import type { Authorization } from "./upstream-auth.js";
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
}

/** An open connection. */
export interface Upstream {
  readonly client: Client;
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string | undefined;
  readonly protocolVersion: string;
  /** One request; the result as the server sent it, nothing dropped and nothing checked. */
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Turns what went wrong on this connection into what a person is told. */
  explain(error: unknown): UpstreamError;
  /** Ends the connection and every process that was started for it. */
  close(): Promise<void>;
}

/** What a failure of an upstream server is about, in the envelope's codes. */
export type UpstreamCode = "UNAVAILABLE" | "TIMEOUT" | "CANCELLED" | "UNAUTHENTICATED";

/** A server that cannot be reached or used: why, what to do, and its last words, without secrets. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: UpstreamCode;
  readonly remedy: string;
  /** The end of what it wrote to its standard error. */
  readonly stderr: readonly string[];

  constructor(code: UpstreamCode, message: string, remedy: string, stderr: readonly string[] = []) {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.stderr = stderr;
  }
}

/** Whether a thrown value is an {@link UpstreamError}. */
export const isUpstreamError = (value: unknown): value is UpstreamError =>
  value instanceof Error && value.name === "UpstreamError";

const DEFAULT_MESSAGE_BYTES = 32_000_000;
const DEFAULT_GRACE_MS = 1_000;
/** Time for a server to hear that a session is over. */
const FAREWELL_MS = 1_000;
const SHOWN = { message: 300, line: 300, lines: 8 } as const;
const LATEST = "2026-07-28";
/** What a server that only speaks the newer protocol answers to `initialize`. */
const NOT_THE_OLDER = new Set([-32022, -32601, -32600]);

/** Shorter values that stand literally in the configuration are words, such as `info`. */
const SHORTEST_LITERAL = 8;

/** Values that must not be shown: of variables, and whatever stands literally in headers and environment; longest first. */
function hidden({ door, secrets }: Server): readonly string[] {
  const literal = Object.values(door.kind === "http" ? door.headers : door.env);
  return [...secrets.values(), ...literal.filter((one) => one.length >= SHORTEST_LITERAL)].sort(
    (a, b) => b.length - a.length,
  );
}

/** Text of a foreign error, fit to be shown: one line, short, without secrets and control characters. */
function shown(text: string, server: Server, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to go.
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  return clip(scrub(plain, hidden(server)).trim(), limit);
}

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
  const client = new Client({ name: "toolwright", version: options.version }, { versionNegotiation: { mode } });
  client.onerror = () => undefined;
  const opened = await transportOf(server, options);
  const explain = (error: unknown): UpstreamError => explained(error, server, options, opened.child);
  const limits = { timeout: server.timeoutMs, ...(options.signal ? { signal: options.signal } : {}) };
  const close = async (): Promise<void> => {
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
  const { name, version } = client.getServerVersion() ?? { name: server.name, version: "" };
  return {
    client,
    info: { name, version },
    instructions: client.getInstructions(),
    protocolVersion: client.getNegotiatedProtocolVersion() ?? "",
    request: (method, params = {}, signal = options.signal) =>
      client.request({ method, params: { ...params } }, AS_SENT, {
        timeout: server.timeoutMs,
        ...(signal ? { signal } : {}),
      }),
    explain,
    close,
  };
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
  return { transport: child, child, close: () => child.close() };
}

async function overHttp(server: Server, door: DoorOf<"http">, options: UpstreamOptions): Promise<Opened> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const ending = new AbortController();
  const { messageBytes = DEFAULT_MESSAGE_BYTES, authorization, signal } = options;
  const fetch = boundedFetch(door.url, door.headers, messageBytes, ending.signal);
  const hasKey = Object.keys(door.headers).some((one) => one.toLowerCase() === "authorization");
  const provider = hasKey ? undefined : await authorization?.providerFor(server);
  const transport = new StreamableHTTPClientTransport(door.url, {
    fetch,
    ...(provider ? { authProvider: provider } : {}),
  });
  return {
    transport,
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

/** Over HTTP the refusal comes as status 400, with the error in its text. */
function refusesTheOlder(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (typeof code === "number") return NOT_THE_OLDER.has(code);
  const { status, text } = detailsOf(error);
  return status === 400 && typeof text === "string" && /"code"\s*:\s*-32022\b/.test(text);
}

const SECONDS = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Classifies what a connection failed with. */
function explained(
  error: unknown,
  server: Server,
  { signal }: UpstreamOptions,
  child: ProcessTransport | undefined,
): UpstreamError {
  if (isUpstreamError(error)) return error;
  const stderr = (child?.stderr() ?? "")
    .split(/\r?\n/)
    .map((line) => shown(line, server, SHOWN.line))
    .filter((line) => line !== "");
  const fail = (code: UpstreamCode, message: string, remedy: string): UpstreamError =>
    new UpstreamError(code, message, remedy, mostTelling(stderr));
  const name = error instanceof Error ? error.name : "";
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (signal?.aborted && !isTimeout(signal.reason))
    return fail("CANCELLED", "it was stopped before it had answered", "run the command again");
  if (isTimeout(signal?.reason) || isTimeout(error) || code === "REQUEST_TIMEOUT")
    return fail(
      "TIMEOUT",
      `it did not answer within ${SECONDS(server.timeoutMs)}${saidInstead(child, server)}`,
      slow(server),
    );
  if (name === "UnauthorizedError" || detailsOf(error).status === 401) return unauthorized(server, fail);
  const [message, remedy] = ofProcess(error, server, child) ?? [
    shown(reasonOf(error), server, SHOWN.message) || "it failed",
    byHand(server),
  ];
  return fail("UNAVAILABLE", message, remedy);
}

/** `Error: Cannot find module`, `ValueError: …`, `[ERROR] …`, `npm error …`, `fatal: …`. */
const COMPLAINT = /(?:^|[\s[])(?:[\w.]*(?:Error|Exception)|error|ERROR|ERR!|fatal|FATAL|panic)(?=[\]:\s])/;

/** The last lines; where the last complaint stands before them, as above the stack of a crash, it comes first. */
function mostTelling(lines: readonly string[]): readonly string[] {
  const complaint = lines.findLastIndex((line) => COMPLAINT.test(line));
  const isAbove = complaint !== -1 && complaint < lines.length - SHOWN.lines;
  return isAbove
    ? [...lines.slice(complaint, complaint + 1), ...lines.slice(1 - SHOWN.lines)]
    : lines.slice(-SHOWN.lines);
}

/** What became of the process of a stdio server, and what to do; undefined where it is not to blame. */
function ofProcess(
  error: unknown,
  server: Server,
  child: ProcessTransport | undefined,
): readonly [message: string, remedy: string] | undefined {
  const [fault, ended] = [child?.fault(), child?.ended()];
  if (fault !== undefined) return [fault, "report this to whoever maintains the server"];
  if (ended !== undefined)
    return [`it ended with ${ended} before it had answered${saidInstead(child, server)}`, byHand(server)];
  const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
  if (!isMissing || server.door.kind !== "stdio") return undefined;
  const command = JSON.stringify(shown(server.door.command, server, SHOWN.line));
  return [`there is no command ${command}`, `install it, or correct servers.${server.name}.command`];
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

/** What a stdio server wrote where only messages may stand. */
function saidInstead(child: ProcessTransport | undefined, server: Server): string {
  const [first] = child?.strays() ?? [];
  return first === undefined
    ? ""
    : `; its standard output holds what is no message: ${JSON.stringify(shown(first, server, 120))}`;
}

function slow({ name, door }: Server): string {
  const what =
    door.kind === "stdio"
      ? "run its command by hand to see what it waits for"
      : "check that its url is an MCP endpoint";
  return `${what}, or raise servers.${name}.timeout (seconds)`;
}

const byHand = ({ name, door }: Server): string =>
  door.kind === "stdio"
    ? `run its command by hand, and correct servers.${name} in toolwright.yaml`
    : `check that ${door.url.origin} is up, and correct servers.${name} in toolwright.yaml`;

function unauthorized(
  { name, door }: Server,
  fail: (code: UpstreamCode, message: string, remedy: string) => UpstreamError,
): UpstreamError {
  const hasHeaders = door.kind === "http" && Object.keys(door.headers).length > 0;
  return fail(
    "UNAUTHENTICATED",
    hasHeaders ? "it refuses the credentials in its headers (HTTP 401)" : "it asks for authorization (HTTP 401)",
    hasHeaders
      ? `correct servers.${name}.headers, or the variables that they name`
      : `run "toolwright snapshot ${name}" on a terminal, where a browser can be opened, or set servers.${name}.headers`,
  );
}

/** A person, or the authorization server, said no. */
const denied = ({ name }: Server, reason: UpstreamError): UpstreamError =>
  reason.code === "CANCELLED"
    ? reason
    : new UpstreamError(
        "UNAUTHENTICATED",
        `it was not authorized: ${reason.message}`,
        `run "toolwright snapshot ${name}" again, and allow it in the browser`,
      );

/** What the SDK says of an HTTP answer. */
function detailsOf(error: unknown): { readonly status?: unknown; readonly text?: unknown } {
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  return typeof data === "object" && data !== null ? data : {};
}

/** The message, with that of its cause: `fetch failed` alone says nothing. */
function reasonOf(error: unknown): string {
  const { status } = detailsOf(error);
  if (typeof status === "number")
    return `it answered HTTP ${status}: ${messageOf(error).replace(/^Error POSTing to endpoint: /, "")}`;
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return messageOf(error);
  const detail = cause.message || ("code" in cause ? String(cause.code) : cause.name);
  return `${messageOf(error)}: ${detail}`;
}
