/** What failed with an upstream server, classified once, at the border: why, what to do, and its last words, without secrets. */

import { messageOf } from "../contract/message-of.js";
import { clip, scrub } from "../observe/scrub.js";
import type { Server } from "./servers.js";
import type { ProcessTransport } from "./upstream-process.js";

/** What a failure of an upstream server is about, in the envelope's codes. */
export type UpstreamCode = "UNAVAILABLE" | "TIMEOUT" | "CANCELLED" | "UNAUTHENTICATED";

/** A server that cannot be reached or used: why, what to do, and its last words, without secrets. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: UpstreamCode;
  readonly remedy: string;
  /** The end of what it wrote to its standard error. */
  readonly stderr: readonly string[];
  /** Of an HTTP answer that was a refusal. */
  readonly status: number | undefined;
  /** When the server wants to be asked again, in milliseconds from the refusal. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: UpstreamCode,
    message: string,
    remedy: string,
    stderr: readonly string[] = [],
    { status, retryAfterMs }: HttpRefusal = {},
  ) {
    super(message);
    this.code = code;
    this.remedy = remedy;
    this.stderr = stderr;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What an HTTP answer said that was a refusal. */
export interface HttpRefusal {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Whether a thrown value is an {@link UpstreamError}. */
export const isUpstreamError = (value: unknown): value is UpstreamError =>
  value instanceof Error && value.name === "UpstreamError";

/** Code of the error that stands for an answer which will not come; the protocol gives it to nobody. */
export const BROKEN_OFF = -32_099;

const SHOWN = { message: 300, line: 300, lines: 8 } as const;

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
export function shown(text: string, server: Server, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is to go.
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  return clip(scrub(plain, hidden(server)).trim(), limit);
}

const SECONDS = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Classifies what a connection failed with; `signal` is what may have ended it from our side. */
export function explained(
  error: unknown,
  server: Server,
  signal: AbortSignal | undefined,
  child: ProcessTransport | undefined,
): UpstreamError {
  if (isUpstreamError(error)) return error;
  const stderr = (child?.stderr() ?? "")
    .split(/\r?\n/)
    .map((line) => shown(line, server, SHOWN.line))
    .filter((line) => line !== "");
  const { status, retryAfterMs } = detailsOf(error);
  const refusal = { status: numberOf(status), retryAfterMs: numberOf(retryAfterMs) };
  const fail = (code: UpstreamCode, message: string, remedy: string): UpstreamError =>
    new UpstreamError(code, message, remedy, mostTelling(stderr), refusal);
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
  if (name === "UnauthorizedError" || status === 401) return unauthorized(server, fail);
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
export const denied = ({ name }: Server, reason: UpstreamError): UpstreamError =>
  reason.code === "CANCELLED"
    ? reason
    : new UpstreamError(
        "UNAUTHENTICATED",
        `it was not authorized: ${reason.message}`,
        `run "toolwright snapshot ${name}" again, and allow it in the browser`,
      );

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** What is known of an HTTP answer that was a refusal. */
export function detailsOf(error: unknown): {
  readonly status?: unknown;
  readonly text?: unknown;
  readonly retryAfterMs?: unknown;
} {
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
