/**
 * The programmatic API of the package: `import { build, createGateway, generate, serve } from "toolwright"`, and the types of plugins.
 *
 * Importing this module loads no compiler, no validator and no server: a function imports what it needs when it is called.
 * Generated code and handlers import `toolwright/codegen`.
 */

import { join, resolve } from "node:path";
import type { Registry } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import type { Caller, ProjectGateway } from "../../runtime/gateway/embedded.js";
import type { Start } from "../../runtime/gateway/open-project.js";
import type { Server } from "../../runtime/serve/serve.js";
import type { Diagnostic } from "../core/diagnostic.js";
import type { VirtualFile } from "../emit/emitter.js";

export type { BatchAnswer } from "../../runtime/call/batch/batch.js";
export type { HelpAnswer } from "../../runtime/catalog/help-answers.js";
export type { ClientCall as Call } from "../../runtime/contract/client.js";
export type { Envelope, ErrorBody, FailureEnvelope, Meta, SuccessEnvelope } from "../../runtime/contract/envelope.js";
export type { ErrorCode, Grant } from "../../runtime/contract/handler.js";
export { isToolFailure, ToolFailure } from "../../runtime/contract/handler.js";
export type {
  Annotations,
  JsonObject,
  JsonSchema,
  JsonValue,
  Kind,
  Registry,
  Tool,
} from "../../runtime/contract/registry.js";
export { isUsageError, UsageError } from "../../runtime/contract/usage-error.js";
export type {
  BatchEntry,
  BatchRequest,
  CallControl,
  Caller,
  ExecOptions,
  ForCaller,
  HelpQuery,
  ProgramControl,
  ProjectGateway,
} from "../../runtime/gateway/embedded.js";
export type { RunAnswer } from "../../runtime/run/run-answer.js";
export type { Server } from "../../runtime/serve/serve.js";
export type { Diagnostic, Place } from "../core/diagnostic.js";
export type { VirtualFile } from "../emit/emitter.js";
export type {
  EmitterPlugin,
  OptionsSchema,
  Plugin,
  PluginOptions,
  SourceDiagnostic,
  SourceHost,
  SourceInput,
  SourceOutput,
  SourcePlugin,
  SourceText,
  ToolDefinition,
} from "../plugin/plugin.js";

/**
 * Options of {@link build} and {@link generate}.
 *
 * @example
 * const options: BuildOptions = { root: "packages/tools", strict: true };
 */
export interface BuildOptions {
  /** Folder of the project, which contains `definitions/`. Default: the working directory. */
  readonly root?: string;
  /** Whether a warning fails the build, as an error does. */
  readonly strict?: boolean;
}

/**
 * Result of {@link build}.
 *
 * @example
 * const errors = ({ diagnostics }: BuildResult) => diagnostics.filter(({ severity }) => severity === "error");
 */
export interface BuildResult {
  /** Whether the definitions have no fault: no error, and with `strict` no warning about a definition that the project writes. */
  readonly ok: boolean;
  /** All files of `generated/`, sorted by path. Empty if a diagnostic is an error. */
  readonly files: readonly VirtualFile[];
  /** Faults of the definitions, sorted by place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absent if a diagnostic is an error. */
  readonly registry?: Registry;
}

/**
 * Result of {@link generate}. Paths are relative to `generated/`.
 *
 * @example
 * const isClean = ({ ok, written, deleted }: GenerateResult) => ok && written.length + deleted.length === 0;
 */
export interface GenerateResult extends BuildResult {
  /** Files that were new or different. */
  readonly written: readonly string[];
  /** Files that were generated before and are no longer. */
  readonly deleted: readonly string[];
  /** Number of files that were the same already. */
  readonly unchanged: number;
}

/**
 * Builds a project in memory: reads `definitions/`, writes nothing below `generated/`.
 *
 * @returns files, diagnostics and registry; a fault of the definitions is a diagnostic, not an error that is thrown
 * @example
 * const { ok, registry, diagnostics } = await build({ root: "." });
 * if (!ok) for (const { file, line, message, fix } of diagnostics) console.error(`${file}:${line} ${message}; ${fix}`);
 * for (const { op, kind } of registry?.tools ?? []) console.log(op, kind);
 */
export async function build({ root = ".", strict = false }: BuildOptions = {}): Promise<BuildResult> {
  const [{ attempt }, { buildSetting }] = await Promise.all([import("../cli/attempt.js"), import("./start.js")]);
  const setting = { ...buildSetting(resolve(root)), progress: () => {} };
  const { build: built, diagnostics, failed } = await attempt(setting, strict);
  const { registry, files = [] } = built ?? {};
  return { ok: !failed, files, diagnostics, ...(registry ? { registry } : {}) };
}

/**
 * Builds a project and writes `generated/`, as `toolwright generate` does. If the build fails, nothing is written.
 *
 * @returns what {@link build} returns, and what changed on the disk
 * @throws Error naming the path of `generated/` that cannot be written
 * @example
 * const { ok, written, deleted } = await generate({ root: ".", strict: true });
 * if (ok) console.log(`${written.length} written, ${deleted.length} deleted`);
 */
export async function generate(options: BuildOptions = {}): Promise<GenerateResult> {
  const result = await build(options);
  if (!result.ok) return { ...result, written: [], deleted: [], unchanged: 0 };
  const { writeFiles } = await import("../cli/files.js");
  return { ...result, ...writeFiles(join(resolve(options.root ?? "."), "generated"), result.files) };
}

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
  /** Accepted, and of no effect: Python runs on CPython. */
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
    import("../../runtime/gateway/embedded.js"),
    import("../../runtime/gateway/start-gateway.js"),
  ]);
  const live = await startGateway(start, "command", { onLog: options.onLog });
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
  const [start, { openServer }] = await Promise.all([startOf(options), import("../../runtime/serve/serve.js")]);
  const flags = {
    ...{ stdio, console: hasConsole },
    ...(http === undefined ? {} : { http: String(http) }),
    ...(socket === undefined ? {} : { socket }),
  };
  return openServer(start, flags, { onLog: options.onLog });
}

async function startOf({ root = ".", allowWrite, state, engine, logLevel }: ProjectOptions): Promise<Start> {
  const { startProject } = await import("./start.js");
  if (engine !== undefined)
    process.emitWarning((await import("../../runtime/contract/settings/runs.js")).RUN_ENGINE_IGNORED);
  const given = { allowWrite, state, logLevel };
  const overrides = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const print = { out: () => {}, err: () => {}, paint: (_: string, text: string) => text };
  const { start } = await startProject({ root: resolve(root), overrides, refuse, ...print });
  return start;
}

async function refuse(faults: readonly Diagnostic[]): Promise<never> {
  const { shortDiagnostic } = await import("../core/diagnostic.js");
  throw new UsageError(`definitions/toolwright.yaml cannot be used:\n${faults.map(shortDiagnostic).join("\n")}`);
}
