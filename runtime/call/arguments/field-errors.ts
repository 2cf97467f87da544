/** Converts a validator's findings to field errors that a model can act on. */

import { acceptedNames } from "../../contract/accepted-names.js";
import { TOO_MANY_STEPS } from "../../contract/bounded-validation.js";
import { received, withArticle } from "../../contract/error-body.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject, kindOf } from "../../contract/json.js";
import { escapePointer } from "../../contract/json-pointer.js";
import { boundedPattern } from "../../contract/pattern/bounded-pattern.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { clip } from "../../contract/scrub.js";
import { isNullable, typeText, withoutNull } from "../../contract/type-text.js";
import type { ValidationIssue } from "../../contract/validation.js";
import { nearestArgument } from "../corrections/argument-names.js";
import { settleAlternatives } from "./alternatives.js";
import { matchingBranch, placeAt, type SchemaLocation } from "./branch.js";
import { likelyValues } from "./likely-values.js";
import { patternWords } from "./pattern-words.js";
import { joinPath, memberValue, propertiesOf } from "./schema.js";
import { withNameRules, wrongName } from "./wrong-names.js";

/** A finding with its place. */
interface Finding {
  readonly tool: Tool;
  readonly issue: ValidationIssue;
  readonly place: SchemaLocation;
  /** The value there before defaults were filled in. */
  readonly given: JsonValue | undefined;
}

type Describe = (finding: Finding) => FieldError;

/** Longest value that a message names, in characters. */
const MAX_NAMED_LENGTH = 60;

/** Keywords with a limit, and the message when it is violated. */
const LIMITS: Readonly<Record<string, (limit: string) => string>> = {
  minimum: (limit) => `is less than ${limit}`,
  maximum: (limit) => `is more than ${limit}`,
  exclusiveMinimum: (limit) => `is not more than ${limit}`,
  exclusiveMaximum: (limit) => `is not less than ${limit}`,
  minLength: (limit) => `is shorter than ${limit} characters`,
  maxLength: (limit) => `is longer than ${limit} characters`,
  minItems: (limit) => `has fewer than ${counted(limit, "entry", "entries")}`,
  maxItems: (limit) => `has more than ${counted(limit, "entry", "entries")}`,
  minProperties: (limit) => `has fewer than ${counted(limit, "member", "members")}`,
  maxProperties: (limit) => `has more than ${counted(limit, "member", "members")}`,
  multipleOf: (limit) => `is no multiple of ${limit}`,
};

/** The same for the arguments as a whole. */
const LIMITS_OF_ALL: Readonly<Record<string, (limit: string) => string>> = {
  minProperties: (limit) => `too few are given: give at least ${counted(limit, "argument", "arguments")}`,
  maxProperties: (limit) => `too many are given: give at most ${counted(limit, "argument", "arguments")}`,
};

const counted = (limit: string, one: string, many: string): string => `${limit} ${limit === "1" ? one : many}`;

const DESCRIBE: ReadonlyMap<string, Describe> = new Map<string, Describe>([
  ["required", missing],
  ["dependentRequired", missing],
  ["dependencies", missing],
  ["additionalProperties", unknown],
  ["unevaluatedProperties", unknown],
  ["enum", notAllowed],
  ["const", notAllowed],
  ["pattern", wrongForm],
  ["propertyNames", notAName],
  [TOO_MANY_STEPS, tooManySteps],
  ...Object.keys(LIMITS).map((keyword) => [keyword, overLimit] as const),
]);

/**
 * Order of field errors: the count of unlisted findings, then missing arguments, unknown ones, and wrong values, each
 * in the validator's order.
 */
const RANK: Readonly<Record<string, number>> = {
  maxErrors: -1,
  required: 0,
  additionalProperties: 1,
  unevaluatedProperties: 1,
};

/**
 * Field errors for every finding of the op's validator.
 *
 * @param given the arguments without defaults: a default takes no name from an unknown argument
 */
export function fieldErrors(
  tool: Tool,
  args: JsonObject,
  issues: readonly ValidationIssue[],
  given: JsonObject = args,
): readonly FieldError[] {
  const at = (of: JsonObject, { instancePath }: ValidationIssue): SchemaLocation =>
    placeAt(tool.parameters_schema, of, instancePath);
  const findings = settleAlternatives(withNameRules(issues), args, tool.parameters_schema)
    .filter(({ keyword }) => keyword !== "if")
    .map((issue) => ({ tool, issue, place: at(args, issue), given: at(given, issue).value }));
  const errors = findings.map((finding) => (DESCRIBE.get(finding.issue.keyword) ?? otherwise)(finding));
  return sortErrors(errors);
}

/** Orders field errors for an answer and drops repetitions of one finding. */
export function sortErrors(errors: readonly FieldError[]): readonly FieldError[] {
  const unique = new Map(withoutMisspelt(errors).map((error) => [`${error.keyword} ${error.path}`, error]));
  const rank = (error: FieldError): number => RANK[error.keyword] ?? 2;
  return [...unique.values()].sort((a, b) => rank(a) - rank(b));
}

/** Keywords of findings about a name: `did_you_mean` is a name for these, else a value. */
export const UNKNOWN_NAMES: ReadonlySet<string> = new Set(["additionalProperties", "unevaluatedProperties"]);

/** Removes findings about missing arguments that are only misspelt. */
function withoutMisspelt(errors: readonly FieldError[]): readonly FieldError[] {
  const meant = new Set(
    errors.flatMap(({ path, keyword, did_you_mean: name }) =>
      name !== undefined && UNKNOWN_NAMES.has(keyword) ? [sibling(path, name)] : [],
    ),
  );
  return errors.filter((error) => error.keyword !== "required" || !meant.has(error.path));
}

const sibling = (path: string, name: string): string => joinPath(path.replace(/\.?[^.[\]]+$|\[[^[\]]*\]$/, ""), name);

function expected({ tool, place, issue: { params } }: Finding): string {
  if (place.schema) return typeText(place.schema, tool.parameters_schema);
  const { type, format } = params;
  return type === undefined ? String(format ?? "another value") : typeText({ type });
}

const lastName = ({ place }: Finding): string => String(place.keys.findLast((key) => typeof key === "string") ?? "");
const shown = (finding: Finding): string => received(finding.place.value, lastName(finding));
const pathOf = ({ place }: Finding): string => (place.path === "" ? "the arguments" : place.path);

function missing(finding: Finding): FieldError {
  const name = String(finding.issue.params["missingProperty"]);
  const { schema } = placeAt(
    finding.tool.parameters_schema,
    {},
    `/${[...finding.place.keys, name].map(escapePointer).join("/")}`,
  );
  const path = joinPath(finding.place.path, name);
  const declared = propertiesOf(owner(finding)).get(name) ?? schema;
  const type = declared ? typeText(declared, finding.tool.parameters_schema) : "any";
  return { path, keyword: "required", message: `${path} is missing`, expected: type, received: "nothing" };
}

const owner = ({ tool, place }: Finding): JsonSchema =>
  place.schema ? matchingBranch(place.schema, place.value, tool.parameters_schema) : {};

function unknown(finding: Finding): FieldError {
  const { issue, place } = finding;
  const name = String(issue.params["additionalProperty"] ?? issue.params["unevaluatedProperty"]);
  const given = isObject(finding.given) ? finding.given : {};
  const names =
    place.path === "" ? acceptedNames(finding.tool.parameters_schema).declared : propertiesOf(owner(finding));
  const error = unknownArgument(name, given, [...names.keys()], place.path);
  return issue.keyword === "additionalProperties" ? error : { ...error, keyword: issue.keyword };
}

/** A name that `propertyNames` refuses; an argument that can never be given is unknown. */
function notAName({ tool, issue, place, given }: Finding): FieldError {
  const name = String(issue.params["propertyName"]);
  const { declared, accepts } = acceptedNames(tool.parameters_schema);
  if (place.path !== "" || accepts(name) || !isObject(given)) return wrongName(issue, place.path);
  return unknownArgument(name, given, [...declared.keys()], "");
}

/** An argument that the schema does not declare, with the nearest one of the `declared` that is still free. */
export function unknownArgument(name: string, given: JsonObject, declared: readonly string[], at: string): FieldError {
  const path = joinPath(at, name);
  const free = declared.filter((property) => !Object.hasOwn(given, property));
  const meant = nearestArgument(name, free);
  const value = memberValue(given, name);
  return {
    path,
    keyword: "additionalProperties",
    message: `${path} is unknown`,
    expected: "a declared argument",
    received: kindOf(value),
    ...(meant === undefined ? {} : { did_you_mean: meant }),
  };
}

function notAllowed(finding: Finding): FieldError {
  const { issue, place, tool } = finding;
  const allowed = issue.params["allowedValues"] ?? [issue.params["allowedValue"]];
  const texts = textsIn(allowed);
  const likely = typeof place.value !== "string" ? [] : texts.length === 1 ? texts : likelyValues(place.value, texts);
  const [meant, ...others] = likely;
  const state = lastName(finding) === "state_key" && place.keys.length === 1 && tool.entity !== undefined;
  const said = `${pathOf(finding)} is ${state ? `not a ${tool.entity} state` : "none of the allowed values"}`;
  const several = likely.map((value) => clip(value, MAX_NAMED_LENGTH)).join(" or ");
  return {
    path: place.path,
    keyword: issue.keyword,
    message: others.length === 0 ? said : `${said} (perhaps ${several})`,
    expected: place.schema ? expected(finding) : texts.join("|"),
    received: shown(finding),
    ...(meant === undefined || others.length > 0 ? {} : { did_you_mean: meant }),
  };
}

/** The texts of allowed values, cached: an enum may have thousands, and a call thousands of values that are not among them. */
function textsIn(allowed: unknown): readonly string[] {
  if (!Array.isArray(allowed)) return [];
  const known = TEXTS.get(allowed) ?? allowed.filter((value) => typeof value === "string");
  TEXTS.set(allowed, known);
  return known;
}

const TEXTS = new WeakMap<readonly unknown[], readonly string[]>();

function overLimit(finding: Finding): FieldError {
  const { issue, place } = finding;
  const limit = String(issue.params["limit"] ?? issue.params["multipleOf"]);
  const ofAll = place.path === "" ? LIMITS_OF_ALL[issue.keyword]?.(limit) : undefined;
  const said = LIMITS[issue.keyword]?.(limit) ?? "is out of bounds";
  const type = expected(finding);
  const bound = type.includes(limit) ? type : `${type}, ${issue.keyword} ${limit}`;
  return {
    path: place.path,
    keyword: issue.keyword,
    message: ofAll ?? `${pathOf(finding)} ${said}`,
    expected: bound,
    received: shown(finding),
  };
}

/** Arguments that were not checked to their end. */
export function tooManySteps(): FieldError {
  const message = "the arguments take too many steps to check";
  const expected = "arguments that nest less or hold fewer values";
  return { path: "", keyword: TOO_MANY_STEPS, message, expected, received: "nested values" };
}

function wrongForm(finding: Finding): FieldError {
  const { issue, place } = finding;
  const type = expected(finding);
  const declared = owner(finding)["x-form"];
  const pattern = typeof declared === "string" ? declared : `${type} matching ${issue.params["pattern"]}`;
  const form = type.startsWith("id") ? type : clip(pattern, 160);
  const message = type.startsWith("id") ? notAn(finding, type) : `${pathOf(finding)} ${formText(finding, declared)}`;
  return { path: place.path, keyword: issue.keyword, message, expected: form, received: shown(finding) };
}

/** `must match project.<word>[.<word>], such as "project.launch"`: the pattern in words, and a text that has the form. */
function formText(finding: Finding, declared: unknown): string {
  const pattern = String(finding.issue.params["pattern"]);
  const words = typeof declared === "string" ? clip(declared, 160) : patternWords(pattern);
  const example = exampleOf(finding, pattern);
  const such = example === undefined ? "" : `, such as ${received(example, lastName(finding))}`;
  if (words === undefined)
    return example === undefined ? "does not have the expected form" : `must have the expected form${such}`;
  return `must ${typeof declared === "string" && words.includes(" ") ? "be" : "match"} ${words}${such}`;
}

/** A text of the examples of an op, or of the schema, that fits the pattern of a finding. */
function exampleOf(finding: Finding, pattern: string): string | undefined {
  const { tool, place } = finding;
  const at = (args: JsonValue): JsonValue | undefined =>
    place.keys.reduce<JsonValue | undefined>((value, key) => memberValue(value, key), args);
  const { examples, example, default: preset } = owner(finding);
  const known = [
    ...tool.examples.map(({ args }) => at(args)),
    ...(Array.isArray(examples) ? examples : []),
    example,
    preset,
  ];
  const test = boundedPattern(pattern, "u");
  return known.find((one): one is string => typeof one === "string" && one !== "" && !/^</.test(one) && test.test(one));
}

function otherwise(finding: Finding): FieldError {
  const { issue, place } = finding;
  const type = expected(finding);
  const format = typeof issue.params["format"] === "string" ? issue.params["format"] : type;
  const said = SAID[issue.keyword] ?? (type === "another value" ? "does not fit the other arguments" : undefined);
  const message = said === undefined ? notAn(finding, format) : `${pathOf(finding)} ${said}`;
  return { path: place.path, keyword: issue.keyword, message, expected: type, received: shown(finding) };
}

/** Messages of keywords that are not about the type of a value. */
const SAID: Readonly<Record<string, string>> = {
  uniqueItems: "has equal entries",
  "false schema": "is not allowed beside the other arguments",
};

/** Descriptions of formats, each with an example. */
const FORMATS: ReadonlyMap<string, readonly [words: string, example: string]> = new Map([
  ["date", ["a date", "2026-01-15"]],
  ["date-time", ["a time with its zone", "2026-01-15T09:00:00Z"]],
  ["time", ["a time of day with its zone", "09:00:00Z"]],
  ["duration", ["a duration", "PT1H30M"]],
  ["email", ["an email address", "anna@example.com"]],
  ["uri", ["an absolute URL", "https://example.com/"]],
  ["url", ["an absolute URL", "https://example.com/"]],
  ["uuid", ["a UUID", "123e4567-e89b-42d3-a456-426614174000"]],
]);

/** `limit is not an integer 1..50`, `task_id is not a task id`, `due_at is not a date, as in 2026-01-15`. */
function notAn(finding: Finding, type: string): string {
  const bare = withoutNull(type);
  const formats = bare.split("|").flatMap((name) => FORMATS.get(name) ?? []);
  const kind = /^id<(.+)>$/.exec(bare)?.[1];
  if (formats.length < 2 * bare.split("|").length) {
    const named = withArticle(kind === undefined ? bare : `${kind} id`);
    return `${pathOf(finding)} is ${isNullable(type) ? `neither ${named} nor null` : `not ${named}`}`;
  }
  const [words, examples] = [0, 1].map((part) => formats.filter((_, i) => i % 2 === part).join(" or "));
  return `${pathOf(finding)} is not ${words}, as in ${examples}`;
}
