/**
 * Validators for a comparison of schemas: those of the runtime, compiled by Ajv but not printed. Ajv is imported as a module of the bundle,
 * before a comparison that may need it: an installed package has no `ajv` beside it.
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

interface Loaded {
  readonly ajvFor: (dialect: SchemaDialect, options: Options) => Ajv;
}
let loaded: Loaded | undefined;

/** Imports Ajv, without which {@link checksOf} compiles nothing. Takes 50 to 80 ms. */
export async function loadChecks(): Promise<void> {
  loaded ??= loadedFrom(await import("./ajv.js"));
}

function loadedFrom({ _: code, Ajv: Draft07, Ajv2019, Ajv2020, formats }: typeof import("./ajv.js")): Loaded {
  const classes = { "draft-07": Draft07, "2019-09": Ajv2019, "2020-12": Ajv2020 } as unknown as Record<
    SchemaDialect,
    AjvClass
  >;
  const ajvs = new Map<string, Ajv>();
  return {
    ajvFor(dialect, options) {
      const key = `${dialect} ${JSON.stringify(options)}`;
      const known = ajvs.get(key);
      if (known) return known;
      const made = withMultiples(
        withBoundedFormats(formats.default(new classes[dialect]({ ...LEAN, ...options }))),
        code,
      );
      ajvs.set(key, made);
      return made;
    },
  };
}

/**
 * Validators of two schemas that are compared, in one dialect.
 *
 * Keywords count as they are written: if one of the schemas holds a keyword of a later dialect than it names, both are read in that one.
 *
 * @returns undefined if Ajv cannot compile one of them
 * @throws Error before {@link loadChecks}
 */
export function checksOf(before: JsonSchema, after: JsonSchema): readonly [Check, Check] | undefined {
  if (!loaded) throw new Error("loadChecks() comes before a comparison of schemas");
  const plain = [before, after].map(withoutDialect);
  const later = plain.some((one) => dialectOf(one) === "2020-12");
  const lists = plain.some((one) => subschemas(one).some(({ schema }) => Array.isArray(schema["items"])));
  const dialect = later ? (lists ? "2019-09" : "2020-12") : undefined;
  const [old, now] = [checkOf(loaded, before, dialect), checkOf(loaded, after, dialect)];
  return old && now ? [old, now] : undefined;
}

function checkOf(
  { ajvFor }: Loaded,
  schema: JsonSchema,
  dialect: SchemaDialect = dialectOf(schema),
): Check | undefined {
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
