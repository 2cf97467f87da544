/** A plan: the writes that a program would make. */

import { digest } from "../../contract/canonical.js";
import type { JsonObject, JsonValue } from "../../contract/registry.js";

/** What a write would give. */
export type PlannedOutcome =
  /** Its handler did it in a transaction that is rolled back. */
  | { readonly kind: "done"; readonly result?: JsonValue }
  /** It is not sent in a preview; `result` is what its planner says. */
  | { readonly kind: "assumed"; readonly result?: JsonValue }
  | { readonly kind: "fails"; readonly error: string };

/** A write that a program would make. */
export interface PlanEntry {
  /** The place of the call in the program, which counts reads, too: `3`, or `3.1` for a call that the call 3 makes. */
  readonly place: string;
  readonly op: string;
  /** Values that earlier writes make are labels, such as `‹onto.task.create#1.task.id›`. */
  readonly args: JsonObject;
  /**
   * Labels for which plain values of the arguments may stand, by JSON Pointer: `7` may be the number that an earlier write
   * gives, or one of the program itself.
   */
  readonly may_be?: Readonly<Record<string, readonly string[]>>;
  readonly outcome: PlannedOutcome;
  /** Whether its arguments or its outcome rest on what is assumed. */
  readonly is_assumed: boolean;
  /** Entries of one group are made at the same time, in any order. */
  readonly group: number;
  /** The rule that asks a person about it, such as `approve[0]`. */
  readonly rule?: string;
}

/** How far a plan can be relied on. `partial`: further writes may follow, or other ones, from the entry `partial_from` on. */
export type Exactness = "exact" | "assumed" | "partial";

/** The writes of a program. */
export interface Plan {
  readonly entries: readonly PlanEntry[];
  /** Of places, ops and arguments: two programs with the same digest make the same writes. */
  readonly digest: string;
  readonly exactness: Exactness;
  /** The number of the first entry, counted from 1, that may be another one, or be missing. */
  readonly partial_from?: number;
  /** Calls that only read. */
  readonly reads: number;
  /** With which the program would fail. */
  readonly error?: string;
}

/** Digest of what a program writes. */
export const planDigest = (entries: readonly Pick<PlanEntry, "place" | "op" | "args">[]): string =>
  digest(entries.map(({ place, op, args }) => ({ place, op, args })) as unknown as JsonObject);

/** Orders places as the program makes the calls. */
export function byPlace(a: { readonly place: string }, b: { readonly place: string }): number {
  const [left, right] = [a.place.split(".").map(Number), b.place.split(".").map(Number)];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
}
