/** What an emitted TypeScript client (`generated/surfaces/client.ts`) is made with: calls by path, and a way to a server. */

import type { Envelope, FailureEnvelope } from "./envelope.js";
import type { ErrorCode } from "./handler.js";

/** How one call is made, beside its arguments. */
export interface CallOptions {
  /** Plans a write and changes nothing. */
  readonly dryRun?: boolean;
  /** Has a write done once, however often it is sent. */
  readonly idempotencyKey?: string;
}

/** The body of `/api/exec`, which is also what `tool_exec` takes. */
export interface ExecRequest {
  readonly op: string;
  readonly args: object;
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
}

/** Has a call done and gives its envelope. */
export type Call = (request: ExecRequest) => Promise<Envelope<unknown>>;

interface Branch {
  [name: string]: unknown;
}

/**
 * Makes a client: a function for each op, under its path.
 *
 * @param ops the paths; none is the beginning of another
 */
export function clientOf<C extends object>(ops: readonly string[], call: Call): C {
  const root: Branch = Object.create(null);
  for (const op of ops) {
    const path = op.split(".");
    const name = path.pop() ?? op;
    let at = root;
    for (const part of path) {
      const next = (at[part] ?? Object.create(null)) as Branch;
      at[part] = next;
      at = next;
    }
    at[name] = (args: object = {}, { dryRun, idempotencyKey }: CallOptions = {}) =>
      call({
        op,
        args,
        ...(dryRun === undefined ? {} : { dry_run: dryRun }),
        ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
      });
  }
  return root as C;
}

/** The part of the platform's `fetch` that a client needs. */
export type Post = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly redirect: "manual";
  },
) => Promise<{ readonly status: number; text(): Promise<string> }>;

/** Where a server is, and how it is reached. */
export interface HttpCallOptions {
  /** Address of the server, as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** Key of the caller, sent as a bearer token. */
  readonly key?: string;
  /** Default: the platform's `fetch`. */
  readonly fetch?: Post;
}

/** Calls a server over HTTP, at `/api/exec`. A server that does not answer, or not with an envelope, is an envelope too: UNAVAILABLE. */
export function httpCall({ url, key, fetch: post = fetch as Post }: HttpCallOptions): Call {
  const endpoint = new URL("/api/exec", url).href;
  const headers = {
    "content-type": "application/json",
    ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  };
  return async (request) => {
    try {
      // A key goes to the server that it is for, and nowhere else.
      const answer = await post(endpoint, {
        method: "POST",
        headers,
        body: JSON.stringify(request),
        redirect: "manual",
      });
      return readEnvelope(await answer.text()) ?? failure(request.op, "UNAVAILABLE", notOurs(answer.status));
    } catch (error) {
      return failure(request.op, "UNAVAILABLE", `The server was not reached: ${String(error)}`);
    }
  };
}

const notOurs = (status: number): string => `The server answered with status ${status} and no envelope.`;

function readEnvelope(text: string): Envelope<unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isEnvelope = typeof value === "object" && value !== null && "ok" in value && "meta" in value;
    return isEnvelope ? (value as Envelope<unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const failure = (op: string, code: ErrorCode, message: string): FailureEnvelope => ({
  op,
  ok: false,
  error: { code, message, help_path: "root" },
  meta: { trace_id: "", latency_ms: 0, warnings: [] },
});
