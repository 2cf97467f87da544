/** Seeded pairs of schemas, one a mutation of the other, with the truth about them. */

import type { Json } from "../../../../test/support/project.js";
import { randomOf } from "../../../../test/support/random.js";
import { NARROWING, ONE_WAY } from "./narrowing.js";
import { CONTEXTS, NEUTRAL } from "./neutral.js";
import { judged, type Target } from "./oracle.js";
import { KEEPING, KEEPING_ONE_WAY, PLACES, RESHAPING, RESHAPING_ONE_WAY } from "./reshaping.js";

const NARROW = { ...NARROWING, ...RESHAPING };
const NARROW_ONE_WAY: ReadonlySet<string> = new Set([...ONE_WAY, ...RESHAPING_ONE_WAY]);
const KEEP: typeof NEUTRAL = { ...NEUTRAL, ...KEEPING };
const KEEP_ONE_WAY: ReadonlySet<string> = new Set(["optionalAdded", "widerPattern", ...KEEPING_ONE_WAY]);
const PUT: typeof CONTEXTS = { ...CONTEXTS, ...PLACES };

/** What a change does to callers, by construction and by values. */
export type Truth = "breaking" | "compatible" | "unclear";

/** A schema, its later form, and what the change does to callers. */
export interface Pair {
  readonly name: string;
  readonly before: Json;
  readonly after: Json;
  readonly truth: Truth;
  /** A value that the old schema takes and the new one refuses. */
  readonly refused?: unknown;
  /** One that readers refuse who ignore what they do not know. */
  readonly misread?: unknown;
}

const TRIES = 160;
const MARK = "x-mutated";
const SHARE_NARROW = 0.6;
const SHARE_WIDEN = 0.25;

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;
const isMap = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);

/** Schemas below a schema, itself included, that a value can meet. */
function nodesOf(schema: Json, depth = 0): readonly Json[] {
  if (!isMap(schema) || depth > 8) return [];
  const held = [
    ...Object.values<Json>(isMap(schema["properties"]) ? schema["properties"] : {}),
    ...[schema["items"], schema["additionalProperties"]].filter(isMap),
    ...[
      ...(schema["anyOf"] ?? []),
      ...(schema["oneOf"] ?? []),
      ...(schema["allOf"] ?? []),
      ...(schema["prefixItems"] ?? []),
    ],
    ...Object.values<Json>(isMap(schema["$defs"]) ? schema["$defs"] : {}),
  ];
  return [schema, ...held.flatMap((one) => nodesOf(one, depth + 1))];
}

/** Objects on the way from the root to the marked node, references followed. */
function pathTo(root: Json): ReadonlySet<Json> {
  const met = new Set<Json>();
  const walk = (at: unknown): readonly Json[] | undefined => {
    if (typeof at !== "object" || at === null || met.has(at)) return undefined;
    met.add(at);
    const node = at as Json;
    if (node[MARK]) return [node];
    const next = typeof node["$ref"] === "string" ? [pointed(root, node["$ref"])] : [];
    for (const one of [...next, ...Object.entries(node).flatMap(([key, held]) => (key === "$defs" ? [] : [held]))]) {
      const rest = walk(one);
      if (rest) return [node, ...rest];
    }
    return undefined;
  };
  return new Set(walk(root) ?? []);
}

const pointed = (root: Json, ref: string): unknown =>
  ref
    .split("/")
    .slice(1)
    .reduce<Json>((at, part) => at?.[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")], root);

const markedIn = (root: Json): Json => {
  const found: Json[] = [];
  const walk = (at: unknown): void => {
    if (typeof at !== "object" || at === null) return;
    if ((at as Json)[MARK]) found.push(at as Json);
    for (const one of Object.values(at)) walk(one);
  };
  walk(root);
  return found[0] ?? root;
};

const unmarked = (root: Json): Json => JSON.parse(JSON.stringify(root, (key, one) => (key === MARK ? undefined : one)));

/** The pair of one seed, or undefined where no mutator applies. */
export function pairOf(schemas: readonly Json[], seed: number): Pair | undefined {
  const random = randomOf(seed);
  const base = structuredClone(pick(schemas, random));
  const places = nodesOf(base);
  const place = pick(places, random);
  const context = place === base || random() < 0.5 ? "same" : pick(Object.keys(PUT), random);
  const node = PUT[context]?.(place, base) ?? place;
  node[MARK] = true;
  const changed = structuredClone(base);
  const way = random();
  if (way > SHARE_NARROW + SHARE_WIDEN) return rewritten(base, changed, context, random);
  const applied = narrowed(markedIn(changed), changed, random);
  if (!applied) return undefined;
  const [name, witnesses] = applied;
  const widens = way > SHARE_NARROW;
  return settled(
    `${widens ? "un" : ""}${name} in ${context}`,
    widens ? [changed, base] : [base, changed],
    widens && !NARROW_ONE_WAY.has(name),
    witnesses,
    random,
  );
}

function narrowed(node: Json, root: Json, random: () => number): readonly [string, readonly unknown[]] | undefined {
  const names = Object.keys(NARROW);
  for (let tries = 0; tries < 12; tries++) {
    const name = pick(names, random);
    const witnesses = NARROW[name]?.(node, random, root);
    if (witnesses) return [name, witnesses];
  }
  return undefined;
}

function rewritten(base: Json, changed: Json, context: string, random: () => number): Pair | undefined {
  const names = Object.keys(KEEP);
  for (let tries = 0; tries < 12; tries++) {
    const name = pick(names, random);
    const node = markedIn(changed);
    if (!KEEP[name]?.(node, random, changed)) continue;
    const turned = !KEEP_ONE_WAY.has(name) && random() < 0.5;
    return settled(
      `${turned ? "back " : ""}${name} in ${context}`,
      turned ? [changed, base] : [base, changed],
      true,
      [],
      random,
    );
  }
  return undefined;
}

/** The pair with its truth. A change that widens or keeps is compatible where no value speaks against it. */
function settled(
  name: string,
  [before, after]: readonly [Json, Json],
  keeps: boolean,
  witnesses: readonly unknown[],
  random: () => number,
): Pair | undefined {
  const target: Target = { path: pathTo(before), node: markedIn(before), witnesses };
  const judgement = judged(before, after, target, random, TRIES);
  if (!judgement) return undefined;
  const [a, b] = [unmarked(before), unmarked(after)];
  if (judgement.refused !== undefined)
    return { name, before: a, after: b, truth: "breaking", refused: judgement.refused };
  const truth = keeps && judgement.valid > 0 ? "compatible" : "unclear";
  return { name, before: a, after: b, truth };
}

/** A number of pairs from consecutive seeds. */
export function pairsOf(schemas: readonly Json[], seed: number, count: number): readonly Pair[] {
  const pairs: Pair[] = [];
  for (let i = 0; pairs.length < count && i < count * 4; i++) {
    const pair = pairOf(schemas, seed * 100_003 + i);
    if (pair) pairs.push(pair);
  }
  return pairs;
}
