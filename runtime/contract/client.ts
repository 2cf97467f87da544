/**
 * Runtime of an emitted TypeScript client (`generated/surfaces/client.ts`): calls by path, and the HTTP connection to
 * a server.
 */

import type { Envelope, FailureEnvelope } from "./envelope.js";
import { MAX_TIMER_MS } from "./guard.js";
import type { ErrorCode, Signal } from "./handler.js";
import { isSchema } from "./json-schema.js";
import { errorOf } from "./thrown.js";

/**
 * Options of one call, beside its arguments.
 *
 * @example
 * const options: CallOptions = { dryRun: true, idempotencyKey: "order-A-1" };
 */
export interface ClientCallOptions {
  /** Plans a write and changes nothing. */
  readonly dryRun?: boolean | undefined;
  /** Runs a write once, however often it is sent. */
  readonly idempotencyKey?: string | undefined;
  /** Cancels the call when it aborts: the answer is CANCELLED, and the server stops the work. */
  readonly signal?: Signal | undefined;
}

/** The body of `/api/exec`, which is also what `tool_exec` takes. */
export interface ExecRequest {
  readonly op: string;
  readonly args: object;
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
}

/**
 * Sends a call and returns its envelope.
 *
 * @example
 * const logged = (call: Call): Call => async (request, signal) => {
 *   console.log(request.op);
 *   return call(request, signal);
 * };
 */
export type ClientCall = (request: ExecRequest, signal?: Signal) => Promise<Envelope<unknown>>;

/** The ops below a path, and the op of that path. */
interface Branch {
  op?: string;
  readonly below: Map<string, Branch>;
}

/**
 * Makes a client: a function for each op, under its path. A path that other paths begin with is a function with members.
 *
 * @param ops the paths
 * @example
 * interface Client {
 *   readonly orders: { list(args: { day: string }): Promise<Envelope<unknown>> };
 * }
 * const client = clientOf<Client>(["orders.list"], httpCall({ url: "http://127.0.0.1:8080" }));
 * const envelope = await client.orders.list({ day: "2026-11-02" });
 */
export function clientOf<C extends object>(ops: readonly string[], call: ClientCall): C {
  const root: Branch = { below: new Map() };
  for (const op of ops) {
    let at = root;
    for (const part of op.split(".")) {
      const next: Branch = at.below.get(part) ?? { below: new Map() };
      at.below.set(part, next);
      at = next;
    }
    at.op = op;
  }
  return memberOf(root, call) as C;
}

function memberOf({ op, below }: Branch, call: ClientCall): object {
  const member = op === undefined ? Object.create(null) : functionOf(op, call);
  // Defined, because a function has a read-only `name` and `length`.
  for (const [name, branch] of below)
    Object.defineProperty(member, name, { value: memberOf(branch, call), enumerable: true, configurable: true });
  return member;
}

const functionOf =
  (op: string, call: ClientCall) =>
  (args: object = {}, { dryRun, idempotencyKey, signal }: ClientCallOptions = {}) =>
    call(
      {
        op,
        args,
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
        ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      },
      signal,
    );

/** The part of the platform's `fetch` that a client needs. */
export type Post = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly redirect: "manual";
    readonly signal: Signal;
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

/**
 * Address, key and limits of an HTTP connection.
 *
 * @example
 * const options: HttpCallOptions = { url: "http://127.0.0.1:8080", timeoutMs: 10_000 };
 */
export interface HttpCallOptions {
  /** Address of the server, as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Key of the caller, sent as a bearer token. */
  readonly key?: string | undefined;
  /** Milliseconds to wait for an answer before TIMEOUT. Default: 65,000, more than a server's default limit. */
  readonly timeoutMs?: number | undefined;
  /** Default: the platform's `fetch`. */
  readonly fetch?: Post | undefined;
}

const MAX_WAIT_MS = 65_000;

/**
 * Calls a server over HTTP, at `/api/exec`. Failures of the transport are envelopes too: UNAVAILABLE, TIMEOUT, CANCELLED, and
 * VALIDATION_ERROR for arguments that JSON cannot represent.
 *
 * @throws TypeError for an invalid address, key or time
 * @example
 * const call = httpCall({ url: "http://127.0.0.1:8080", key: "twk_…" });
 * const envelope = await call({ op: "orders.list", args: { day: "2026-11-02" } });
 */
export function httpCall({
  url,
  key,
  timeoutMs = MAX_WAIT_MS,
  fetch: post = fetch as Post,
}: HttpCallOptions): ClientCall {
  if (!(timeoutMs > 0)) throw new TypeError("timeoutMs is a number of milliseconds");
  const endpoint = endpointOf(url);
  const headers = { "content-type": "application/json", ...bearer(key) };
  return async (request, signal) => {
    const body = inJson(request);
    if (body instanceof Error) return failure(request.op, "VALIDATION_ERROR", `The call is no JSON: ${body.message}`);
    const limit = AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMER_MS));
    const given = signal as AbortSignal | undefined;
    try {
      // Redirects are not followed, so that the key is sent to no other server.
      const answer = await post(endpoint, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
        signal: given ? AbortSignal.any([given, limit]) : limit,
      });
      return readEnvelope(await answer.text()) ?? failure(request.op, "UNAVAILABLE", notOurs(answer.status));
    } catch (error) {
      if (given?.aborted) return failure(request.op, "CANCELLED", "The call was given up.");
      if (limit.aborted) return failure(request.op, "TIMEOUT", tooLate(timeoutMs));
      return failure(request.op, "UNAVAILABLE", `The server was not reached: ${reasonOf(error)}`);
    }
  };
}

function endpointOf(url: string): string {
  const endpoint = URL.canParse("/api/exec", url) ? new URL("/api/exec", url) : undefined;
  // Error messages of platforms repeat the password in such an address.
  if (!endpoint || !/^https?:$/.test(endpoint.protocol) || endpoint.username || endpoint.password)
    throw new TypeError("url is the address of a server, http:// or https://, with no name or password in it");
  return endpoint.href;
}

function bearer(key: string | undefined): { readonly authorization?: string } {
  if (key === undefined) return {};
  const said = key.trim();
  // Error messages of platforms repeat such a header.
  if (!/^[!-~]+$/.test(said)) throw new TypeError("key is no key: it is empty, or holds what no key holds");
  return { authorization: `Bearer ${said}` };
}

function inJson(request: ExecRequest): string | Error {
  try {
    return JSON.stringify(request);
  } catch (error) {
    return errorOf(error);
  }
}

const tooLate = (timeoutMs: number): string =>
  `No answer within ${timeoutMs} ms. The call may have been done all the same.`;

/** The error with its cause, because `fetch failed` alone explains nothing. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${String(error)} (${cause.message})` : String(error);
}

const notOurs = (status: number): string => `The server answered with status ${status} and no envelope.`;

function readEnvelope(text: string): Envelope<unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isEnvelope = isSchema(value) && "meta" in value && (value["ok"] ? "result" : "error") in value;
    return isEnvelope ? withRounding(value as unknown as Envelope<unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const ROUNDED =
  "number_rounded: the result holds integers beyond 2^53, which JavaScript rounds; call the op through another client if every digit counts";

/** Adds a warning if a number in the envelope may differ from the server's number. */
function withRounding(envelope: Envelope<unknown>): Envelope<unknown> {
  if (!envelope.ok || !holdsRounded(envelope.result)) return envelope;
  const { meta } = envelope;
  return { ...envelope, meta: { ...meta, warnings: [...meta.warnings, ROUNDED] } };
}

const holdsRounded = (value: unknown): boolean => {
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  return typeof value === "object" && value !== null && Object.values(value).some(holdsRounded);
};

const failure = (op: string, code: ErrorCode, message: string): FailureEnvelope => ({
  op,
  ok: false,
  error: { code, message, details: {}, help_path: "root" },
  meta: { trace_id: "", latency_ms: 0, warnings: [] },
});
