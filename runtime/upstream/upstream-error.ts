/**
 * Failures of upstream servers, classified once: the reason, a remedy and the last lines of standard error, without
 * secrets.
 */

import type { ToolFailure } from "../contract/handler.js";
import { serverHint } from "../contract/own-command.js";
import { clip, scrub } from "../contract/scrub.js";
import { codeOf, messageOf } from "../contract/thrown.js";
import { networkRemedy, proxyFor } from "../http-client/proxy.js";
import { remedyOfSize } from "./answer-bound.js";
import type { ProcessTransport } from "./process.js";
import type { UpstreamServer } from "./servers.js";

/** Error codes of upstream failures; the same as in envelopes. */
export type UpstreamCode = "UNAVAILABLE" | "TIMEOUT" | "CANCELLED" | "UNAUTHENTICATED";

/** A server that cannot be reached or used, with a remedy and its last output, without secrets. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly code: UpstreamCode;
  readonly remedy: string;
  /** The end of its standard error. */
  readonly stderr: readonly string[];
  /** Status of an HTTP refusal. */
  readonly status: number | undefined;
  /** Delay before the next attempt that the server asks for, in milliseconds from the refusal. */
  readonly retryAfterMs: number | undefined;
  /** The scopes that the server asks for, since the token does not have them. */
  readonly scope: string | undefined;
  /** Why its connection gives no token. */
  readonly lack: ToolFailure | undefined;

  constructor(
    code: UpstreamCode,
    message: string,
    remedy: string,
    stderr: readonly string[] = [],
    { status, retryAfterMs, scope, lack }: Refusal = {},
  ) {
    super(message);
    this.code = code;
    this.remedy = serverHint(remedy);
    this.stderr = stderr;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.scope = scope;
    this.lack = lack;
  }
}

/** Details of a refusal, by the server or by the connection that gives its tokens. */
export interface Refusal {
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly scope?: string | undefined;
  readonly lack?: ToolFailure | undefined;
}

/** Whether a thrown value is an {@link UpstreamError}. */
export const isUpstreamError = (value: unknown): value is UpstreamError =>
  value instanceof Error && value.name === "UpstreamError";

const SHOWN = { message: 300, line: 300, lines: 8 } as const;

/** Shorter literal values in the configuration are ordinary words, such as `info`. */
const SHORTEST_LITERAL = 8;

/** Values that must not be shown: of variables, and literal values in headers and environment; longest first. */
function hidden({ endpoint, secrets }: UpstreamServer): readonly string[] {
  const literal = Object.values(endpoint.kind === "http" ? endpoint.headers : endpoint.env);
  return [...secrets.values(), ...literal.filter((one) => one.length >= SHORTEST_LITERAL)].sort(
    (a, b) => b.length - a.length,
  );
}

/** Cleans the text of a foreign error: one line, short, without secrets and control characters. */
export function foreignText(text: string, server: UpstreamServer, limit: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  const plain = text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, "").replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ");
  return clip(scrub(plain, hidden(server)).trim(), limit);
}

const SECONDS = (ms: number): string => `${Math.round(ms / 100) / 10} s`;

/** Classifies the error of a connection; `signal` may have ended it from this side. */
export function connectionError(
  error: unknown,
  server: UpstreamServer,
  signal: AbortSignal | undefined,
  child: ProcessTransport | undefined,
): UpstreamError {
  if (isUpstreamError(error)) return error;
  const stderr = (child?.stderr() ?? "")
    .split(/\r?\n/)
    .map((line) => foreignText(line, server, SHOWN.line))
    .filter((line) => line !== "");
  const { status, retryAfterMs } = refusalDetails(error);
  const refusal = { status: numberOf(status), retryAfterMs: numberOf(retryAfterMs) };
  const fail = (code: UpstreamCode, message: string, remedy: string): UpstreamError =>
    new UpstreamError(code, message, remedy, mostTelling(stderr), refusal);
  const name = error instanceof Error ? error.name : "";
  const code = codeOf(error);
  if (signal?.aborted && !isTimeout(signal.reason))
    return fail("CANCELLED", "it was stopped before it had answered", "run the command again");
  if (isTimeout(signal?.reason) || isTimeout(error) || code === "REQUEST_TIMEOUT")
    return fail(
      "TIMEOUT",
      `it did not answer within ${SECONDS(server.timeoutMs)}${saidInstead(child, server)}`,
      slow(server),
    );
  if (name === "InsufficientScopeError") return tooNarrow(error, server);
  if (name === "UnauthorizedError" || status === 401)
    return server.tokens ? refusesToken(server, server.tokens, fail) : unauthorized(server, fail);
  const reason = foreignText(reasonOf(error), server, SHOWN.message) || "it failed";
  const [message, remedy] = ofProcess(error, server, child) ?? [
    reason,
    remedyOfSize(reason, server.name) ?? remedyOfForm(reason, server) ?? networkRemedy(error) ?? byHand(server),
  ];
  return fail("UNAVAILABLE", message, remedy);
}

/** Matches `Error: Cannot find module`, `ValueError: …`, `[ERROR] …`, `npm error …`, `fatal: …`. */
const COMPLAINT = /(?:^|[\s[])(?:[\w.]*(?:Error|Exception)|error|ERROR|ERR!|fatal|FATAL|panic)(?=[\]:\s])/;

/** The last lines; an error line further above, as before the stack of a crash, comes first. */
function mostTelling(lines: readonly string[]): readonly string[] {
  const complaint = lines.findLastIndex((line) => COMPLAINT.test(line));
  const isAbove = complaint !== -1 && complaint < lines.length - SHOWN.lines;
  return isAbove
    ? [...lines.slice(complaint, complaint + 1), ...lines.slice(1 - SHOWN.lines)]
    : lines.slice(-SHOWN.lines);
}

/** What happened to the process of a stdio server, with a remedy; `undefined` if it is not the cause. */
function ofProcess(
  error: unknown,
  server: UpstreamServer,
  child: ProcessTransport | undefined,
): readonly [message: string, remedy: string] | undefined {
  const [fault, ended] = [child?.fault(), child?.ended()];
  if (fault !== undefined)
    return [fault, remedyOfSize(fault, server.name) ?? "report this to the maintainers of the server"];
  if (ended !== undefined)
    return [`it ended with ${ended} before it had answered${saidInstead(child, server)}`, byHand(server)];
  if (codeOf(error) !== "ENOENT" || server.endpoint.kind !== "stdio") return undefined;
  const command = JSON.stringify(foreignText(server.endpoint.command, server, SHOWN.line));
  return [`there is no command ${command}`, `install it, or correct servers.${server.name}.command`];
}

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === "TimeoutError";

/** The first output of a stdio server that is not a message. */
function saidInstead(child: ProcessTransport | undefined, server: UpstreamServer): string {
  const [first] = child?.strays() ?? [];
  return first === undefined
    ? ""
    : `; its standard output contains something other than messages: ${JSON.stringify(foreignText(first, server, 120))}`;
}

function slow({ name, endpoint }: UpstreamServer): string {
  const what =
    endpoint.kind === "stdio"
      ? "run its command by hand to see what it waits for"
      : "check that its url is an MCP endpoint";
  return `${what}, or raise servers.${name}.timeout (seconds)`;
}

const byHand = ({ name, endpoint }: UpstreamServer): string =>
  endpoint.kind === "stdio"
    ? `run its command by hand, and correct servers.${name} in toolwright.yaml`
    : `check that ${endpoint.url.origin} is up, and correct servers.${name} in toolwright.yaml${byProxy(endpoint.url)}`;

/** Answers that arrived, and cannot be read: the server is up, but may be no server of MCP. */
const UNREAD =
  /^(?:its answer (?:is no|has a form|to \w+(?:\/\w+)? names)|it answered HTTP 20[245]: no answer|Unexpected content type)/;

/** What to do about an answer that cannot be read; `undefined` for any other reason. */
function remedyOfForm(reason: string, { name, endpoint }: UpstreamServer): string | undefined {
  if (!UNREAD.test(reason)) return undefined;
  const check =
    endpoint.kind === "stdio"
      ? `check that the command of servers.${name} starts a server of MCP`
      : `check that servers.${name}.url is an MCP endpoint${byProxy(endpoint.url)}`;
  return `${check}; if it is, report this to the maintainers of the server`;
}

/** An answer may be that of a proxy. */
function byProxy(url: URL): string {
  const proxy = proxyFor(url);
  return proxy
    ? `; it was asked through the proxy ${proxy.url.host} of ${proxy.variable}: check that, or name ${url.hostname} in NO_PROXY`
    : "";
}

function unauthorized(
  { name, endpoint }: UpstreamServer,
  fail: (code: UpstreamCode, message: string, remedy: string) => UpstreamError,
): UpstreamError {
  const hasHeaders = endpoint.kind === "http" && Object.keys(endpoint.headers).length > 0;
  return fail(
    "UNAUTHENTICATED",
    hasHeaders ? "it refuses the credentials in its headers (HTTP 401)" : "it asks for authorization (HTTP 401)",
    hasHeaders
      ? `correct servers.${name}.headers, or the variables that they name`
      : `run "toolwright snapshot ${name}" on a terminal, where a browser can be opened, or set servers.${name}.headers`,
  );
}

const REPLACED_BY: Readonly<Record<NonNullable<UpstreamServer["tokens"]>, string>> = {
  common: "",
  own: ", or disconnect in the console under Connections, and connect again",
  exchanged: ", or come with another access token",
};

/** The server refuses tokens that its authorization server gives, newer ones too. */
const refusesToken = (
  { name }: UpstreamServer,
  kind: NonNullable<UpstreamServer["tokens"]>,
  fail: (code: UpstreamCode, message: string, remedy: string) => UpstreamError,
): UpstreamError =>
  fail(
    "UNAUTHENTICATED",
    "it refuses the token of its connection (HTTP 401)",
    `compare issuer, ${kind === "exchanged" ? "resource, audience" : "resource"} and scope of servers.${name}.auth with what the server accepts${REPLACED_BY[kind]}`,
  );

/** The server asks for a token with more scopes: it takes the token that it got, or got none. */
function tooNarrow(error: unknown, server: UpstreamServer): UpstreamError {
  const asked = error instanceof Error && "requiredScope" in error ? error.requiredScope : undefined;
  const scope = typeof asked === "string" ? asked : undefined;
  const what = scope === undefined ? "" : ` ${foreignText(scope, server, SHOWN.message)}`;
  return new UpstreamError(
    "UNAUTHENTICATED",
    server.tokens || hasKey(server)
      ? `its token lacks a scope that this call needs${what} (HTTP 403)`
      : `it asks for a token with ${what === "" ? "another scope" : `the scope${what}`} (HTTP 403)`,
    widerBy(server, scope),
    [],
    { status: 403, scope },
  );
}

/** Scopes that are written into a command as they are. */
const PLAIN_SCOPES = /^[\w:./ -]+$/;

const hasKey = ({ endpoint }: Pick<UpstreamServer, "endpoint">): boolean =>
  endpoint.kind === "http" && Object.keys(endpoint.headers).some((one) => one.toLowerCase() === "authorization");

/** How a server gets a token with a scope that it asks for. */
function widerBy({ name, endpoint, tokens }: UpstreamServer, scope: string | undefined): string {
  const again: Readonly<Record<NonNullable<UpstreamServer["tokens"]>, string>> = {
    common: `; with the mode shared, then run "toolwright connections renew ${name}" on a terminal`,
    own: ", and connect again in the console under Connections",
    exchanged: "",
  };
  if (tokens) return `name the scope in servers.${name}.auth.scope${again[tokens]}`;
  if (hasKey({ endpoint })) return `give the token in servers.${name}.headers the scope`;
  const asked = scope !== undefined && PLAIN_SCOPES.test(scope) ? ` --scope '${scope}'` : " --scope SCOPE";
  return `run "toolwright connections renew ${name}${asked}" on a terminal, where a browser can be opened, or set servers.${name}.headers`;
}

/** The user or the authorization server refused. */
export const deniedError = ({ name }: UpstreamServer, reason: UpstreamError): UpstreamError =>
  reason.code === "CANCELLED"
    ? reason
    : new UpstreamError(
        "UNAUTHENTICATED",
        `it was not authorized: ${reason.message}`,
        `run "toolwright snapshot ${name}" again, and allow it in the browser`,
      );

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);

/** Details of an HTTP refusal. */
export function refusalDetails(error: unknown): {
  readonly status?: unknown;
  readonly text?: unknown;
  readonly retryAfterMs?: unknown;
} {
  const data = error instanceof Error && "data" in error ? error.data : undefined;
  return typeof data === "object" && data !== null ? data : {};
}

/** The message with that of its cause, since `fetch failed` alone is not helpful. */
function reasonOf(error: unknown): string {
  const { status } = refusalDetails(error);
  if (typeof status === "number") {
    const said = messageOf(error).replace(/^Error POSTing to endpoint:\s*/, "");
    return `it answered HTTP ${status}${said.trim() === "" ? "" : `: ${said}`}`;
  }
  // The SDK adds what its validator says.
  if (codeOf(error) === "INVALID_RESULT") return "its answer has a form that cannot be read";
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return messageOf(error);
  const detail = cause.message || ("code" in cause ? String(cause.code) : cause.name);
  return `${messageOf(error)}: ${detail}`;
}
