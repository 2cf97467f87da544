/** Types and helpers that generated validators use at run time, without Ajv. */

import * as ucs2lengthModule from "ajv/dist/runtime/ucs2length.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { isSame } from "./equal-values.js";
import { boundedPattern } from "./pattern/bounded-pattern.js";
import { spend } from "./work-budget.js";

/**
 * One finding of a generated validator, in Ajv's form.
 *
 * @example
 * const textOf = ({ instancePath, message }: ValidationIssue): string => `${instancePath || "the value"} ${message}`;
 */
export interface ValidationIssue {
  /** JSON Pointer to the invalid value; empty for the root. */
  readonly instancePath: string;
  /** Place of the rule in the schema, if the validator says it. */
  readonly schemaPath?: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
  /** The name of a member, if the finding is about a rule of `propertyNames`; `instancePath` is then that of the object. */
  readonly propertyName?: string;
}

/**
 * A generated validator: true, or false with all `errors` set until its next call.
 *
 * @example
 * const errorsOf = (validate: Validator, value: unknown) => (validate(value) ? [] : validate.errors);
 */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly ValidationIssue[] | null;
}

/** The default export of a CommonJS module, however many times a loader has wrapped it. */
function exported(module: unknown): unknown {
  return typeof module === "function" ? module : exported((module as { readonly default: unknown }).default);
}

const codePointsIn = exported(ucs2lengthModule) as (text: string) => number;

/** Characters of a text that are counted for one unit of work. */
const COUNTED_PER_UNIT = 50;

/** Units of work of a comparison in which one side is no object or list. */
const PLAIN_WORK = 0.2;

/**
 * Length of a text in code points, as JSON Schema counts.
 *
 * @example
 * ucs2length("👍"); // 1, where "👍".length is 2
 */
export function ucs2length(text: string): number {
  spend(text.length / COUNTED_PER_UNIT);
  return codePointsIn(text);
}

/**
 * Deep equality, for `const`, `enum` and `uniqueItems`.
 *
 * @example
 * equal([1, { a: 2 }], [1, { a: 2 }]); // true
 */
export function equal(a: unknown, b: unknown): boolean {
  if (typeof a === "object" && typeof b === "object") return isSame(a, b);
  spend(PLAIN_WORK);
  return a === b;
}

/** Formats whose own regular expressions are not linear, replaced by equivalents that take bounded time. */
export const boundedFormats: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  (["url"] as const).map((name) => {
    const { source, flags } = fullFormats[name] as RegExp;
    return [name, (text: string) => boundedPattern(source, flags).test(text)];
  }),
);

/**
 * String formats by name, in their strict form.
 *
 * @example
 * const date = formats["date"] as { readonly validate: (text: string) => boolean };
 * date.validate("2026-02-30"); // false
 */
export const formats: Readonly<Record<string, unknown>> = { ...fullFormats, ...boundedFormats };
