/** How each keyword of a goal is derived from facts. A rule that is not there restricts nothing. */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { formats } from "../../runtime/contract/validation.js";
import { accepts, hasFormat, memberNodes, tupleAndRest } from "./accepts.js";
import {
  alwaysPresentNames,
  boundsOf,
  declaresProperty,
  type Facts,
  factsOf,
  greatestLimit,
  isOpen,
  itemFacts,
  leastLimit,
  memberFacts,
  mentionsProperty,
  namesIn,
  partFacts,
  possibleValues,
  stepsOf,
  type Type,
  takesType,
  textPatterns,
} from "./facts.js";
import { isSameText, type RootedSchema, rootedSchema, type SchemaNode, schemasByName, textItems } from "./node.js";
import { possibleNames } from "./possible-names.js";
import { lengthPatterns, separatingText } from "./text-sets.js";
import { viewsOf } from "./views.js";

/** State of a proof. */
export interface Proof {
  /** Goals that may still be tried. */
  readonly steps: { left: number };
  /** Steps that may still be taken to judge single values. */
  readonly judging: { left: number };
  /** How many alternatives were distinguished on the way here. */
  readonly splits: number;
  /** Depth in the value. */
  readonly depth: number;
  /**
   * The depth at which alternatives of the facts are not distinguished: the rule that tries the options of a goal one after
   * the other distinguishes them.
   */
  readonly undivided?: number;
  /** Goals that are being proven, with the depth at which they began. */
  readonly open: ReadonlyMap<string, number>;
  readonly ids: Map<object, number>;
  /** Whether properties that the goal does not know count as accepted: consumers of a result ignore them. */
  readonly lenient: boolean;
  /** Whether properties that no fact declares or describes count as not sent: else every new optional argument would break. */
  readonly conventional: boolean;
  /** Whether the goal accepts every value that all the facts accept. */
  readonly proves: (facts: readonly RootedSchema[], goal: RootedSchema, proof: Proof) => boolean;
  /** Whether no value is accepted by all the facts. */
  readonly refutes: (facts: readonly RootedSchema[], proof: Proof) => boolean;
}

/** One keyword of a goal, for one type of the value, which is among the facts. */
export interface ProofStep {
  readonly facts: Facts;
  readonly type: Type;
  readonly goal: SchemaNode;
  readonly held: unknown;
  readonly proof: Proof;
}

type Rule = (step: ProofStep) => boolean;

const only =
  (types: readonly Type[], rule: Rule): Rule =>
  (step) =>
    !types.includes(step.type) || rule(step);
const NUMBERS: readonly Type[] = ["integer", "number"];
/** A limit; one that is no number proves nothing. */
const amount = (held: unknown): number => (typeof held === "number" ? held : Number.NaN);
const atLeast =
  (keyword: string): Rule =>
  ({ facts, held }) =>
    greatestLimit(facts, keyword, 0) >= amount(held);
const atMost =
  (keyword: string): Rule =>
  ({ facts, held }) =>
    leastLimit(facts, keyword) <= amount(held);

/** Whether every text that the patterns and lengths among the facts leave matches another pattern. */
const provesText = ({ facts, proof: { judging } }: ProofStep, wanted: readonly string[]): boolean => {
  const known = textPatterns(facts);
  return wanted.length > 0 && wanted.every((one) => separatingText(known, judging, one) === "none");
};
const below = (proof: Proof): Proof => ({ ...proof, depth: proof.depth + 1 });
const isListed: Rule = ({ facts, goal, proof: { judging } }) =>
  possibleValues(facts, judging)?.every((one) => accepts(goal, one, judging) === true) === true;

const provesFormat: Rule = ({ facts, type, held }) => {
  const kind = NUMBERS.includes(type) ? 0 : "\u0000";
  if (type !== "string" && !NUMBERS.includes(type)) return true;
  if (typeof held !== "string" || !Object.hasOwn(formats, held) || formats[held] === true) return true;
  const isOfOtherType =
    isSchema(formats[held]) && (formats[held] as { type?: string }).type === "number"
      ? type === "string"
      : NUMBERS.includes(type);
  return (
    isOfOtherType ||
    facts.some(({ schema }) => schema["format"] === held) ||
    (kind === 0 && held !== "int32" && held !== "int64" && hasFormat(held, 0) === true)
  );
};

const provesItems: Rule = ({ facts, goal, proof }) => {
  const own = tupleAndRest(goal.schema);
  const fixed = Math.max(own.tuple.length, ...facts.map(({ schema }) => tupleAndRest(schema).tuple.length));
  const most = leastLimit(facts, "maxItems");
  const inner = below(proof);
  for (let i = 0; i < fixed && i < most; i++) {
    const schema = i < own.tuple.length ? own.tuple[i] : own.rest;
    if (!proof.proves(itemFacts(facts, i), rootedSchema(goal, schema), inner)) return false;
  }
  return most <= fixed || proof.proves(itemFacts(facts, fixed), rootedSchema(goal, own.rest), inner);
};

/** How many of the items that are always there prove a goal: each of a tuple by itself, those behind it together. */
function itemsThatProve(facts: Facts, wanted: RootedSchema, proof: Proof): number {
  const all = greatestLimit(facts, "minItems", 0);
  const fixed = Math.min(all, Math.max(0, ...facts.map(({ schema }) => tupleAndRest(schema).tuple.length)));
  const proves = (i: number): boolean => proof.proves(itemFacts(facts, i), wanted, proof);
  const inTuple = Array.from({ length: fixed }, (_, i) => i).filter(proves).length;
  return inTuple + (all > fixed && proves(fixed) ? all - fixed : 0);
}

const provesContains: Rule = ({ facts, goal, held, proof }) => {
  const { minContains: fewest = 1, maxContains: most = Number.POSITIVE_INFINITY } = goal.schema;
  if (typeof fewest !== "number" || typeof most !== "number") return false;
  const wanted = rootedSchema(goal, held);
  const inner = below(proof);
  const found = facts.some(
    (one) =>
      one.schema["contains"] !== undefined &&
      Number(one.schema["minContains"] ?? 1) >= fewest &&
      proof.proves([rootedSchema(one, one.schema["contains"])], wanted, inner),
  );
  const enough = fewest === 0 || found || itemsThatProve(facts, wanted, inner) >= fewest;
  const capped =
    most === Number.POSITIVE_INFINITY ||
    leastLimit(facts, "maxItems") <= most ||
    facts.some(
      (one) =>
        Number(one.schema["maxContains"] ?? Number.POSITIVE_INFINITY) <= most &&
        one.schema["contains"] !== undefined &&
        isSameText(rootedSchema(one, one.schema["contains"]), wanted),
    );
  return enough && capped;
};

/** Sufficient: every item that the goal itself does not evaluate proves it. */
const provesOtherItems: Rule = ({ facts, goal, held, proof }) => {
  if (goal.schema["items"] !== undefined && !Array.isArray(goal.schema["items"])) return true;
  const from = tupleAndRest(goal.schema).tuple.length;
  const fixed = Math.max(from, ...facts.map(({ schema }) => tupleAndRest(schema).tuple.length));
  const most = leastLimit(facts, "maxItems");
  const of = (i: number): boolean => proof.proves(itemFacts(facts, i), rootedSchema(goal, held), below(proof));
  for (let i = from; i < fixed && i < most; i++) if (!of(i)) return false;
  return most <= fixed || of(fixed);
};

/** Names that are declared by a fact or the goal and may be there. */
function namesToProve({ facts, goal, proof }: ProofStep): readonly string[] {
  const possible = possibleNames(facts);
  const required = alwaysPresentNames(facts);
  const names = new Set([
    ...namesIn(facts),
    ...Object.keys(schemasByName(goal.schema["properties"])),
    ...(possible ?? []),
  ]);
  const views = viewsOf(facts);
  const isSent = (name: string): boolean =>
    !proof.conventional ||
    required.has(name) ||
    views.some((one) => mentionsProperty(one, name) || describesOthers(one));
  return [...names].filter((name) => (possible?.has(name) ?? true) && isSent(name));
}

/** Whether a schema says something of properties that it does not name. */
const describesOthers = (node: SchemaNode): boolean =>
  !isOpen(node) || isSchema(node.schema["unevaluatedProperties"]) || node.schema["propertyNames"] !== undefined;

const provesMembers: Rule = (step) => {
  const { facts, goal, proof } = step;
  const inner = below(proof);
  const named = namesToProve(step).every((name) => {
    if (proof.lenient && !declaresProperty(goal, name) && goal.schema["additionalProperties"] === false) return true;
    const known = memberFacts(facts, name);
    return memberNodes(goal, name).every((one) => proof.proves(known, one, inner));
  });
  return named && (possibleNames(facts) !== undefined || (provesPatterns(step) && provesOthers(step)));
};

const patternsOf = (node: SchemaNode): readonly (readonly [string, unknown])[] =>
  Object.entries(schemasByName(node.schema["patternProperties"]));

/** What is known of an undeclared property whose name matches a pattern. */
const patternFacts = (facts: Facts, pattern: string): readonly RootedSchema[] =>
  partFacts(facts, (one) => {
    const patterns = patternsOf(one);
    if (patterns.length === 0)
      return one.schema["additionalProperties"] === undefined
        ? []
        : [rootedSchema(one, one.schema["additionalProperties"])];
    return patterns.flatMap(([other, held]) => (other === pattern ? [rootedSchema(one, held)] : []));
  });

const provesPatterns: Rule = ({ facts, goal, proof }) =>
  patternsOf(goal).every(([pattern, held]) =>
    proof.proves(patternFacts(facts, pattern), rootedSchema(goal, held), below(proof)),
  );

const provesOthers: Rule = ({ facts, goal, proof }) => {
  const { additionalProperties: held } = goal.schema;
  if (isOpen(goal) || (held === false && proof.lenient)) return true;
  const own = new Set(patternsOf(goal).map(([pattern]) => pattern));
  const patterns = facts.flatMap(patternsOf).filter(([pattern]) => !own.has(pattern));
  const wanted = rootedSchema(goal, held);
  const others = partFacts(facts, (one) =>
    one.schema["additionalProperties"] === undefined ? [] : [rootedSchema(one, one.schema["additionalProperties"])],
  );
  return (
    proof.proves(others, wanted, below(proof)) &&
    patterns.every(([pattern]) => proof.proves(patternFacts(facts, pattern), wanted, below(proof)))
  );
};

/** Sufficient: every property that the goal does not always evaluate proves it. */
const provesUnevaluated: Rule = ({ facts, goal, held, proof }) => {
  if (held === false && proof.lenient) return true;
  const always = factsOf([goal]) ?? [];
  if (always.some(({ schema }) => schema["additionalProperties"] !== undefined)) return true;
  const possible = possibleNames(facts);
  if (!possible && !facts.some((one) => !isOpen(one))) return false;
  const wanted = rootedSchema(goal, held);
  const names = [...new Set([...namesIn(facts), ...(possible ?? [])])].filter((name) => possible?.has(name) ?? true);
  const unevaluated = names.filter((name) => !always.some((one) => declaresProperty(one, name)));
  const others = partFacts(facts, (one) =>
    one.schema["additionalProperties"] === undefined || patternsOf(one).length > 0
      ? []
      : [rootedSchema(one, one.schema["additionalProperties"])],
  );
  return (
    unevaluated.every((name) => proof.proves(memberFacts(facts, name), wanted, below(proof))) &&
    (possible !== undefined || proof.proves(others, wanted, below(proof)))
  );
};

const provesNames: Rule = ({ facts, goal, held, proof }) => {
  const wanted = rootedSchema(goal, held);
  const possible = possibleNames(facts);
  if (possible) {
    const inner = below(proof);
    return [...possible].every(
      (name) => accepts(wanted, name, proof.judging) === true || proof.refutes(memberFacts(facts, name), inner),
    );
  }
  const named = facts.flatMap((one) =>
    one.schema["propertyNames"] === undefined ? [] : [rootedSchema(one, one.schema["propertyNames"])],
  );
  const text = rootedSchema(goal, { type: "string" });
  return proof.proves([...named, text], wanted, below(proof));
};

/** What follows where a property is there. */
const whereGiven = ({ facts, goal }: ProofStep, name: string): readonly RootedSchema[] => [
  ...facts,
  rootedSchema(goal, { required: [name] }),
];

const provesDependents: Rule = (step) =>
  Object.entries(schemasByName(step.held)).every(([name, one]) => {
    const wanted = Array.isArray(one) ? { required: one } : one;
    return step.proof.proves(whereGiven(step, name), rootedSchema(step.goal, wanted), step.proof);
  });

/** A proof of one option: where it fails, the alternatives of the facts are distinguished first, and each may have another option. */
const ofOneOption = (proof: Proof): Proof => ({ ...proof, undivided: proof.depth });

const provesOneOf: Rule = ({ facts, goal, held, proof }) => {
  const options = listOrEmpty(held).map((one) => rootedSchema(goal, one));
  return options.some(
    (one, i) =>
      proof.proves(facts, one, ofOneOption(proof)) &&
      options.every((other, j) => i === j || proof.refutes([...facts, other], proof)),
  );
};

const provesCondition: Rule = ({ facts, goal, held, proof }) => {
  const { then = true, else: otherwise = true } = goal.schema;
  return (
    (then === true || proof.proves([...facts, rootedSchema(goal, held)], rootedSchema(goal, then), proof)) &&
    (otherwise === true ||
      proof.proves([...facts, rootedSchema(goal, { not: held })], rootedSchema(goal, otherwise), proof))
  );
};

const hasPattern = ({ facts }: ProofStep): boolean => facts.some(({ schema }) => schema["pattern"] !== undefined);
const never: Rule = () => false;
const members = only(["object"], provesMembers);
const items = only(["array"], provesItems);

/** Rules by keyword. `$ref` is followed before they are asked. */
export const PROOF_RULES: Readonly<Record<string, Rule>> = {
  $dynamicRef: never,
  $recursiveRef: never,
  type: ({ goal, type }) => takesType(goal.schema, type),
  enum: isListed,
  const: isListed,
  minimum: only(NUMBERS, ({ facts, type, held }) => boundsOf(facts, type).low >= amount(held)),
  maximum: only(NUMBERS, ({ facts, type, held }) => boundsOf(facts, type).high <= amount(held)),
  exclusiveMinimum: only(NUMBERS, ({ facts, type, held }) => {
    const { low, lowOpen } = boundsOf(facts, type);
    return low > amount(held) || (lowOpen && low === held);
  }),
  exclusiveMaximum: only(NUMBERS, ({ facts, type, held }) => {
    const { high, highOpen } = boundsOf(facts, type);
    return high < amount(held) || (highOpen && high === held);
  }),
  multipleOf: only(NUMBERS, ({ facts, type, held }) => stepsOf(facts, type).some((one) => divides(amount(held), one))),
  minLength: only(
    ["string"],
    (step) =>
      atLeast("minLength")(step) || (hasPattern(step) && provesText(step, lengthPatterns(amount(step.held), Infinity))),
  ),
  maxLength: only(
    ["string"],
    (step) => atMost("maxLength")(step) || (hasPattern(step) && provesText(step, lengthPatterns(0, amount(step.held)))),
  ),
  pattern: only(
    ["string"],
    (step) =>
      step.facts.some(({ schema }) => schema["pattern"] === step.held) ||
      (typeof step.held === "string" && provesText(step, [step.held])),
  ),
  format: provesFormat,
  minItems: only(["array"], atLeast("minItems")),
  maxItems: only(["array"], atMost("maxItems")),
  uniqueItems: only(
    ["array"],
    ({ facts, held }) =>
      held !== true || facts.some(({ schema }) => schema["uniqueItems"] === true) || leastLimit(facts, "maxItems") <= 1,
  ),
  items,
  prefixItems: items,
  contains: only(["array"], provesContains),
  unevaluatedItems: only(["array"], provesOtherItems),
  required: only(["object"], ({ facts, held }) => {
    const names = alwaysPresentNames(facts);
    return textItems(held).every((name) => names.has(name));
  }),
  minProperties: only(
    ["object"],
    ({ facts, held }) =>
      Math.max(greatestLimit(facts, "minProperties", 0), alwaysPresentNames(facts).size) >= amount(held),
  ),
  maxProperties: only(
    ["object"],
    ({ facts, held }) =>
      Math.min(leastLimit(facts, "maxProperties"), possibleNames(facts)?.size ?? Number.POSITIVE_INFINITY) <=
      amount(held),
  ),
  properties: members,
  patternProperties: members,
  additionalProperties: members,
  propertyNames: only(["object"], provesNames),
  unevaluatedProperties: only(["object"], provesUnevaluated),
  dependentRequired: only(["object"], provesDependents),
  dependentSchemas: only(["object"], provesDependents),
  dependencies: only(["object"], provesDependents),
  allOf: ({ facts, goal, held, proof }) =>
    listOrEmpty(held).every((one) => proof.proves(facts, rootedSchema(goal, one), proof)),
  anyOf: ({ facts, goal, held, proof }) =>
    listOrEmpty(held).some((one) => proof.proves(facts, rootedSchema(goal, one), ofOneOption(proof))),
  oneOf: provesOneOf,
  not: ({ facts, goal, held, proof }) => proof.refutes([...facts, rootedSchema(goal, held)], proof),
  if: provesCondition,
};

/** Whether every multiple of `step` is one of `wanted`, as validators compute it: whole steps only, since fractions are rounded. */
const divides = (wanted: number, step: number): boolean =>
  wanted === step ||
  (wanted <= 1 && Number.isInteger(Math.log2(wanted)) && Number.isInteger(step)) ||
  (Number.isInteger(wanted) && Number.isInteger(step) && step % wanted === 0);
