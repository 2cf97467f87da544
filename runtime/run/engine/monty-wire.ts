/** Messages between the Monty engine and its child. */

import type { Limits } from "../../config/run-settings.js";
import { seconds } from "../span.js";
import type { BuiltinException, CodeDiagnostic, HostCall, PackTree, RunOutcome, Value } from "./engine.js";

/** From the engine to the child. */
export type ToChild =
  /** Packs that later runs name by this number: most runs of a server have the same. */
  | { readonly kind: "packs"; readonly id: number; readonly packs: PackTree }
  | {
      readonly kind: "run";
      readonly id: number;
      readonly code: string;
      /** The number of its packs. */
      readonly packs: number;
      readonly projects: ReadonlyMap<string, string>;
      readonly limits: Limits;
    }
  /** With the answers to the calls that follow, as far as they are known. */
  | { readonly kind: "answer"; readonly id: number; readonly answer: Answer; readonly ahead: readonly Answer[] }
  /** Drop this run; no further messages about it follow. */
  | { readonly kind: "drop"; readonly id: number }
  | { readonly kind: "check"; readonly id: number; readonly code: string; readonly stubs: string };

/** The result of a tool call. */
export type Answer =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "error"; readonly pyType: BuiltinException; readonly message: string };

/** Packs that a child keeps: the last ones that it was sent. */
export const MAX_PACKS = 16;

/** Adds packs, and removes the oldest if there are too many: engine and child remove the same. */
export function addPacks<K, V>(kept: Map<K, V>, key: K, value: V): void {
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > MAX_PACKS && oldest !== undefined) kept.delete(oldest);
}

/** From the child to the engine. */
export type FromChild =
  | { readonly kind: "ready" }
  | { readonly kind: "print"; readonly id: number; readonly text: string }
  | ({ readonly kind: "call"; readonly id: number; readonly cpuMs: number; readonly made: readonly Call[] } & Call)
  | {
      readonly kind: "done";
      readonly id: number;
      readonly end: End;
      readonly cpuMs: number;
      readonly made: readonly Call[];
    }
  | { readonly kind: "checked"; readonly id: number; readonly found: readonly CodeDiagnostic[] };

/** A call of the guest. `made` in a report are the calls before it whose answers the child had. */
export type Call = Pick<HostCall, "path" | "args" | "kwargs">;

/** The end of a run in the child, in the form of RunOutcome. */
export type End = Finished | Failure;

/** The code ran to its end. */
export type Finished = Omit<Extract<RunOutcome, { readonly ok: true }>, "stats">;

/** The code did not run to its end. */
export type Failure = Omit<Extract<RunOutcome, { readonly ok: false }>, "stats">;

/** A size in messages about limits: `20 MB`. */
export const megabytes = (bytes: number): string =>
  bytes >= 1_000_000 ? `${Math.round(bytes / 1_000_000)} MB` : `${bytes} bytes`;

/** A limit was exceeded that the interpreter does not know. */
export const overLimit = (message: string): Failure => ({ ok: false, kind: "output", pyType: "OutputError", message });

/** Message about a run that calls too many tools. */
export const calledTooOften = (most: number): string => `more than ${most} tool calls in one run`;

/** The memory limit was exceeded. */
export const outOfMemory = (bytes: number): Failure => ({
  ok: false,
  kind: "memory",
  pyType: "MemoryError",
  message: `the code needs more than ${megabytes(bytes)}`,
});

/** The CPU limit was exceeded. */
export const outOfTime = (cpuMs: number): Failure => ({
  ok: false,
  kind: "timeout",
  pyType: "TimeoutError",
  message: `the code used its ${seconds(cpuMs)} of CPU time`,
});
