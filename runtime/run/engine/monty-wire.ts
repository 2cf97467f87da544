/** What the Monty engine and its child say to each other, by structured clone. */

import type { BuiltinException, CodeDiagnostic, Limits, PackTree, RunOutcome, Value } from "./engine.js";

/** From the engine to the child. */
export type ToChild =
  | {
      readonly kind: "run";
      readonly id: number;
      readonly code: string;
      readonly packs: PackTree;
      readonly projects: ReadonlyMap<string, string>;
      readonly limits: Limits;
    }
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer }
  /** Forget this run; nothing more is said about it. */
  | { readonly kind: "drop"; readonly id: number }
  | { readonly kind: "check"; readonly id: number; readonly code: string; readonly stubs: string };

/** What a tool call came to. */
export type Answer =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "error"; readonly pyType: BuiltinException; readonly message: string };

/** From the child to the engine. */
export type FromChild =
  | { readonly kind: "ready" }
  /** The guest's code begins to run, or goes on. */
  | { readonly kind: "slice"; readonly id: number }
  | { readonly kind: "print"; readonly id: number; readonly text: string }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly path: readonly string[];
      readonly args: readonly Value[];
      readonly kwargs: readonly (readonly [string, Value])[];
      readonly cpuMs: number;
    }
  | { readonly kind: "done"; readonly id: number; readonly end: End; readonly cpuMs: number }
  | { readonly kind: "checked"; readonly id: number; readonly found: readonly CodeDiagnostic[] };

/** How a run ended in the child; a failure in the words of RunOutcome. */
export type End = Finished | Failure;

/** The code ran to its end. */
export type Finished = Omit<Extract<RunOutcome, { readonly ok: true }>, "stats">;

/** The code did not run to its end. */
export type Failure = Omit<Extract<RunOutcome, { readonly ok: false }>, "stats">;

/** A size as the limit texts show it: `20 MB`. */
export const megabytes = (bytes: number): string =>
  bytes >= 1_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${bytes} bytes`;

/** A time as the limit texts show it: `10 s`. */
export const seconds = (ms: number): string => `${ms / 1000} s`;

/** A limit was passed that the interpreter does not know. */
export const overLimit = (message: string): Failure => ({ ok: false, kind: "output", pyType: "OutputError", message });

/** What is said of a run that calls too many tools. */
export const calledTooOften = (most: number): string => `more than ${most} tool calls in one run`;

/** The memory limit was passed. */
export const outOfMemory = (bytes: number): Failure => ({
  ok: false,
  kind: "memory",
  pyType: "MemoryError",
  message: `the code needs more than ${megabytes(bytes)}`,
});

/** The CPU limit was passed. */
export const outOfTime = (cpuMs: number): Failure => ({
  ok: false,
  kind: "timeout",
  pyType: "TimeoutError",
  message: `the code used its ${seconds(cpuMs)} of CPU time`,
});
