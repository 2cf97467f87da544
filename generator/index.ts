/**
 * The programmatic API of the package: `import { createGateway, serve } from "toolwright"`.
 *
 * Importing this module loads no compiler, no validator and no server: a function imports what it needs when it is called.
 * Generated code and handlers import `toolwright/codegen`.
 */

import { resolve } from "node:path";
import { UsageError } from "../runtime/contract/usage-error.js";
import type { Caller, ProjectGateway } from "../runtime/gateway/embedded.js";
import type { Start } from "../runtime/gateway/open-project.js";
import type { Server } from "../runtime/serve/serve.js";
import type { Diagnostic } from "./core/diagnostic.js";

export type { BatchAnswer } from "../runtime/call/batch/batch.js";
export type { HelpAnswer } from "../runtime/catalog/help.js";
export type { Call } from "../runtime/contract/client.js";
export type { Envelope, ErrorBody, FailureEnvelope, Meta, SuccessEnvelope } from "../runtime/contract/envelope.js";
export type { ErrorCode, Grant, ToolFailure } from "../runtime/contract/handler.js";
export { isToolFailure } from "../runtime/contract/handler.js";
export type { JsonObject, JsonValue, Registry, Tool } from "../runtime/contract/registry.js";
export { isUsageError, type UsageError } from "../runtime/contract/usage-error.js";
export type {
  BatchEntry,
  BatchRequest,
  CallControl,
  Caller,
  ExecOptions,
  ForCaller,
  HelpQuery,
  ProjectGateway,
} from "../runtime/gateway/embedded.js";
export type { RunAnswer } from "../runtime/run/runner.js";
export type { Server } from "../runtime/serve/serve.js";

/**
 * Options of {@link createGateway} and {@link serve}: a project, and what replaces its configuration.
 *
 * @example
 * const options: ProjectOptions = { root: "packages/tools", allowWrite: true, logLevel: "warn" };
 */
export interface ProjectOptions {
  /** Folder of the project, with `definitions/` and `generated/`. Default: the working directory. */
  readonly root?: string;
  /** Whether the local caller may write. Default: `access.allow_write`. */
  readonly allowWrite?: boolean;
  /** Address of the state database, `postgres://…`. Default: `state`. */
  readonly state?: string;
  /** Engine of `run`. Default: `engine`. */
  readonly engine?: "auto" | "monty" | "cpython";
  /** Default: `log.level`. */
  readonly logLevel?: "trace" | "debug" | "info" | "warn" | "error" | "silent";
  /** Receives the log without secrets, a line of JSON each. Default: stderr, or `log.file`. */
  readonly onLog?: (line: string) => void;
}

/**
 * Options of {@link createGateway}.
 *
 * @example
 * const options: GatewayOptions = { caller: { id: "nightly", grant: { level: "read", projects: "*" } } };
 */
export interface GatewayOptions extends ProjectOptions {
  /** On whose behalf calls are made, unless a call names another caller. Default: the local caller, with the level `access.local`. */
  readonly caller?: Caller;
}

/**
 * Creates the gateway of a project in this process: calls, batches, help and programs, without a transport. Resolving,
 * access, validation, repairs, audit and statistics are those of a server.
 *
 * @returns a gateway, which you close
 * @throws UsageError if the configuration has faults, `generated/` is missing or of another version, a variable is not set,
 * the state cannot be used, or the caller is not valid; the message names the remedy
 * @example
 * const gateway = await createGateway({ root: ".", allowWrite: true });
 * const answer = await gateway.exec("onto.task.list", { limit: 5 });
 * console.log(answer.ok ? answer.result : answer.error.message);
 * await gateway.close();
 */
export async function createGateway(options: GatewayOptions = {}): Promise<ProjectGateway> {
  const [start, { embedGateway }, { requireState, startGateway }] = await Promise.all([
    startOf(options),
    import("../runtime/gateway/embedded.js"),
    import("../runtime/gateway/start-gateway.js"),
  ]);
  const live = await startGateway(start, "command", options.onLog);
  try {
    const gateway = embedGateway(live, options.caller);
    await requireState(live);
    return gateway;
  } catch (error) {
    await live.close();
    throw error;
  }
}

/**
 * Options of {@link serve}: at least one of `stdio`, `http` and `socket`.
 *
 * @example
 * const options: ServeOptions = { http: "127.0.0.1:8080", socket: true, console: false };
 */
export interface ServeOptions extends ProjectOptions {
  /** Serves the client on stdin and stdout. `console` then prints to stderr, since stdout carries the protocol. */
  readonly stdio?: boolean;
  /** `PORT` or `HOST:PORT`; 0 is any free port. Without a host only this machine can connect. */
  readonly http?: number | string;
  /** Path of a Unix domain socket, or `true` for the default one. */
  readonly socket?: string | true;
  /** Whether `http` serves the console too. Default: true. */
  readonly console?: boolean;
}

/**
 * Serves a project as `toolwright serve` does, in this process. It handles no signals: close the server when your program
 * ends.
 *
 * @returns the server, whose transports are open
 * @throws UsageError as {@link createGateway}, and for an address or a path that cannot or must not be bound
 * @example
 * const server = await serve({ root: ".", http: 8080 });
 * process.once("SIGTERM", () => void server.close());
 * await server.ended;
 */
export async function serve(options: ServeOptions): Promise<Server> {
  const { stdio = false, http, socket, console: hasConsole = true } = options;
  if (!stdio && http === undefined && socket === undefined)
    throw new UsageError("serve() opens no transport: set stdio: true, http: PORT or socket: true");
  const [start, { openServer }] = await Promise.all([startOf(options), import("../runtime/serve/serve.js")]);
  const flags = {
    ...{ stdio, console: hasConsole },
    ...(http === undefined ? {} : { http: String(http) }),
    ...(socket === undefined ? {} : { socket }),
  };
  return openServer(start, flags, { onLog: options.onLog });
}

async function startOf({ root = ".", allowWrite, state, engine, logLevel }: ProjectOptions): Promise<Start> {
  const { startProject } = await import("./start.js");
  const given = { allowWrite, state, engine, logLevel };
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const print = { out: () => {}, err: () => {}, paint: (_: string, text: string) => text };
  const { start } = await startProject({ root: resolve(root), overrides, refuse, ...print });
  return start;
}

async function refuse(faults: readonly Diagnostic[]): Promise<never> {
  const { shortDiagnostic } = await import("./core/diagnostic.js");
  throw new UsageError(`definitions/toolwright.yaml cannot be used:\n${faults.map(shortDiagnostic).join("\n")}`);
}
