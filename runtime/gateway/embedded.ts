/** A project's gateway for programs: calls in this process, without a transport. */

import { type CallerOf, keyCaller } from "../access/callers.js";
import { isNamed, namedPrincipal } from "../access/principal.js";
import { callsIn } from "../access/rate.js";
import { roundingsIn, withNearestNumbers } from "../call/arguments/exact.js";
import type { BatchAnswer } from "../call/batch/batch.js";
import type { CallOptions } from "../call/call.js";
import type { HelpAnswer } from "../catalog/help-answers.js";
import type { ClientCall, ClientCallOptions } from "../contract/client.js";
import type { Envelope } from "../contract/envelope.js";
import type { GatewayToolName } from "../contract/gateway-tools.js";
import { MAX_TIMER_MS } from "../contract/guard.js";
import type { Grant, Principal } from "../contract/handler.js";
import { plainJson } from "../contract/json.js";
import type { JsonObject, JsonValue, Registry, Tool } from "../contract/registry.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import type { RunAnswer } from "../run/run-answer.js";
import type { Gateway } from "./gateway.js";
import { localPrincipal } from "./gateway.js";
import { type Live, reloadOrThrow } from "./reloadable-gateway.js";

/**
 * On whose behalf a call is made: the holder of an API key of the project, or a caller that the program has authenticated
 * itself.
 *
 * @example
 * const reader: Caller = { id: "anna", grant: { level: "read", projects: ["p1"] } };
 * const holder: Caller = { key: "oub_…" };
 */
export type Caller =
  | {
      /** The key is verified, and counts against its rate limit, at each call. */
      readonly key: string;
    }
  | {
      /**
       * 1 to 64 of `A-Z a-z 0-9 . _ @ -`, not `local`. Stored results, idempotency keys and statistics are separate for each
       * caller.
       */
      readonly id: string;
      /** What the caller may use. Ops that it may not use do not exist for it. */
      readonly grant: Grant;
      /** Whether writes are on; default: if the level is not `read`. */
      readonly allowWrite?: boolean;
    };

/**
 * Options of every call.
 *
 * @example
 * const options: ForCaller = { caller: { id: "anna", grant: { level: "read", projects: "*" } } };
 */
export interface ForCaller {
  /** Default: the caller of the gateway. */
  readonly caller?: Caller;
}

/**
 * Options of a call that takes time.
 *
 * @example
 * const options: CallControl = { signal: AbortSignal.timeout(10_000), onProgress: (done, total) => console.log(done, total) };
 */
export interface CallControl extends ForCaller {
  /** Ends the call when it aborts: the answer is CANCELLED. */
  readonly signal?: AbortSignal;
  /** Called with the progress that a handler or a run reports. */
  readonly onProgress?: (done: number, total?: number, message?: string) => void;
}

/**
 * Options of {@link ProjectGateway.exec}.
 *
 * @example
 * const options: ExecOptions = { idempotencyKey: "order-17", timeoutMs: 5_000 };
 */
export interface ExecOptions extends CallControl, Omit<ClientCallOptions, "signal"> {
  /** Time limit of this call in milliseconds, if it is shorter than that of the op. */
  readonly timeoutMs?: number;
}

/**
 * Options of {@link ProjectGateway.run}.
 *
 * @example
 * const options: ProgramControl = { after: "run_k3v9q2m4x7ab" };
 */
export interface ProgramControl extends CallControl {
  /** Id of a run that failed, from its answer: calls that it has made are not made again. */
  readonly after?: string;
}

/**
 * Options of {@link ProjectGateway.help}.
 *
 * @example
 * const options: HelpQuery = { full: true, schemas: true };
 */
export interface HelpQuery extends ForCaller {
  /** Descriptions, errors and related ops too; default: false. */
  readonly full?: boolean;
  /** Default: true. */
  readonly examples?: boolean;
  /** The JSON Schema of the arguments too; default: false. */
  readonly schemas?: boolean;
  /** Only one part of the arguments or the result: `entities[].props`, `returns.items`. */
  readonly at?: string;
  /** A further page of an answer over `expose.answer_bytes`; the first is 1. */
  readonly page?: number;
}

/**
 * The request of {@link ProjectGateway.batch}: what the tool `tool_batch` takes.
 *
 * @example
 * const request: BatchRequest = {
 *   ops: [
 *     { id: "new", op: "onto.task.create", args: { project_id: "p1", title: "Call Anna" } },
 *     { op: "onto.task.get", args: { task_id: { $ref: "new#/result/id" } } },
 *   ],
 *   stop_on_error: true,
 * };
 */
export interface BatchRequest {
  /** 1 to 20 entries. Arguments may hold `{ "$ref": "<id or index>#/result/..." }`, a value from an earlier entry. */
  readonly ops: readonly BatchEntry[];
  /** Default: `sequential`; `parallel` takes only reads without references. */
  readonly mode?: "sequential" | "parallel";
  /** Whether entries after a failed one are skipped; default: false. */
  readonly stop_on_error?: boolean;
}

/**
 * One entry of a batch.
 *
 * @example
 * const entry: BatchEntry = { type: "help", path: "onto.task" };
 */
export type BatchEntry =
  | {
      readonly type?: "exec";
      readonly id?: string;
      readonly op: string;
      readonly args?: object;
      readonly dry_run?: boolean;
      readonly idempotency_key?: string;
    }
  | {
      readonly type: "help";
      readonly id?: string;
      readonly path?: string;
      readonly format?: "short" | "full";
      readonly include_examples?: boolean;
      readonly include_schemas?: boolean;
    };

/**
 * The gateway of a project in this process. A failed call is an answer, not an exception; methods reject for these reasons
 * only:
 *
 * - ToolFailure UNAUTHENTICATED, RATE_LIMITED or UNAVAILABLE: the key of the caller is not live, has made too many calls, or
 *   cannot be verified
 * - UsageError: the caller is not valid
 * - TypeError: an argument holds a value that JSON does not have, such as a `Date`
 * - Error: the gateway is closed
 *
 * @example
 * const names = (project: ProjectGateway) => project.registry.tools.map(({ op }) => op);
 */
export interface ProjectGateway {
  /**
   * Calls an op, as `tool_exec` does.
   *
   * @param op - path, tool name or alias
   * @returns the envelope: `ok: true` with the result, or `ok: false` with the error. A number that JavaScript cannot hold is
   * rounded, with a warning in `meta.warnings`
   * @example
   * const answer = await gateway.exec<{ items: { title: string }[] }>("onto.task.list", { limit: 5 });
   * if (answer.ok) for (const task of answer.result.items) console.log(task.title);
   * else console.error(answer.error.code, answer.error.message);
   */
  exec<R = JsonValue>(op: string, args?: object, options?: ExecOptions): Promise<Envelope<R>>;
  /**
   * Makes several calls, as `tool_batch` does.
   *
   * @example
   * const answer = await gateway.batch({ ops: [{ op: "onto.task.list" }, { type: "help", path: "onto.task" }] });
   * if ("results" in answer) console.log(answer.summary.succeeded);
   */
  batch(request: BatchRequest, options?: CallControl): Promise<BatchAnswer>;
  /**
   * Looks up help, as `tool_help` does.
   *
   * @param path - an op, a group, or by default `root`
   * @example
   * const answer = await gateway.help("onto.task.list", { schemas: true });
   * if (answer.type === "op") console.log(answer.usage, answer.schema);
   */
  help(path?: string, options?: HelpQuery): Promise<HelpAnswer>;
  /**
   * Runs a program over the ops in the sandbox, as the tool `run` does: in the first of `run.languages`, or in that of its fence.
   *
   * @example
   * const { text, isError } = await gateway.run("len(onto.task.list(limit=50)['items'])");
   */
  run(code: string, options?: ProgramControl): Promise<RunAnswer>;
  /** The ops that a caller sees, in the order of the registry. */
  ops(options?: ForCaller): Promise<readonly Tool[]>;
  /** The registry in force, with every op. */
  readonly registry: Registry;
  /**
   * Calls for an emitted TypeScript client (`surfaces: [typescript]`), on behalf of the caller of the gateway.
   *
   * @example
   * const client = createClient(gateway.call);
   * const answer = await client.onto.task.list({ limit: 5 });
   */
  readonly call: ClientCall;
  /**
   * Reads configuration and `generated/` again. Calls under way end on the old ones.
   *
   * @throws UsageError with the reason; nothing has changed then
   */
  reload(): Promise<void>;
  /** Closes state, servers and processes. Wait for your calls first. A second call does nothing. */
  close(): Promise<void>;
}

/** Makes the gateway for programs over the reloadable one, which it closes. */
export function embedGateway(live: Live, own: Caller | undefined): ProjectGateway {
  if (own) checkCaller(own);
  let closing: Promise<void> | undefined;
  const principal = async (caller: Caller | undefined, calls = 1): Promise<Principal> => {
    if (closing) throw new Error("the gateway is closed: create another one");
    return callerOf(live, caller ?? own)(calls);
  };
  const dispatch: Gateway["dispatch"] = (...given) => live.within((gateway) => gateway.dispatch(...given));
  const exec = async <R>(op: string, args: object = {}, options: ExecOptions = {}): Promise<Envelope<R>> => {
    const { caller, dryRun, idempotencyKey, timeoutMs } = options;
    const request = {
      ...{ op, args: inJson(args, "args") },
      ...(dryRun === undefined ? {} : { dry_run: dryRun }),
      ...(idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }),
    };
    const who = await principal(caller);
    if (timeoutMs === undefined) return plain<R>(await dispatch(request, who, hooksOf(options)));
    const late = lateness(timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
    const envelope = await dispatch(request, who, { ...hooksOf(options), signal, limitMs: timeoutMs });
    return plain<R>(late.aborted && !options.signal?.aborted ? timedOut(envelope, timeoutMs) : envelope);
  };
  return {
    exec,
    async batch(request, options = {}) {
      const given = inJson(request, "request");
      const who = await principal(options.caller, callsIn(BATCH, given));
      const answer = await live.within(({ batch }) => batch(given, who, hooksOf(options)));
      return withNearestNumbers(answer);
    },
    async help(path = "root", { caller, full = false, examples = true, schemas = false, ...part } = {}) {
      const format = full ? "full" : "short";
      const request = { path, format, include_examples: examples, include_schemas: schemas, ...part };
      return live.current().help(request, await principal(caller));
    },
    run: async (command, options = {}) => {
      const request = options.after === undefined ? { command } : { command, after: options.after };
      const who = await principal(options.caller);
      const { text, isError, notes } = await live.within((gateway) => gateway.run(request, who, hooksOf(options)));
      return { text, isError, ...(notes === undefined ? {} : { notes }) };
    },
    ops: async ({ caller } = {}) => live.current().index.view((await principal(caller, 0)).grant).listed,
    get registry() {
      return live.current().index.registry;
    },
    call: ({ op, args, dry_run: dryRun, idempotency_key: idempotencyKey }, signal) =>
      exec(op, args, { dryRun, idempotencyKey, ...(signal ? { signal: signal as AbortSignal } : {}) }),
    reload: () => reloadOrThrow(live),
    close: () => {
      closing ??= live.close();
      return closing;
    },
  };
}

const BATCH: GatewayToolName = "tool_batch";

/** @throws UsageError naming the fault and the remedy */
function checkCaller(caller: Caller): void {
  if ("key" in caller || isNamed(caller)) return;
  throw new UsageError(
    "a caller is { key } or { id, grant: { level, projects } }: id has 1 to 64 of A-Z a-z 0-9 . _ @ - and is not local, " +
      'level is read, write or admin, projects is "*" or a list of ids',
  );
}

function callerOf(live: Live, caller: Caller | undefined): CallerOf {
  if (!caller) return () => localPrincipal(live.current().settings);
  checkCaller(caller);
  return "key" in caller ? keyCaller(live.current, caller.key) : () => namedPrincipal(caller);
}

const hooksOf = ({ signal, onProgress }: CallControl): CallOptions => ({
  ...(signal ? { signal } : {}),
  ...(onProgress ? { progress: onProgress } : {}),
});

/** @throws TypeError for a value that JSON does not have */
function inJson(value: object, name: string): JsonObject {
  try {
    return plainJson(value, name) as JsonObject;
  } catch (error) {
    throw new TypeError(messageOf(error));
  }
}

const ROUNDED = "number_rounded: the result holds numbers that JavaScript rounds; use run if every digit counts";

/** An envelope with plain JavaScript numbers. */
function plain<R>(envelope: Envelope): Envelope<R> {
  if (!envelope.ok) return withNearestNumbers(envelope);
  const { meta, result } = envelope;
  const warnings = roundingsIn(result).length > 0 ? [...meta.warnings, ROUNDED] : meta.warnings;
  return { ...envelope, result: withNearestNumbers(result) as R, meta: { ...meta, warnings } };
}

/** A signal that aborts after the time. @throws TypeError if it is no time */
function lateness(ms: number): AbortSignal {
  if (!(ms > 0)) throw new TypeError("timeoutMs is a number of milliseconds, over 0");
  return AbortSignal.timeout(Math.min(ms, MAX_TIMER_MS));
}

/** The envelope of a call that was ended because its own time was over. */
function timedOut(envelope: Envelope, ms: number): Envelope {
  if (envelope.ok || envelope.error.code !== "CANCELLED") return envelope;
  const message = envelope.error.message.replace(/^The call was cancelled\./, `The call took longer than ${ms} ms.`);
  return { ...envelope, error: { ...envelope.error, code: "TIMEOUT", message } };
}
