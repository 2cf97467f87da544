/**
 * The interface of an engine, which runs Python and pauses at tool calls; it is independent of packs, formats and
 * stores. Only plain data crosses it.
 */

import type { Limits } from "../../config/run-settings.js";
import type { DeliveryLog, RunOrigin } from "./delivery-log.js";

/** A Python value as plain data. Never a plain object: keys of the guest must not become property lookups. */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Value[]
  | { readonly $: "dict"; readonly entries: readonly (readonly [Value, Value])[] }
  | { readonly $: "tuple" | "set"; readonly items: readonly Value[] }
  /** `1.0`, `nan`, `inf`: floats that a JavaScript number would not distinguish from `1`. */
  | { readonly $: "float"; readonly text: string }
  | { readonly $: "datetime" | "date" | "timedelta" | "path" | "opaque"; readonly text: string };

/** Why calls of a run that has ended are cancelled. Without a reason, Node.js makes an error with a stack. */
export const RUN_ENDED = "the run has ended";

/** A tool call of the guest: `onto.task.list(limit=3)` has the path `onto`, `task`, `list`; a bare call has one part. */
export interface HostCall {
  readonly path: readonly string[];
  readonly args: readonly Value[];
  readonly kwargs: readonly (readonly [string, Value])[];
  /** Line of the rewritten code, from 1. */
  readonly line?: number | undefined;
  readonly signal: AbortSignal;
  /** Its place among the calls of the run, from 1, if the run has a journal. */
  readonly ordinal?: number | undefined;
  /** Resolves when the code waits: it makes no other call before an answer. Absent if it waits for each call. */
  readonly settled?: (() => Promise<void>) | undefined;
}

/** Exceptions that keep their type in the guest; all others become RuntimeError there. */
export const BUILTIN_EXCEPTIONS = [
  "ArithmeticError",
  "AssertionError",
  "AttributeError",
  "ConnectionError",
  "FileNotFoundError",
  "IndexError",
  "KeyError",
  "LookupError",
  "NameError",
  "NotImplementedError",
  "OSError",
  "OverflowError",
  "PermissionError",
  "RuntimeError",
  "TimeoutError",
  "TypeError",
  "ValueError",
  "ZeroDivisionError",
] as const;

/** The answer to a call: its value, or what it raised. */
export type LoggedAnswer = { readonly value: Value } | { readonly error: unknown };

/** Name of an exception that keeps its type in the guest. */
export type BuiltinException = (typeof BUILTIN_EXCEPTIONS)[number];

/** The data of a failed call, which the exception has as attributes. */
export interface FailureData {
  readonly code: string;
  /** A dict. */
  readonly details: Value;
}

/** The data of a call that was refused before it was made. */
const REFUSED: FailureData = { code: "VALIDATION_ERROR", details: { $: "dict", entries: [] } };

/** The exception that a tool call raises in the guest. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly pyType: BuiltinException;
  /** Attributes of the exception. */
  readonly data: FailureData;
  constructor(pyType: BuiltinException, message: string, data: FailureData = REFUSED) {
    super(message);
    this.pyType = pyType;
    this.data = data;
  }
}

/** The name of the op of a pack that is an op too, in that pack: no segment of a path is empty. */
export const OWN_OP = "";

/**
 * Packs by name, their ops nested by segment; `null` is an op. `onto.search` beside `onto.search.project` is `OWN_OP` in the pack
 * `onto.search`. Maps, because names are untrusted.
 */
export interface PackTree extends ReadonlyMap<string, PackTree | null> {}

/** The names that the guest can use. */
export interface Namespace {
  readonly packs: PackTree;
  /** Paths of ops that can be called but are never listed. */
  readonly hidden?: ReadonlySet<string>;
  /** `proj.<name>`: name to path. */
  readonly projects: ReadonlyMap<string, string>;
  /** Executes a call; a HostError is raised in the guest, any other error is internal. */
  call(call: HostCall): Promise<Value>;
}

/** One run. */
export interface RunRequest {
  /** Whose code it is: what has run code of one owner runs no code of another. See `ownerOf`. */
  readonly owner: string;
  /** Whether another program may wait for it: it must not wait until that one has ended. */
  readonly isInner?: boolean;
  /** Rewritten code, with `__ret(...)` where a result is captured. */
  readonly code: string;
  readonly namespace: Namespace;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
  /** Seed and start time; by default new ones. */
  readonly origin?: RunOrigin;
  /** The order of deliveries; by default a new log. */
  readonly log?: DeliveryLog;
  onPrint(text: string): void;
}

/** Why a run failed. */
export type FailureKind = "syntax" | "runtime" | "timeout" | "memory" | "output" | "cancelled" | "crashed";

/** How a run ended. */
export type RunOutcome =
  | {
      readonly ok: true;
      readonly outcome: "value" | "none" | "novalue";
      readonly value: Value;
      /** The value as JSON, made in the guest, which distinguishes `1.0` from `1`. */
      readonly json?: string;
      /** `str(value)`, if `__format__` is `raw`. */
      readonly str?: string;
      /** The magic variables `__format__` and `__sanitize__`, if the code sets them. */
      readonly format?: Value;
      readonly sanitize?: Value;
      readonly stats: EngineStats;
    }
  | {
      readonly ok: false;
      readonly kind: FailureKind;
      /** `ZeroDivisionError` */
      readonly pyType: string;
      readonly message: string;
      /** In the rewritten code, from 1; the innermost frame in it. */
      readonly line?: number;
      readonly column?: number;
      readonly stats: EngineStats;
    };

/** Resources that a run used. */
export interface EngineStats {
  readonly engine: string;
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly hostCalls: number;
  readonly printedBytes: number;
}

/** A finding of the type check. */
export interface CodeDiagnostic {
  /** The checker's name for the rule: `unresolved-attribute`. */
  readonly rule: string;
  /** In the checked code, from 1. */
  readonly line: number;
  readonly column: number;
  /** Message of the checker, which uses the class names of the stubs. */
  readonly message: string;
}

/** Runs Python. */
export interface Engine {
  readonly id: "cpython";
  run(request: RunRequest): Promise<RunOutcome>;
  dispose(): Promise<void>;
}
