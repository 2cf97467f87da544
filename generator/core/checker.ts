/**
 * Validators for a comparison of schemas: those of the runtime, compiled by Ajv but not printed. Ajv is loaded synchronously with the first
 * of them, since most comparisons need none.
 */

import type { Ajv, Options } from "ajv";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { ValidationIssue } from "../../runtime/contract/validation.js";
import { ajvSchema, holdsLegacy, issuesBy, LEAN, namesInherited, withBoundedFormats } from "./compile.js";
import { dialectOf, type SchemaDialect, subschemas, withoutDialect } from "./dialect.js";
import { withMultiples } from "./multiples.js";

/** Issues of a value; empty if it is valid. */
export type Check = (value: unknown) => readonly ValidationIssue[];

type AjvClass = new (options: Options) => Ajv;

const MODULES: Readonly<Record<SchemaDialect, readonly [module: string, name: string]>> = {
  "draft-07": ["ajv", "Ajv"],
  "2019-09": ["ajv/dist/2019.js", "Ajv2019"],
  "2020-12": ["ajv/dist/2020.js", "Ajv2020"],
};

const ajvs = new Map<string, Ajv>();

function ajvFor(dialect: SchemaDialect, options: Options): Ajv {
  const key = `${dialect} ${JSON.stringify(options)}`;
  const known = ajvs.get(key);
  if (known) return known;
  const load = process.getBuiltinModule("node:module").createRequire(import.meta.url);
  const [module, name] = MODULES[dialect];
  const made = new (load(module)[name] as AjvClass)({ ...LEAN, ...options });
  (load("ajv-formats").default as (ajv: Ajv) => void)(made);
  ajvs.set(key, withMultiples(withBoundedFormats(made), load("ajv")._));
  return made;
}

/**
 * Validators of two schemas that are compared, in one dialect.
 *
 * Keywords count as they are written: if one of the schemas holds a keyword of a later dialect than it names, both are read in that one.
 *
 * @returns undefined if Ajv cannot compile one of them
 */
export function checksOf(before: JsonSchema, after: JsonSchema): readonly [Check, Check] | undefined {
  const plain = [before, after].map(withoutDialect);
  const later = plain.some((one) => dialectOf(one) === "2020-12");
  const lists = plain.some((one) => subschemas(one).some(({ schema }) => Array.isArray(schema["items"])));
  const dialect = later ? (lists ? "2019-09" : "2020-12") : undefined;
  const [old, now] = [checkOf(before, dialect), checkOf(after, dialect)];
  return old && now ? [old, now] : undefined;
}

function checkOf(schema: JsonSchema, dialect: SchemaDialect = dialectOf(schema)): Check | undefined {
  try {
    const input = ajvSchema(schema);
    if (!isSchema(input)) return undefined;
    const ajv = ajvFor(dialect, { ownProperties: namesInherited(schema), unicodeRegExp: !holdsLegacy(input) });
    try {
      const validate = ajv.compile(input);
      return (value) => issuesBy(validate, value);
    } finally {
      ajv.removeSchema();
    }
  } catch {
    return undefined;
  }
}
