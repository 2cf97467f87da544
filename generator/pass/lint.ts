/** Reports parts of a schema that are not checked, or that types and help cannot express, so that nothing is dropped silently. */

import { escapePointer, unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { Compiler } from "../core/compile.js";
import { placeWithin, type Report } from "../core/diagnostic.js";
import { argumentAt, type LocatedSubschema, subschemas } from "../core/dialect.js";
import type { LinkedDefinition } from "../core/ir.js";
import { misspelledKeyword, undeclaredNames } from "../core/keywords.js";
import { patternFault } from "../core/pattern.js";
import { listedValues } from "../core/prose-values.js";
import { unsureKeywords } from "../core/unsure.js";

/** Reports oddities in the input of one tool. */
export function lint(one: LinkedDefinition, compiler: Compiler, report: Report): void {
  const unsure = unsureKeywords(one.parameters).map(({ pointer, what }) => `${what} (${argumentAt(pointer)})`);
  if (unsure.length > 0) report.add("verdict-unsure", one.place, { tool: one.name, places: shown(unsure) });
  const unsaid: string[] = [];
  for (const located of subschemas(one.parameters)) {
    lintRequired(one, located, report);
    // The schemas of an OpenAPI description are checked where they are read; those of a server are not the reader's.
    if (one.origin === "local") lintKeywords(one, located, report);
    lintProse(one, located, report);
    lintFormat(one, located, compiler, report);
    lintPatterns(one, located, report);
    const keywords = UNSAID.filter((keyword) => Object.hasOwn(located.schema, keyword));
    if (keywords.length > 0) unsaid.push(`${keywords.join(", ")} of ${argumentAt(located.pointer)}`);
  }
  if (unsaid.length > 0) report.add("schema-unsaid", one.place, { tool: one.name, places: shown(unsaid) });
}

/** Keywords that validators check but that types, signatures and help cannot express. */
const UNSAID: readonly string[] = [
  "not",
  "if",
  "dependentSchemas",
  "dependentRequired",
  "dependencies",
  "contains",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "$dynamicRef",
  "$recursiveRef",
];

/** Most places that are named; further ones are counted. */
const MAX_NAMED = 4;

function shown(places: readonly string[]): string {
  const more = places.length - MAX_NAMED;
  return places.slice(0, MAX_NAMED).join("; ") + (more > 0 ? ` and ${more} more` : "");
}

/** Reports required names that are not declared: at the root all of them; below it, where they may be declared elsewhere, misspelled ones. */
function lintRequired(one: LinkedDefinition, { schema, pointer }: LocatedSubschema, report: Report): void {
  const isRoot = pointer === "";
  if (!isRoot && one.origin !== "local") return;
  const at = argumentAt(pointer);
  for (const { name, index, nearest } of undeclaredNames(schema))
    if (isRoot || nearest !== undefined)
      report.add("required-not-declared", placeWithin(one, `${pointer}/required/${index}`), {
        of: isRoot ? one.name : `${at} of ${one.name}`,
        argument: name,
        nearest,
      });
}

function lintKeywords(one: LinkedDefinition, { schema, pointer }: LocatedSubschema, report: Report): void {
  for (const keyword of Object.keys(schema)) {
    const nearest = misspelledKeyword(keyword);
    const of = pointer === "" ? one.name : `${one.name} ${argumentAt(pointer)}`;
    if (nearest !== undefined)
      report.add("keyword-misspelled", placeWithin(one, `${pointer}/${escapePointer(keyword)}`), {
        of,
        keyword,
        nearest,
      });
  }
}

function lintProse(one: LinkedDefinition, { schema, pointer }: LocatedSubschema, report: Report): void {
  const { type, enum: values, description } = schema;
  if (type !== "string" || values !== undefined || typeof description !== "string") return;
  const pinnable = listedValues(description);
  const listed = pinnable ?? proseValues(description);
  const argument = unescapePointer(pointer.split("/").at(-1) ?? "");
  if (listed)
    report.add("enum-in-prose", placeWithin(one, pointer), {
      tool: one.name,
      argument,
      values: listed.join(", "),
      isPinnable: pinnable !== undefined && pointer === `/properties/${escapePointer(argument)}`,
    });
}

/** Values that a description lists in parentheses or after `Valid:` or `one of`: three or more bare words. */
function proseValues(description: string): readonly string[] | undefined {
  const found =
    /(?:\(|valid(?: values)?: |one of:? )((?:["'`]?[a-z][a-z0-9_]*["'`]?(?:, | \| |\|))+(?:or )?["'`]?[a-z][a-z0-9_]*["'`]?)[).;]?/i.exec(
      description,
    );
  const values = found?.[1]?.split(/, or |, |\|| or /).map((one) => one.replace(/["'`\s]/g, ""));
  return values && values.length >= 3 ? values : undefined;
}

function lintFormat(
  one: LinkedDefinition,
  { schema, pointer }: LocatedSubschema,
  compiler: Compiler,
  report: Report,
): void {
  const { format } = schema;
  if (typeof format !== "string" || compiler.knowsFormat(format)) return;
  report.add("format-unknown", placeWithin(one, `${pointer}/format`), {
    tool: one.name,
    argument: argumentAt(pointer),
    format,
  });
}

const REASONS = {
  invalid: "it is no regular expression of JavaScript",
  unsupported: "it is too large, or uses syntax that cannot be matched in bounded time",
} as const;

/** Reports invalid patterns. In a local definition they are errors; in a foreign one, only the pattern is left out. */
function lintPatterns(one: LinkedDefinition, { schema, pointer }: LocatedSubschema, report: Report): void {
  for (const pattern of patternsOf(schema)) {
    const fault = patternFault(pattern);
    if (fault !== "invalid" && fault !== "unsupported") continue;
    const argument = argumentAt(pointer);
    if (fault === "invalid" && one.origin === "local")
      report.add("schema-invalid", placeWithin(one, `${pointer}/pattern`), {
        tool: one.name,
        at: `${pointer}/pattern`,
        reason: `${JSON.stringify(pattern)} is no regular expression`,
      });
    else
      report.add("pattern-unchecked", placeWithin(one, `${pointer}/pattern`), {
        tool: one.name,
        argument,
        pattern,
        reason: REASONS[fault],
      });
  }
}

const patternsOf = ({ pattern, patternProperties }: JsonSchema): readonly string[] => [
  ...(typeof pattern === "string" ? [pattern] : []),
  ...(isSchema(patternProperties) ? Object.keys(patternProperties) : []),
];
