/**
 * Judges a change without the code under test: values that Ajv accepts for the old schema are tried on the new one. The values come from
 * a random walk over the old schema that leads to the mutated place.
 */

import { Ajv, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import fc from "fast-check";
import type { Json } from "../../../../test/support/project.js";

type Random = () => number;

const MODERN =
  /"(?:prefixItems|dependentRequired|dependentSchemas|unevaluatedProperties|unevaluatedItems|minContains|\$defs)":/;
const options = { strict: false, logger: false, allErrors: false, validateSchema: false, meta: false } as const;
const ajvs = new Map<boolean, Ajv>();

function ajvFor(modern: boolean): Ajv {
  const known = ajvs.get(modern);
  if (known) return known;
  const made = modern ? new Ajv2020(options) : new Ajv(options);
  (formats as unknown as { default: (one: Ajv) => void }).default(made as unknown as Ajv);
  ajvs.set(modern, made as unknown as Ajv);
  return made as unknown as Ajv;
}

/** A validator of the schema, or undefined where Ajv refuses it. */
export function validatorOf(schema: Json, modern = MODERN.test(JSON.stringify(schema))): ValidateFunction | undefined {
  const { $schema: declared = "", ...rest } = schema;
  const ajv = ajvFor(modern || String(declared).includes("2020"));
  try {
    return ajv.compile(withNumericBounds(rest));
  } catch {
    return undefined;
  } finally {
    ajv.removeSchema();
  }
}

/** The flags of draft 4 as numbers. */
function withNumericBounds(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(withNumericBounds);
  if (typeof schema !== "object" || schema === null) return schema;
  const made: Json = Object.fromEntries(Object.entries(schema).map(([key, held]) => [key, withNumericBounds(held)]));
  if (made.exclusiveMinimum !== true) return made;
  const { minimum, ...rest } = made;
  return { ...rest, exclusiveMinimum: minimum };
}

/** The place that the values must reach, and what to put there. */
export interface Target {
  /** Objects of the old schema on the way to the mutated one, the mutated one included. */
  readonly path: ReadonlySet<Json>;
  readonly node: Json;
  readonly witnesses: readonly unknown[];
}

const pick = <T>(items: readonly T[], random: Random): T => items[Math.floor(random() * items.length)] as T;
const TEXTS = [
  "",
  "x",
  "ab",
  "A 1",
  "task-42",
  "2026-01-15",
  "-x",
  "all",
  "alpha",
  "gamma",
  "plain text",
  "k.txt",
  "x".repeat(40),
];
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  "date-time": ["2026-01-15T09:00:00Z", "2026-01-15T09:00:00.123+02:00"],
  date: ["2026-01-15", "2024-02-29"],
  time: ["09:00:00Z"],
  uri: ["https://example.com/", "urn:a:b", "mailto:a@b.example"],
  "uri-reference": ["a/b"],
  email: ["a@example.com"],
  uuid: ["123e4567-e89b-12d3-a456-426614174000"],
  ipv4: ["127.0.0.1"],
  hostname: ["example.com"],
};

interface Walk {
  readonly root: Json;
  readonly random: Random;
  readonly target: Target;
}

function pointed(root: Json, ref: string): Json {
  let at = root;
  for (const part of ref.split("/").slice(1))
    at = at?.[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
  return at ?? {};
}

/** A value for a schema, which need not be valid. */
function value(schema: Json, walk: Walk, depth: number): unknown {
  const { random, target } = walk;
  if (schema === target.node && target.witnesses.length > 0 && random() < 0.6)
    return structuredClone(pick(target.witnesses, random));
  if (typeof schema !== "object" || schema === null || depth > 9) return pick<unknown>(["x", 1, null, [], {}], random);
  if (typeof schema.$ref === "string") return value(pointed(walk.root, schema.$ref), walk, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return pick(schema.enum, random);
  const union = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(union) && union.length > 0) return united(schema, union, walk, depth);
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    return value(
      merged([rest, ...allOf.map((one: Json) => (one.$ref ? pointed(walk.root, one.$ref) : one))], walk),
      walk,
      depth + 1,
    );
  }
  if (schema.if !== undefined && schema.type === undefined)
    return value(schema.else ?? schema.then ?? {}, walk, depth + 1);
  return plain(schema, walk, depth);
}

function united(schema: Json, union: readonly Json[], walk: Walk, depth: number): unknown {
  const { anyOf, oneOf, ...rest } = schema;
  const led = union.find((one) => walk.target.path.has(one));
  const option = led !== undefined && walk.random() < 0.8 ? led : pick(union, walk.random);
  if (Object.keys(rest).every((key) => ["description", "title", "default", "examples"].includes(key)))
    return value(option, walk, depth + 1);
  return value(merged([rest, option?.$ref ? pointed(walk.root, option.$ref) : option], walk), walk, depth + 1);
}

/** One schema of several; where the target is among them it stays the target. */
function merged(parts: readonly Json[], { target }: Walk): Json {
  const real = parts.filter((one) => typeof one === "object" && Object.keys(one).length > 0);
  if (real.length === 1) return real[0];
  const properties = Object.assign({}, ...real.map((one) => one.properties ?? {}));
  const required = real.flatMap((one) => one.required ?? []);
  const made = Object.assign(
    {},
    ...real,
    Object.keys(properties).length > 0 ? { properties } : {},
    required.length > 0 ? { required } : {},
  );
  if (real.includes(target.node)) return { ...made, "x-target": true };
  return made;
}

function plain(schema: Json, walk: Walk, depth: number): unknown {
  const { random } = walk;
  if (schema["x-target"] && walk.target.witnesses.length > 0 && random() < 0.6)
    return pick(walk.target.witnesses, random);
  const implied =
    schema.properties || schema.additionalProperties || schema.patternProperties
      ? "object"
      : schema.items || schema.prefixItems
        ? "array"
        : undefined;
  if (schema.nullable === true && random() < 0.1) return null;
  const type = Array.isArray(schema.type)
    ? pick(schema.type, random)
    : (schema.type ?? implied ?? pick(["string", "integer", "boolean"], random));
  if (type === "null") return null;
  if (type === "boolean") return random() < 0.5;
  if (type === "integer" || type === "number") return number(schema, type === "integer", random);
  if (type === "string") return text(schema, random);
  return type === "array" ? array(schema, walk, depth) : object(schema, walk, depth);
}

function number(schema: Json, whole: boolean, random: Random): number {
  const step = schema.multipleOf ?? (whole ? 1 : 0.5);
  const low =
    schema.minimum ?? (typeof schema.exclusiveMinimum === "number" ? schema.exclusiveMinimum + step : undefined);
  const high =
    schema.maximum ?? (typeof schema.exclusiveMaximum === "number" ? schema.exclusiveMaximum - step : undefined);
  const from = low ?? (high === undefined ? -10 : high - 20);
  const to = high ?? from + 30;
  const at = pick([from, to, from + step, to - step, 0, 1, 7, 1000, from + random() * (to - from)], random);
  const snapped = Math.round(at / step) * step;
  return low === undefined && high === undefined ? snapped : Math.min(Math.max(snapped, from), to);
}

function text(schema: Json, random: Random): string {
  if (typeof schema.pattern === "string" && random() < 0.9) {
    try {
      const made = fc.sample(fc.stringMatching(new RegExp(schema.pattern, "u"), { size: "small" }), {
        numRuns: 1,
        seed: Math.floor(random() * 2 ** 31),
      });
      return made[0] ?? "";
    } catch {
      return pick(TEXTS, random);
    }
  }
  const known = FORMATS[schema.format];
  if (known && random() < 0.95) return pick(known, random);
  const [least, most] = [schema.minLength ?? 0, schema.maxLength ?? Number.POSITIVE_INFINITY];
  const one = pick(
    [...TEXTS, "y".repeat(Math.min(least, 3000)), "z".repeat(Math.min(Number.isFinite(most) ? most : 300, 3000))],
    random,
  );
  return one.length < least ? one.padEnd(least, "p") : Number.isFinite(most) ? [...one].slice(0, most).join("") : one;
}

function array(schema: Json, walk: Walk, depth: number): unknown[] {
  const { random, target } = walk;
  const tuple: readonly Json[] = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : []);
  const rest = schema.prefixItems || !Array.isArray(schema.items) ? schema.items : schema.additionalItems;
  const leads = [...tuple, rest].some((one) => target.path.has(one));
  const least = schema.minItems ?? 0;
  const most = Math.min(schema.maxItems ?? least + 4, 30);
  const wanted = Math.max(least, leads ? Math.max(1, tuple.length) : 0);
  const length = Math.min(most, pick([wanted, wanted, wanted + 1, most], random));
  const made = Array.from({ length }, (_, i) => value(tuple[i] ?? rest ?? {}, walk, depth + 1));
  return made.length > 1 && random() < 0.2 && !schema.uniqueItems && tuple.length === 0
    ? [...made.slice(1), made[1]]
    : made;
}

function object(schema: Json, walk: Walk, depth: number): object {
  const { random, target } = walk;
  const declared: Json = { ...(schema.properties ?? {}) };
  for (const one of Object.values<Json>(schema.dependentSchemas ?? {}))
    for (const [name, inner] of Object.entries<Json>(one?.properties ?? {}))
      if (target.path.has(inner)) declared[name] = inner;
  const conditional: Json = schema.then;
  const leads = Object.values<Json>(conditional?.properties ?? {}).some((inner) => target.path.has(inner));
  if (leads) Object.assign(declared, conditional.properties, random() < 0.8 ? schema.if.properties : {});
  const required: readonly string[] = schema.required ?? [];
  const share = pick([0, 0.15, 0.5, 1], random);
  const names = Object.keys(declared).filter(
    (name) => required.includes(name) || random() < share || (target.path.has(declared[name]) && random() < 0.85),
  );
  const made: [string, unknown][] = [...new Set([...names, ...required])].map((name) => [
    name,
    value(declared[name] ?? schema.additionalProperties ?? {}, walk, depth + 1),
  ]);
  if (schema.dependentSchemas && random() < 0.6) made.push(["a", "x"]);
  for (const [pattern, one] of Object.entries<Json>(schema.patternProperties ?? {}))
    if (pattern === "^k_" && (target.path.has(one) || random() < 0.4)) made.push(["k_1", value(one, walk, depth + 1)]);
  const other = schema.additionalProperties;
  if (other !== false && schema.unevaluatedProperties !== false && (target.path.has(other) || random() < 0.15))
    made.push(["undeclared_x", value(other ?? {}, walk, depth + 1)]);
  return Object.fromEntries(made);
}

/** Values that the old schema accepts, found in a number of tries; and one of them that the new one refuses. */
export interface Judgement {
  readonly valid: number;
  readonly refused?: unknown;
}

/** Tries values until one is refused. Undefined where one of the schemas cannot be compiled. */
export function judged(
  before: Json,
  after: Json,
  target: Target,
  random: Random,
  tries: number,
): Judgement | undefined {
  const modern = MODERN.test(JSON.stringify([before, after]));
  const [old, now] = [validatorOf(before, modern), validatorOf(after, modern)];
  if (!old || !now) return undefined;
  let valid = 0;
  for (let i = 0; i < tries; i++) {
    const one = value(before, { root: before, random, target }, 0);
    if (typeof one !== "object" || one === null || Array.isArray(one) || !old(one)) continue;
    valid++;
    if (!now(one)) return { valid, refused: one };
  }
  return { valid };
}
