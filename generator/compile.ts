/** Ajv at build time: schemas checked against their meta-schema, and compiled into validators that can be printed. */

import type { Ajv, Options, SchemaValidateFunction, ValidateFunction } from "ajv";
import {
  boundedFormats,
  boundedPattern,
  canonicalJson,
  isSchema,
  type JsonObject,
  type JsonSchema,
  type ValidationIssue,
} from "toolwright/codegen";
import { type Dialect, dialectOf, mapSubschemas, subschemas, withoutDialect, withoutKeywords } from "./dialect.js";
import { hoist } from "./hoist.js";
import { patternFault } from "./pattern.js";

/** A compiled validator, and the same as text: an ES module with whatever Ajv would `require`. */
export interface Compiled {
  /** What is wrong with a value; one issue without a place where the schema refers to itself without end. */
  readonly issuesOf: (value: unknown) => readonly ValidationIssue[];
  readonly code: string;
}

/** Why a schema is none: where, and what is wrong. */
export interface SchemaFault {
  readonly pointer: string;
  readonly reason: string;
}

/** Patterns as validators test them in this process. They are printed as plain regular expressions; the emitter knows better. */
const regExp = Object.assign(
  (source: string, flags: string) => ({ ...boundedPattern(source, flags), toString: () => `/${source}/${flags}` }),
  { code: "new RegExp" },
);

type AjvClass = new (options: Options) => Ajv;

/** Ajv in its three dialects; loading it costs 50 to 80 ms, so only a build does. */
export interface Compiler {
  /** The first thing that is wrong with a schema, or undefined. */
  readonly faultOf: (schema: JsonSchema) => SchemaFault | undefined;
  /** Whether a format is checked. */
  readonly knowsFormat: (format: string) => boolean;
  /** @throws Error when Ajv cannot compile what the meta-schema accepts */
  readonly compile: (schema: JsonSchema) => Compiled;
  /** What is wrong with one value; cheaper than {@link Compiler.compile}, since nothing is printed. @throws Error as `compile` does */
  readonly issuesOf: (schema: JsonSchema, value: unknown) => readonly ValidationIssue[];
}

/**
 * Keywords that decide nothing; left out, so that they are not printed with the validator. Ajv makes something of two of them: it
 * refuses the `id` of draft-04, and with `$async`, its own, a verdict is a promise.
 */
const SILENT: ReadonlySet<string> = new Set([
  "title",
  "description",
  "default",
  "examples",
  "example",
  "$comment",
  "deprecated",
  "$async",
  "id",
]);
const isSilent = (keyword: string): boolean => SILENT.has(keyword) || keyword.startsWith("x-");

/** How schemas are checked against their meta-schema. */
const CHECKING: Options = { strict: false, logger: false, allErrors: false };

/** Schemas were checked against their meta-schema before, and validators are printed without texts. */
const LEAN: Options = {
  messages: false,
  meta: false,
  validateSchema: false,
  allErrors: true,
  inlineRefs: false,
  strict: false,
  logger: false,
  code: { regExp },
};

/** Loads Ajv and makes a compiler. */
export async function loadCompiler(): Promise<Compiler> {
  const [{ Ajv: Draft07 }, { Ajv2019 }, { Ajv2020 }, formats, standalone, { ValueScope }] = await Promise.all([
    import("ajv"),
    import("ajv/dist/2019.js"),
    import("ajv/dist/2020.js"),
    import("ajv-formats"),
    import("ajv/dist/standalone/index.js"),
    import("ajv/dist/compile/codegen/index.js"),
  ]);
  const classes = { "draft-07": Draft07, "2019-09": Ajv2019, "2020-12": Ajv2020 } as unknown as Record<
    Dialect,
    AjvClass
  >;
  const addFormats = formats.default.default;
  const print = standalone.default.default;
  const checkerFor = cached((dialect) => withLinearUniqueItems(new classes[dialect](CHECKING)));
  const ajvs = cache<Ajv>();
  const ajvFor = (dialect: Dialect, options: Options): Ajv =>
    ajvs.get(`${dialect} ${JSON.stringify(options)}`, () =>
      withBoundedFormats(addFormats(new classes[dialect]({ ...LEAN, ...options }))),
    );
  // Many tools of a server take the same arguments: of GitHub's 1,223 operations, 684 differ.
  const compiled = cache<Compiled>();
  const faults = cache<SchemaFault | undefined>();
  return {
    faultOf: (schema) => faults.get(JSON.stringify(schema), () => faultBy(checkerFor(dialectOf(schema)), schema)),
    knowsFormat: (format) => Object.hasOwn(ajvFor("draft-07", {}).formats, format),
    issuesOf: (schema, value) => {
      const ajv = ajvFor(dialectOf(schema), {});
      try {
        return issuesBy(ajv.compile(judged(schema)), value);
      } finally {
        ajv.removeSchema();
      }
    },
    compile: (schema) => {
      const dialect = dialectOf(schema);
      const input = judged(schema);
      const options = { ownProperties: namesInherited(schema), unicodeRegExp: !holdsLegacy(input) };
      return compiled.get(`${dialect} ${JSON.stringify([options, input])}`, () => {
        const ajv = ajvFor(dialect, { ...options, code: PRINTED });
        try {
          const validate = ajv.compile(hoist(input));
          return { issuesOf: (value) => issuesBy(validate, value), code: inOnePiece(print(ajv, validate), validate) };
        } finally {
          forget(ajv, ValueScope);
        }
      });
    },
  };
}

/** Meta-schemas want the members of `enum` and `required` to be unique, which Ajv checks by comparing each with all others. */
function withLinearUniqueItems(ajv: Ajv): Ajv {
  const validate: SchemaValidateFunction = (wanted: boolean, items: readonly unknown[]) => {
    const at = new Map<string, number>();
    for (const [i, item] of wanted ? items.entries() : []) {
      const key = canonicalJson(item);
      const before = at.get(key);
      if (before !== undefined) {
        const message = `must NOT have duplicate items (items ## ${before} and ${i} are identical)`;
        validate.errors = [{ keyword: "uniqueItems", message, params: { i, j: before } }];
        return false;
      }
      at.set(key, i);
    }
    return true;
  };
  ajv.removeKeyword("uniqueItems");
  return ajv.addKeyword({ keyword: "uniqueItems", type: "array", schemaType: "boolean", errors: true, validate });
}

function withBoundedFormats(ajv: Ajv): Ajv {
  for (const [name, validate] of Object.entries(boundedFormats)) ajv.addFormat(name, { validate });
  return ajv;
}

/**
 * Makes an instance forget a tool, since one a tool would cost 0.2 ms each: names are numbered anew, so that one tool's change, or
 * that it cannot be compiled, stays its own, and two tools may have the same `$id`.
 */
function forget(ajv: Ajv, ValueScope: new (options: Ajv["scope"]["opts"]) => Ajv["scope"]): void {
  ajv.removeSchema();
  (ajv as { scope: Ajv["scope"] }).scope = new ValueScope({ ...ajv.scope.opts, scope: {} });
}

/** What was printed of a validator, without the pieces it was put together from, which the two would keep: six times the text. */
function inOnePiece(code: string, validate: Partial<ValidateFunction>): string {
  code.indexOf("\n"); // Whoever looks into a text joins it first.
  delete validate.source;
  delete validate.schemaEnv;
  return code;
}

/** References that are resolved while a value is judged (`$dynamicRef`) may lead round and round. */
const ENDLESS = { keyword: "$dynamicRef", instancePath: "", schemaPath: "#", params: { limit: "without end" } };

function issuesBy(validate: ValidateFunction, value: unknown): readonly ValidationIssue[] {
  try {
    return validate(value) ? [] : (validate.errors as unknown as readonly ValidationIssue[]);
  } catch (cause) {
    if (cause instanceof RangeError) return [ENDLESS];
    throw cause;
  }
}

/** How a validator is printed. */
const PRINTED = { source: true, esm: true, lines: true, regExp };

interface Cache<T> {
  /** The value of a key, made when it is first asked for. */
  readonly get: (key: string, make: () => T) => T;
}

function cache<T>(): Cache<T> {
  const made = new Map<string, T>();
  return {
    get: (key, make) => {
      if (!made.has(key)) made.set(key, make());
      return made.get(key) as T;
    },
  };
}

/** One value a dialect. */
function cached<T>(make: (dialect: Dialect) => T): (dialect: Dialect) => T {
  const made = cache<T>();
  return (dialect) => made.get(dialect, () => make(dialect));
}

/** What of a schema decides, in a form that Ajv judges rightly. */
const judged = (schema: JsonSchema): JsonSchema => judgeable(withoutKeywords(withoutDialect(schema), isSilent));

/** A copy without patterns that cannot be tried, and with `__proto__` as a pattern, since Ajv passes over a property of that name. */
function judgeable(schema: JsonSchema): JsonSchema {
  const copy = mapSubschemas(schema, judgeable);
  const { pattern, patternProperties, properties, ...rest } = copy;
  const patterns = Object.entries(isSchema(patternProperties) ? patternProperties : {});
  const proto = isSchema(properties) && Object.hasOwn(properties, "__proto__");
  const dropped = typeof pattern === "string" && !isTried(pattern);
  if (!proto && !dropped && patterns.every(([one]) => isTried(one))) return copy;
  const named = Object.entries(isSchema(properties) ? properties : {});
  const tried = [
    ...patterns.filter(([one]) => isTried(one)),
    ...named.flatMap(([name, one]) => (name === "__proto__" ? [["^__proto__$", one] as const] : [])),
  ];
  return {
    ...rest,
    ...(dropped ? {} : { pattern }),
    properties: Object.fromEntries(named.filter(([name]) => name !== "__proto__")) as JsonObject,
    patternProperties: Object.fromEntries(tried) as JsonObject,
  };
}

/** Whether a schema holds a pattern that means something without the flag `u` only. */
const holdsLegacy = (schema: JsonSchema): boolean =>
  subschemas(schema).some(
    ({ schema: { pattern, patternProperties } }) =>
      (typeof pattern === "string" && patternFault(pattern) === "legacy") ||
      (isSchema(patternProperties) && Object.keys(patternProperties).some((one) => patternFault(one) === "legacy")),
  );

const isTried = (pattern: string): boolean => {
  const fault = patternFault(pattern);
  return fault === undefined || fault === "legacy";
};

function faultBy(checker: Ajv, schema: JsonSchema): SchemaFault | undefined {
  if (checker.validateSchema(withoutDialect(schema)) === true) return undefined;
  const first = checker.errors?.[0];
  return { pointer: first?.instancePath ?? "", reason: reasonOf(first) };
}

/** Names that every object inherits, as they stand in JSON. */
const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join("|")})"`);

/** Whether a schema holds a name that every object inherits: only then do validators ask for own properties, which makes them longer. */
const namesInherited = (schema: JsonSchema): boolean => INHERITED.test(JSON.stringify(schema));

/** What a value must be, by an issue of a compiled validator, which carries no message. */
export function issueText({ keyword, params }: ValidationIssue): string {
  const [value] = Object.values(params);
  if (keyword === "type") return `must be ${[value].flat().join(" or ")}`;
  if (keyword === "required") return `lacks ${String(value)}`;
  if (keyword === "additionalProperties" || keyword === "unevaluatedProperties")
    return `has an undeclared ${String(value)}`;
  if (keyword === "enum")
    return `must be one of ${[value]
      .flat()
      .map((one) => JSON.stringify(one))
      .join(", ")}`;
  const limit =
    params["limit"] ?? params["format"] ?? params["pattern"] ?? params["multipleOf"] ?? params["allowedValue"];
  return limit === undefined ? `breaks ${keyword}` : `breaks ${keyword} ${JSON.stringify(limit)}`;
}

function reasonOf(error: { message?: string; params?: Record<string, unknown> } | undefined): string {
  const allowed = error?.params?.["allowedValues"];
  const list = Array.isArray(allowed) ? `: ${allowed.join(", ")}` : "";
  return `${error?.message ?? "is no schema"}${list}`;
}
