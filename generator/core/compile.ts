/** Uses Ajv at build time to check schemas against their meta-schema and to compile them into validators that can be printed. */

import type { Ajv, Options, SchemaValidateFunction, ValidateFunction } from "ajv";
import { canonicalJson } from "../../runtime/contract/canonical.js";
import { closest } from "../../runtime/contract/closest.js";
import { pointerParts } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { boundedPattern } from "../../runtime/contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import { mapSubschemas, withoutKeywords } from "../../runtime/contract/schema-copy.js";
import { boundedFormats, type ValidationIssue } from "../../runtime/contract/validation.js";
import { CALL, type DefinitionValidator, judgeBy, withDefinitionCalls } from "./definition-calls.js";
import { dialectOf, type SchemaDialect, subschemas, withoutDialect } from "./dialect.js";
import { hoist } from "./hoist.js";
import { createMemo, type Memo, stepInput } from "./memo.js";
import { withMultiples } from "./multiples.js";
import { patternFault } from "./pattern.js";

/** A compiled validator, and its code: an ES module with the `require` calls of Ajv. */
export interface Compiled {
  /** Issues of a value; a single issue without a place if the schema refers to itself without end. */
  readonly issuesOf: (value: unknown) => readonly ValidationIssue[];
  /** As `issuesOf`, for values that come again with the next build: an example, a default. */
  readonly keptIssuesOf: (value: unknown) => readonly ValidationIssue[];
  readonly code: string;
  /** The validators of shared definitions that the code calls, by name; they may call each other. */
  readonly calls?: ReadonlyMap<string, Compiled>;
}

/** Why a schema is invalid: place and reason. */
export interface SchemaFault {
  readonly pointer: string;
  readonly reason: string;
}

/** Bounded patterns for validators in this process. They are printed as plain regular expressions, which the emitter replaces. */
const regExp = Object.assign(
  (source: string, flags: string) => ({ ...boundedPattern(source, flags), toString: () => `/${source}/${flags}` }),
  { code: "new RegExp" },
);

type AjvClass = new (options: Options) => Ajv;

/** Validators of definitions by name, and the digest of these: what a call means depends on them. */
export interface Called {
  readonly calls: ReadonlyMap<string, Compiled>;
  readonly judgedBy: string;
}

/** Ajv in its three dialects. Loading it takes 50 to 80 ms, so only a build does. */
export interface Compiler {
  /** The first fault of a schema, or undefined. */
  readonly faultOf: (schema: JsonSchema) => SchemaFault | undefined;
  /** Whether a format is checked. */
  readonly knowsFormat: (format: string) => boolean;
  /** @throws Error if Ajv cannot compile a schema that the meta-schema accepts */
  readonly compile: (schema: JsonSchema) => Compiled;
  /** Issues of one value; cheaper than {@link Compiler.compile}, since nothing is printed. @throws Error as `compile` does */
  readonly issuesOf: (schema: JsonSchema, value: unknown) => readonly ValidationIssue[];
  /** The validator of a schema that calls those of definitions. */
  readonly compileCalling: (schema: JsonSchema, called: Called) => Compiled;
  /** Issues of one value by such a schema. */
  readonly issuesOfCalling: (schema: JsonSchema, value: unknown, called: Called) => readonly ValidationIssue[];
  /** Whether the validator of a schema calls those of its definitions, so that chains of them take no stack while it is made. */
  readonly callsDefinitions: (schema: JsonSchema) => boolean;
}

/**
 * Keywords without effect on validation; left out, so that they are not printed with the validator. Ajv treats two of them
 * specially: it refuses the `id` of draft-04, and its own `$async` makes results promises.
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

/** Options for the check against the meta-schema. */
const CHECKING: Options = { strict: false, logger: false, allErrors: false };

/** Options for validators: their schemas have been checked, and they are printed without messages. */
export const LEAN: Options = {
  messages: false,
  meta: false,
  validateSchema: false,
  allErrors: true,
  inlineRefs: false,
  strict: false,
  logger: false,
  code: { regExp },
};

/** Instances of Ajv by dialect and options, for checks of schemas and for validators, and its printer. */
async function loadAjvs(judgeOf: (name: string) => DefinitionValidator) {
  const { _: code, Name, Ajv: Draft07, Ajv2019, Ajv2020, formats, standalone, ValueScope } = await import("./ajv.js");
  const classes = { "draft-07": Draft07, "2019-09": Ajv2019, "2020-12": Ajv2020 } as unknown as Record<
    SchemaDialect,
    AjvClass
  >;
  const addFormats = formats.default;
  const print = standalone.default;
  const checkerFor = cached((dialect) => withLinearUniqueItems(new classes[dialect](CHECKING)));
  const ajvs = cache<Ajv>();
  const ajvFor = (dialect: SchemaDialect, options: Options): Ajv =>
    ajvs.get(`${dialect} ${JSON.stringify(options)}`, () => {
      const made = withMultiples(withBoundedFormats(addFormats(new classes[dialect]({ ...LEAN, ...options }))), code);
      return withDefinitionCalls(made, code, Name, judgeOf);
    });
  return { ajvFor, checkerFor, print, ValueScope };
}

/** Loads Ajv and makes a compiler. What is in `memo` is not made again. */
export async function loadCompiler(memo: Memo = createMemo()): Promise<Compiler> {
  // Those that the schema which is being compiled calls.
  let called: ReadonlyMap<string, Compiled> = new Map();
  const judgeOf = (name: string): DefinitionValidator => {
    const all = called;
    return judgeBy(() => all.get(name));
  };
  const { ajvFor, checkerFor, print, ValueScope } = await loadAjvs(judgeOf);
  // Many tools of a server take the same arguments: of GitHub's 1,223 operations, 684 differ.
  const compiled = cache<Compiled>();
  return {
    callsDefinitions: () => false,
    compileCalling: (schema, { calls, judgedBy }) => compile(schema, calls, judgedBy),
    issuesOfCalling: (schema, value, { calls, judgedBy }) => {
      called = calls;
      return keptIssues(memo, stepInput([judgedBy, schema, value]), () =>
        judgeOnce(ajvFor(dialectOf(schema), {}), judgedCalls(schema), value),
      );
    },
    faultOf: (schema) => {
      const text = stepInput(schema);
      const made = (): readonly SchemaFault[] =>
        [faultBy(checkerFor(dialectOf(schema)), schema)].flatMap((fault) => fault ?? []);
      const [fault] = memo.find<readonly SchemaFault[]>("fault", text) ?? memo.keep("fault", text, made());
      return fault;
    },
    knowsFormat: (format) => Object.hasOwn(ajvFor("draft-07", {}).formats, format),
    issuesOf: (schema, value) =>
      keptIssues(memo, stepInput([schema, value]), () =>
        judgeOnce(ajvFor(dialectOf(schema), {}), ajvSchema(schema), value),
      ),
    compile: (schema) => compile(schema),
  };
  function compile(schema: JsonSchema, calls?: ReadonlyMap<string, Compiled>, judgedBy = ""): Compiled {
    const input = calls ? judgedCalls(schema) : ajvSchema(schema);
    const options = { ownProperties: namesInherited(schema), unicodeRegExp: !holdsLegacy(input) };
    const dialect = dialectOf(schema);
    const text = `${dialect} ${stepInput([options, input])}`;
    const withAjv = <T>(use: (ajv: Ajv) => T): T => {
      const ajv = ajvFor(dialect, { ...options, code: PRINTED });
      called = calls ?? new Map();
      try {
        return use(ajv);
      } finally {
        forget(ajv, ValueScope);
      }
    };
    const make = (): Compiled => ({
      ...compiledOf(text, input, { memo, withAjv, print, judgedBy }),
      ...(calls ? { calls } : {}),
    });
    return calls ? make() : compiled.get(text, make);
  }
}

/** Issues of one value by a schema that is not kept. */
function judgeOnce(ajv: Ajv, input: JsonSchema, value: unknown): Issues {
  try {
    return issuesBy(ajv.compile(input), value);
  } finally {
    ajv.removeSchema();
  }
}

/** What makes a validator. */
interface Making {
  readonly memo: Memo;
  readonly withAjv: <T>(use: (ajv: Ajv) => T) => T;
  readonly print: (ajv: Ajv, validate: ValidateFunction) => string;
  /** Digest of the definitions that it calls. */
  readonly judgedBy: string;
}

/** The validator of a schema; where its code is known, it is made at the first question. */
function compiledOf(text: string, input: JsonSchema, { memo, withAjv, print, judgedBy }: Making): Compiled {
  let validate: ValidateFunction | undefined;
  const compileBy = (ajv: Ajv): ValidateFunction => {
    validate = ajv.compile(hoist(input));
    return validate;
  };
  const printed = (ajv: Ajv): string => {
    const made = compileBy(ajv);
    return inOnePiece(print(ajv, made), made);
  };
  const issuesOf: Compiled["issuesOf"] = (value) => issuesBy(validate ?? withAjv(compileBy), value);
  return {
    code: memo.find<string>("validator", text) ?? memo.keep("validator", text, withAjv(printed)),
    issuesOf,
    keptIssuesOf: (value) => keptIssues(memo, `${judgedBy}${text} ${stepInput(value)}`, () => issuesOf(value)),
  };
}

/** Issues of a value, those that an earlier build has found included. */
const keptIssues = (memo: Memo, input: string, make: () => Issues): Issues =>
  memo.find<Issues>("issues", input) ?? memo.keep("issues", input, make());

type Issues = readonly ValidationIssue[];

/** Replaces `uniqueItems` in meta-schemas (for `enum` and `required`), which Ajv checks by comparing all pairs. */
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

export function withBoundedFormats(ajv: Ajv): Ajv {
  for (const [name, validate] of Object.entries(boundedFormats)) ajv.addFormat(name, { validate });
  return ajv;
}

/**
 * Resets an instance after each tool, since a new instance costs 0.2 ms. Names are numbered from the start again, so that a change
 * or failure of one tool does not affect the others, and two tools may have the same `$id`.
 */
function forget(ajv: Ajv, ValueScope: new (options: Ajv["scope"]["opts"]) => Ajv["scope"]): void {
  ajv.removeSchema();
  (ajv as { scope: Ajv["scope"] }).scope = new ValueScope({ ...ajv.scope.opts, scope: {} });
}

/** Flattens the printed code and drops the pieces it was built from, which would keep six times the text in memory. */
function inOnePiece(code: string, validate: Partial<ValidateFunction>): string {
  code.indexOf("\n"); // Searching a string makes the engine flatten it.
  delete validate.source;
  delete validate.schemaEnv;
  return code;
}

/** The issue of a value that Ajv cannot compare with another: it calls a member that is named `toString` or `valueOf`. */
const INCOMPARABLE = { keyword: "const", instancePath: "", schemaPath: "#", params: {} };

/** The issue of a schema whose `$dynamicRef`, resolved during validation, never ends. */
const ENDLESS = { keyword: "$dynamicRef", instancePath: "", schemaPath: "#", params: { limit: "without end" } };

export function issuesBy(validate: ValidateFunction, value: unknown): readonly ValidationIssue[] {
  try {
    return validate(value) ? [] : (validate.errors as unknown as readonly ValidationIssue[]);
  } catch (cause) {
    if (cause instanceof RangeError) return [ENDLESS];
    if (cause instanceof TypeError) return [INCOMPARABLE];
    throw cause;
  }
}

/** Options for printed code. */
const PRINTED = { source: true, esm: true, lines: true, regExp };

interface Cache<T> {
  /** The value of a key, made on first use. */
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

/** Caches one value per dialect. */
function cached<T>(make: (dialect: SchemaDialect) => T): (dialect: SchemaDialect) => T {
  const made = cache<T>();
  return (dialect) => made.get(dialect, () => make(dialect));
}

/** The keywords of a schema that affect validation, in a form that Ajv handles correctly. */
export const ajvSchema = (schema: JsonSchema): JsonSchema =>
  judgedCalls(withoutKeywords(schema, (keyword) => keyword === CALL));

/** The same for a schema that calls definitions. */
const judgedCalls = (schema: JsonSchema): JsonSchema => judgeable(withoutKeywords(withoutDialect(schema), isSilent));

/** A copy without unsupported patterns, and with `__proto__` as a pattern, since Ajv ignores a property of that name. */
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

/** Whether a schema holds a pattern that is valid only without the flag `u`. */
export const holdsLegacy = (schema: JsonSchema): boolean =>
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
  const pointer = first?.instancePath ?? "";
  return { pointer, reason: reasonOf(first, valueAt(schema, pointer)) };
}

const valueAt = (schema: JsonSchema, pointer: string): unknown =>
  pointerParts(pointer).reduce<unknown>(
    (at, part) => (typeof at === "object" && at !== null ? (at as Readonly<Record<string, unknown>>)[part] : undefined),
    schema,
  );

/** Names that every object inherits, as JSON strings. */
const INHERITED = new RegExp(`"(?:${Object.getOwnPropertyNames(Object.prototype).join("|")})"`);

/** Whether a schema holds a name that every object inherits: only then do validators check own properties, with longer code. */
export const namesInherited = (schema: JsonSchema): boolean => INHERITED.test(JSON.stringify(schema));

/** Message for an issue of a compiled validator, which has none. */
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

function reasonOf(error: { message?: string; params?: Record<string, unknown> } | undefined, value: unknown): string {
  const allowed = error?.params?.["allowedValues"];
  const list = Array.isArray(allowed) ? `: ${allowed.join(", ")}` : "";
  const nearest = Array.isArray(allowed) && typeof value === "string" ? closest(value, allowed) : undefined;
  const maybe = nearest === undefined ? "" : ` (did you mean ${nearest}?)`;
  return `${error?.message ?? "is no schema"}${list}${maybe}`;
}
