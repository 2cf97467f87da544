/** Changes of rules across arguments, judged by the check of the runtime, which `breaking` does not use. */

import { Ajv } from "ajv";
import { checkConstraints } from "../../../../runtime/call/arguments/constraints.js";
import type { Constraint, JsonObject, JsonSchema } from "../../../../runtime/contract/registry.js";
import { completeTool, type PartialTool } from "../../../../test/support/partial-registry.js";
import { randomOf, shuffled } from "../../../../test/support/random.js";
import type { Truth } from "./pairs.js";

/** A tool, its later form, and what the change of its rules does to callers. */
export interface ConstraintPair {
  readonly name: string;
  readonly before: PartialTool;
  readonly after: PartialTool;
  readonly truth: Truth;
  /** Arguments that were taken and are refused. */
  readonly refused?: JsonObject;
}

/** Values of each argument, those that count as not given among them. */
const VALUES: Readonly<Record<string, readonly (string | boolean | null)[]>> = {
  id: ["7", " "],
  email: ["a@example.com", ""],
  mode: ["fast", "slow"],
  force: [true, false],
  note: ["n", "", null],
};
const NAMES = Object.keys(VALUES);
const SCHEMA = {
  type: "object",
  properties: {
    id: { type: "string" },
    email: { type: "string" },
    mode: { enum: ["fast", "slow"] },
    force: { type: "boolean" },
    note: { type: ["string", "null"] },
  },
  additionalProperties: false,
} as const;

/** Every call: each argument left out, or with one of its values. */
const CALLS: readonly JsonObject[] = NAMES.reduce<readonly JsonObject[]>(
  (calls, name) => calls.flatMap((one) => [one, ...(VALUES[name] ?? []).map((value) => ({ ...one, [name]: value }))]),
  [{}],
);

function madeConstraint(random: () => number): Constraint {
  const [a = "", b = "", c = ""] = shuffled(NAMES, random);
  const rest = random() < 0.5 ? [] : [c];
  const kind = random();
  if (kind < 0.25) return { kind: "at_least_one_change", of: [a, b, ...rest] };
  if (kind < 0.6) return { kind: "one_of", branches: random() < 0.5 ? [[a], [b, ...rest]] : [[a], [b], [c]] };
  const equals = VALUES[a]?.[0];
  return { kind: "requires", argument: a, needs: [b, ...rest], ...(random() < 0.5 ? {} : { equals }) } as Constraint;
}

/** Names of what a change may do to a list of rules. */
const CHANGES: Readonly<Record<string, (all: readonly Constraint[], random: () => number) => readonly Constraint[]>> = {
  added: (all, random) => [...all, madeConstraint(random)],
  removed: (all) => all.slice(1),
  replaced: (all, random) => [...all.slice(1), madeConstraint(random)],
  reordered: (all) => all.toReversed(),
};

function pairOf(random: () => number): ConstraintPair {
  const required = shuffled(NAMES, random).slice(0, Math.floor(random() * 3));
  const parameters_schema = { ...SCHEMA, required } as unknown as JsonSchema;
  const before = Array.from({ length: 1 + Math.floor(random() * 2) }, () => madeConstraint(random));
  const [name = ""] = shuffled(Object.keys(CHANGES), random);
  const after = CHANGES[name]?.(before, random) ?? before;
  const isValid = new Ajv().compile(parameters_schema);
  const takes = (constraints: readonly Constraint[], call: JsonObject): boolean =>
    isValid(call) && checkConstraints(completeTool({ constraints }), call).length === 0;
  const taken = CALLS.filter((one) => takes(before, one));
  const refused = taken.find((one) => !takes(after, one));
  return {
    name,
    before: { parameters_schema, constraints: before },
    after: { parameters_schema, constraints: after },
    ...(refused ? { truth: "breaking", refused } : { truth: "compatible" }),
  };
}

/** A number of pairs of a seed, each with its truth: every call is tried. */
export function constraintPairsOf(seed: number, count: number): readonly ConstraintPair[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => pairOf(random));
}
