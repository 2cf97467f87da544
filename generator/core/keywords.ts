/** Finds misspellings in schemas, which validators ignore: of keywords, and of required names. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { closest, editDistance } from "../../runtime/contract/closest.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";

/** Keywords that a misspelled one may mean. Short ones are left out: another word is as likely. */
const KEYWORDS: readonly string[] = [
  ...["$anchor", "$comment", "$defs", "$dynamicAnchor", "$dynamicRef", "$schema", "additionalItems"],
  ...["additionalProperties", "allOf", "anyOf", "contains", "contentEncoding", "contentMediaType", "contentSchema"],
  ...["default", "definitions", "dependencies", "dependentRequired", "dependentSchemas", "deprecated", "description"],
  ...["enum", "examples", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxContains", "maxItems"],
  ...["maxLength", "maxProperties", "maximum", "minContains", "minItems", "minLength", "minProperties", "minimum"],
  ...["multipleOf", "nullable", "oneOf", "pattern", "patternProperties", "prefixItems", "properties"],
  ...["propertyNames", "readOnly", "required", "title", "type", "unevaluatedItems", "unevaluatedProperties"],
  ...["uniqueItems", "writeOnly"],
];

/** Further words that schemas hold: keywords too short to be meant by another word, and those of OpenAPI and older drafts. */
const KNOWN: ReadonlySet<string> = new Set([
  ...KEYWORDS,
  ...["$id", "$recursiveAnchor", "$recursiveRef", "$ref", "$vocabulary", "const", "else", "id", "if", "not", "then"],
  ...["discriminator", "example", "externalDocs", "xml"],
]);

/** Shortest word that is compared. */
const MIN_WORD_LENGTH = 4;
/** Length from which two edits are a misspelling. */
const LONG_WORD_LENGTH = 8;

/**
 * The keyword that a member of a schema is a misspelling of: `minLength` for `minLenght` and `min_length`.
 *
 * @returns undefined for keywords and for other words
 */
export function misspelledKeyword(word: string): string | undefined {
  if (KNOWN.has(word) || word.startsWith("x-") || word.length < MIN_WORD_LENGTH) return undefined;
  const folded = fold(word);
  const most = word.length < LONG_WORD_LENGTH ? 1 : 2;
  return KEYWORDS.map((keyword) => ({ keyword, distance: editDistance(folded, fold(keyword)) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance || byCodeUnit(a.keyword, b.keyword))[0]?.keyword;
}

const fold = (word: string): string => word.replace(/[_-]/g, "").toLowerCase();

interface UndeclaredName {
  readonly name: string;
  readonly index: number;
  /** The declared name that is spelled most like it. */
  readonly nearest: string | undefined;
}

/** Names that a schema requires and its properties do not declare. */
export function undeclaredNames({ properties, required }: JsonSchema): readonly UndeclaredName[] {
  const declared = isSchema(properties) ? Object.keys(properties) : [];
  return (Array.isArray(required) ? required : []).flatMap((name, index) =>
    typeof name === "string" && !declared.includes(name) ? [{ name, index, nearest: closest(name, declared) }] : [],
  );
}
