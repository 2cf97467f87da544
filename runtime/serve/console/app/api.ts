/** The client of the console's HTTP API. Every answer is JSON; a refusal has the form of an envelope. */

import type { ListedConnection } from "../../../connections/rows.js";
import type { ShownConnection } from "../../../connections/sign-ins.js";
import type { ConfigChange, ConfigPreview, ConfigView, ConfigWritten } from "../../../contract/config-change.js";
import type { Envelope } from "../../../contract/error-body.js";
import { writeJson } from "../../../contract/exact-number.js";
import type { HelpArgument } from "../../../contract/help.js";
import { readJson } from "../../../contract/read-json.js";
import type { Example, Policy } from "../../../contract/registry.js";
import type { ConsoleDecision, ConsoleDecisions, SeenWaiting } from "../../../gateway/console-approvals.js";
import type { ClientEntries, Found, NamesById, SeenServer } from "../../../gateway/console-data.js";
import type { RecentCalls } from "../../../gateway/shared-calls.js";
import type { ShownProgram } from "../../../run/kept/stored-program.js";
import type { LoginWays } from "../login-ways.js";
import type { RunReply } from "../run.js";
import type { SeenRegistry, SeenTool } from "../visible-registry.js";

/** A refusal of the server, or a failure to reach it. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status; 0 without a response. */
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A parsed answer. */
// biome-ignore lint/suspicious/noExplicitAny: each request says what its answer is.
type Json = any;

/** Called when a login is required. */
let onLogin = (): void => undefined;

/** Sets the function that is called whenever the server requires a login. */
export function whenLoginIsNeeded(listener: () => void): void {
  onLogin = listener;
}

const STOPPED = "Stopped. What was done by then stays done.";

async function ask<T>(path: string, init: RequestInit = {}, parse: (text: string) => Json = JSON.parse): Promise<T> {
  const answer = await fetch(path, { credentials: "same-origin", ...init }).catch(() => {
    throw new ApiError(0, init.signal?.aborted ? STOPPED : "The server cannot be reached.");
  });
  const body = await answer
    .text()
    .then(parse)
    .catch(() => undefined);
  if (answer.ok) return body as T;
  if (answer.status === 401 && path !== "/api/login") onLogin();
  throw new ApiError(answer.status, body?.error?.message ?? `The server answered ${answer.status}.`);
}

const post = <T>(
  path: string,
  body: object,
  signal: AbortSignal | null = null,
  parse?: (text: string) => Json,
): Promise<T> =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: writeJson(body), signal }, parse);

/** A call of an op. */
export interface OpCall {
  readonly op: string;
  readonly args: object;
  readonly dry_run?: boolean;
  readonly idempotency_key?: string;
}

/** Names of users by their ids. */
interface Named {
  readonly names: NamesById;
}

/** What waits, with the programs of it by their runs. */
interface SeenApprovals {
  readonly waiting: readonly SeenWaiting[];
  readonly programs: Readonly<Record<string, ShownProgram>>;
}

/** The requests of the pages. All of them reject with {@link ApiError}. */
export const api = {
  login: (key: string) => post<{ readonly ok: true }>("/api/login", { key }),
  ways: () => ask<LoginWays>("/api/login/ways"),
  /** Begins a login through an identity provider; returns the address to go to. */
  begin: (issuer: string) => post<{ readonly url: string }>("/api/login/begin", { issuer, to: location.hash }),
  logout: () => post<{ readonly ok: true }>("/api/logout", {}),
  registry: () => ask<SeenRegistry>("/api/registry"),
  op: (name: string) => ask<SeenTool>(`/api/op?${new URLSearchParams({ name }).toString()}`),
  search: (query: string) =>
    ask<{ readonly found: readonly Found[] }>(`/api/search?${new URLSearchParams({ query }).toString()}`),
  clients: (url: string) =>
    ask<{ readonly clients: readonly ClientEntries[] }>(`/api/connect?${new URLSearchParams({ url }).toString()}`),
  help: (path: string) => post<HelpReply>("/api/help", { path, format: "full" }),
  exec: (call: OpCall, signal?: AbortSignal) => post<Envelope>("/api/exec", call, signal ?? null, readJson),
  run: (
    command: string,
    how: { readonly check?: true; readonly preview?: true; readonly language?: string } = {},
    signal?: AbortSignal,
  ) => post<RunReply>("/api/run", { command, ...how }, signal, readJson),
  /** Data of a feature, by its name. */
  added: <T>(name: string, query: Readonly<Record<string, string>>) =>
    ask<T>(`/api/${name}?${new URLSearchParams(query).toString()}`),
  calls: (limit: number) => ask<RecentCalls & Named>(`/api/calls?limit=${limit}`),
  restart: (name: string) =>
    post<{ readonly ok: boolean; readonly message?: string }>("/api/servers/restart", { name }),
  connections: () =>
    ask<
      { readonly connections: readonly ShownConnection[]; readonly all?: readonly ListedConnection[] } & Partial<Named>
    >("/api/connections"),
  startConnection: (name: string) => post<{ readonly url: string }>("/api/connections/start", { name }),
  revokeConnection: (of: { readonly name: string; readonly kind: string; readonly principal?: string }) =>
    post<{ readonly ok: true }>("/api/connections/revoke", of),
  approvals: () => ask<SeenApprovals & Named>("/api/approvals", {}, readJson),
  decide: (decision: ConsoleDecision) => post<{ readonly ok: true }>("/api/approvals/decide", decision),
  decideAll: (decisions: ConsoleDecisions) => post<{ readonly ok: true }>("/api/approvals/decide-all", decisions),
  stopRun: (of: { readonly run: string; readonly reason: string }) =>
    post<{ readonly ok: true }>("/api/approvals/stop", of),
  config: () => ask<ConfigView>("/api/config"),
  preview: (change: ConfigChange) => post<ConfigPreview>("/api/config/preview", { change }),
  write: (change: ConfigChange, digest: string) => post<ConfigWritten>("/api/config/write", { change, digest }),
  servers: () => ask<{ readonly status: string; readonly servers: readonly SeenServer[] }>("/api/servers"),
};

/** The help of one op. */
export interface OpDocument {
  readonly type: "op";
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly usage?: string;
  readonly args?: readonly HelpArgument[];
  readonly notes?: readonly string[];
  readonly policy?: Partial<Policy>;
  readonly returns?: string;
  readonly errors?: readonly string[];
  readonly see_also?: readonly string[];
  readonly constraints?: readonly string[];
  readonly examples?: readonly Example[];
}

/** An answer of help. */
export type HelpReply =
  | OpDocument
  | { readonly type: "directory"; readonly path: string }
  | { readonly type: "not_found"; readonly path: string; readonly suggestions: readonly string[] }
  | { readonly type: "error"; readonly path: string };
