/** A place in a schema for which values are made. */

import type { JsonValue } from "../../runtime/contract/registry.js";
import type { Node } from "./node.js";

/** A place for which values are made. */
export interface Place {
  /** Schemas that the values must satisfy: those of the old side. */
  readonly facts: readonly Node[];
  /** Schemas of the new side that differ from the facts: their edges count as well. None: the place is the same on both sides. */
  readonly later: readonly Node[];
  readonly depth: number;
  readonly budget: { left: number };
  /** Steps that may still be taken to judge values. */
  readonly judging: { left: number };
  /** Values that authors give for this place. */
  readonly given?: readonly JsonValue[];
  /** Schemas on the way here: inside itself, a schema gets values of less depth. */
  readonly above: readonly unknown[];
}

/** Makes values of a place inside another. */
export type ValuesOf = (place: Place) => readonly JsonValue[];
