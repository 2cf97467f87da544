/**
 * Data on the code that Monty runs like Python, by which the router decides before the start; in doubt it chooses CPython. Format
 * specifications, such as `:>8` of `f"{x:>8}"`, count if a check of the value passes.
 */

import type { Feature, SyntaxFacts } from "../syntax-facts.js";

/** Specifications that Monty formats like Python, with the check of the value. */
const SPECS: readonly (readonly [spec: RegExp, check: string])[] = [
  [/^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?$/, "__padded"],
  [/^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?s$/, "__string"],
  [/^:[+]?0?(?:[1-9]\d*)?(?:\.\d+)?[f%]$/, "__number"],
  [/^:(?:[^{}]?[<>^])(?:[1-9]\d*)?(?:\.\d+)?[f%]$/, "__number"],
  [/^:[+]?0?(?:[1-9]\d*)?[dxXob]$/, "__integer"],
  [/^:(?:[^{}]?[<>^])[+]?(?:[1-9]\d*)?[dxXob]$/, "__integer"],
];
/** Specifications for the result of a conversion such as `!r`, which is text. */
const TEXT_SPEC = /^:(?:[^{}]?[<>^])?(?:[1-9]\d*)?s?$/;

/** Whether Monty formats a replacement with a conversion and this specification like Python. */
export const isTextSpec = (spec: string): boolean => TEXT_SPEC.test(spec);

/** The check of a formatted value; undefined if no check is sufficient. */
export function specCheck(spec: string): string | undefined {
  return SPECS.find(([pattern]) => pattern.test(spec))?.[1] ?? grouped(spec)?.check;
}

/** A format that groups thousands: `:,`, `:>12,.2f`. */
const GROUPED = /^:([^{}]?[<>^])?([1-9]\d*)?,(?:\.(\d{1,2})f|d)?$/;

/**
 * The function that formats a value with thousands separators, and the padding of its result; undefined for any other
 * format.
 */
export function grouped(spec: string): { readonly check: string; readonly padding: string } | undefined {
  const [found, align = ">", width = "", digits = "None"] = GROUPED.exec(spec) ?? [];
  if (found === undefined) return undefined;
  return {
    check: `__grouped(${Number.isNaN(Number(digits)) ? digits : Number(digits)})`,
    padding: width && `:${align}${width}`,
  };
}

/** Modules that Monty has and that behave as in Python. */
const MODULES: ReadonlySet<string> = new Set(["__future__", "asyncio", "json", "math", "typing"]);

/** Form of the name of a feature that is an import. */
const IMPORT = /^import ([\w]+)/;

/**
 * The first construct in the code that Monty lacks or interprets differently: any construct in the facts except
 * supported imports.
 */
export function firstLack(facts: SyntaxFacts): { readonly feature: string; readonly line: number } | undefined {
  const lack = facts.features.find(isLack);
  if (lack) return { feature: lack.name, line: lack.line };
  const module = facts.imports.find((name) => !MODULES.has(name));
  return module === undefined ? undefined : { feature: `import ${module}`, line: 1 };
}

const isLack = ({ name }: Feature): boolean => {
  const module = IMPORT.exec(name)?.[1];
  return module === undefined || !MODULES.has(module);
};
