/** What generated validators need at run time, and the shape they have. Ajv itself is not among it. */

import * as equalModule from "ajv/dist/runtime/equal.js";
import * as ucs2lengthModule from "ajv/dist/runtime/ucs2length.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { boundedPattern } from "./pattern/bounded-pattern.js";

/** One finding of a generated validator, in Ajv's form. */
export interface ValidationIssue {
  /** JSON Pointer to the value that does not fit; empty for the root. */
  readonly instancePath: string;
  readonly schemaPath: string;
  readonly keyword: string;
  readonly params: Record<string, unknown>;
  readonly message?: string;
}

/** A generated validator: true, or false with all `errors` set until its next call. */
export interface Validator {
  (data: unknown): boolean;
  errors?: readonly ValidationIssue[] | null;
}

/** The function that a CommonJS module exports as `default`, however many times a loader has wrapped it. */
function exported(module: unknown): unknown {
  return typeof module === "function" ? module : exported((module as { readonly default: unknown }).default);
}

/** Length of a text in code points, as JSON Schema counts. */
export const ucs2length: (text: string) => number = exported(ucs2lengthModule) as typeof ucs2length;

/** Deep equality, for `const`, `enum` and `uniqueItems`. */
export const equal: (a: unknown, b: unknown) => boolean = exported(equalModule) as typeof equal;

/** Formats whose own regular expressions are not linear, with the same answers in bounded time. */
export const boundedFormats: Readonly<Record<string, (text: string) => boolean>> = Object.fromEntries(
  (["url"] as const).map((name) => {
    const { source, flags } = fullFormats[name] as RegExp;
    return [name, (text: string) => boundedPattern(source, flags).test(text)];
  }),
);

/** String formats by name, in their strict form. */
export const formats: Readonly<Record<string, unknown>> = { ...fullFormats, ...boundedFormats };
