/** The interface of an engine: runs Python, pauses at tool calls, and knows nothing of packs, formats or stores. Only plain data crosses. */

import type { SyntaxFacts } from "../facts.js";

/** What one run may use. Times in milliseconds, sizes in bytes. */
export interface Limits {
  readonly cpuMs: number;
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly recursion: number;
  readonly hostCalls: number;
  readonly printBytes: number;
  readonly resultBytes: number;
  readonly resultDepth: number;
}

/** A Python value as plain data. A plain object is never one: keys of the guest must not become property lookups. */
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
  /** `1.0`, `nan`, `inf`: what a number of the host would not keep apart from `1`. */
  | { readonly $: "float"; readonly text: string }
  | { readonly $: "datetime" | "date" | "timedelta" | "path" | "opaque"; readonly text: string };

/** A tool call of the guest: `onto.task.list(limit=3)` has the path `onto`, `task`, `list`; a bare call has one part. */
export interface HostCall {
  readonly path: readonly string[];
  readonly args: readonly Value[];
  readonly kwargs: readonly (readonly [string, Value])[];
  /** Line of the rewritten code, from 1. */
  readonly line?: number;
  readonly signal: AbortSignal;
}

/** Exceptions that keep their type in the guest; everything else is a RuntimeError there. */
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

/** Name of an exception that keeps its type in the guest. */
export type BuiltinException = (typeof BUILTIN_EXCEPTIONS)[number];

/** What a tool call raises in the guest. */
export class HostError extends Error {
  override readonly name = "HostError";
  readonly pyType: BuiltinException;
  constructor(pyType: BuiltinException, message: string) {
    super(message);
    this.pyType = pyType;
  }
}

/** Packs by name, their ops nested by segment; `null` is an op. Maps, since names come from outside. */
export interface PackTree extends ReadonlyMap<string, PackTree | null> {}

/** What the guest can reach. */
export interface Namespace {
  readonly packs: PackTree;
  /** Paths of ops that can be called, and are never listed. */
  readonly hidden?: ReadonlySet<string>;
  /** `proj.<name>`: name to path. */
  readonly projects: ReadonlyMap<string, string>;
  /** Carries out a call; a HostError is raised at the call, anything else is a fault of ours. */
  call(call: HostCall): Promise<Value>;
}

/** One run. */
export interface RunRequest {
  /** Rewritten code: `__ret(...)` stands where a result is captured. */
  readonly code: string;
  /** The code with an engine's own checks in it, where they are made already. */
  readonly checked?: string;
  readonly namespace: Namespace;
  readonly limits: Limits;
  readonly signal?: AbortSignal;
  onPrint(text: string): void;
}

/** Why a run failed. */
export type FailureKind =
  | "syntax"
  | "runtime"
  | "unsupported"
  | "timeout"
  | "memory"
  | "output"
  | "cancelled"
  | "crashed";

/** How a run ended. */
export type RunOutcome =
  | {
      readonly ok: true;
      readonly outcome: "value" | "none" | "novalue";
      readonly value: Value;
      /** The value as JSON, made in the guest, which keeps `1.0` apart from `1`. */
      readonly json?: string;
      /** `str(value)`, where `__format__` is `raw`. */
      readonly str?: string;
      /** The magic variables `__format__` and `__sanitize__`, where the code set them. */
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
      /** Of the rewritten code, from 1; the innermost frame in it. */
      readonly line?: number;
      readonly column?: number;
      /** What the engine lacks, where `kind` is `unsupported`. */
      readonly feature?: string;
      readonly stats: EngineStats;
    };

/** What a run took. */
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
  /** Of the code that was checked, from 1. */
  readonly line: number;
  readonly column: number;
  /** In the words of the checker, which names the classes of the stubs. */
  readonly message: string;
}

/** Runs Python. */
export interface Engine {
  readonly id: "monty" | "cpython";
  /** Whether this engine can run code with these facts; else the first thing it lacks, and where. */
  supports(facts: SyntaxFacts): true | { readonly feature: string; readonly line: number };
  check?(code: string, stubs: string): Promise<readonly CodeDiagnostic[]>;
  run(request: RunRequest): Promise<RunOutcome>;
  dispose(): Promise<void>;
}
