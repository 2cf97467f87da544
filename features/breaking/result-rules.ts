/** The rules about results: what a declared result holds, and whether it is declared. */

import { breakingRule, type CataloguedRule } from "../../generator/core/breaking-rule.js";
import { placeValueMessage } from "./messages.js";

/** Rules about results by their codes. */
export const RESULT_RULES = {
  "result-property-removed": breakingRule(
    "error",
    "wire code",
    "a property of the result is gone",
    (f) => `${f.at} is gone`,
    ["result.id", "string", ""],
  ),
  "result-property-added": breakingRule(
    "info",
    "wire code",
    "a property of the result is new",
    (f) => `${f.at} is new`,
    ["result.note", "", "string"],
  ),
  "result-property-became-optional": breakingRule(
    "error",
    "code",
    "a property of the result may be absent",
    (f) => {
      return `${f.at} may be absent`;
    },
    ["result.id", "", ""],
  ),
  "result-property-became-required": breakingRule(
    "info",
    "code",
    "a property of the result is always there",
    (f) => {
      return `${f.at} is always there`;
    },
    ["result.id", "", ""],
  ),
  "result-type-widened": breakingRule("error", "code", "a result may be more than it was", placeValueMessage("type"), [
    "result.id",
    "string",
    "string|null",
  ]),
  "result-type-narrowed": breakingRule("info", "code", "a result is less than it was", placeValueMessage("type"), [
    "result.id",
    "string|null",
    "string",
  ]),
  "result-type-changed": breakingRule("error", "code", "a result is something else", placeValueMessage("type"), [
    "result.id",
    "string",
    "integer",
  ]),
  "result-enum-value-added": breakingRule(
    "warning",
    "code",
    "a result may have one more value",
    (f) => {
      return `${f.at} may also be ${f.after}`;
    },
    ["result.state", "", "waiting"],
  ),
  "result-enum-value-removed": breakingRule(
    "info",
    "code",
    "a result has one value less",
    (f) => {
      return `${f.at} is never ${f.before} any more`;
    },
    ["result.state", "waiting", ""],
  ),
  "result-value-added": breakingRule(
    "error",
    "code",
    "a result may be a value that it could not be; no other rule says why",
    (f) => {
      return `${f.at} may be a value that it could not be${f.more}`;
    },
    ["result.id", "", "", ": breaks oneOf"],
  ),
  "result-undecided": breakingRule(
    "warning",
    "code",
    "whether every result fits the old schema is neither proven nor refuted",
    (f) => {
      return `undecided whether ${f.at} always fits its old schema${f.more}`;
    },
    ["the result", "", "", " (211 values tried)"],
  ),
  "result-format-changed": breakingRule("warning", "code", "a result has another format", placeValueMessage("format"), [
    "result.due",
    "date-time",
    "date",
  ]),
  "result-encoding-changed": breakingRule(
    "error",
    "wire code",
    "the content of a result arrives otherwise",
    placeValueMessage("content"),
    ["result.file", "base64", "plain text"],
  ),
  "result-discriminator-changed": breakingRule(
    "error",
    "code",
    "a value that tells the form of a result tells another one; a warning where values are new",
    placeValueMessage("discriminator"),
    ["result", '{"propertyName":"kind"}', '{"propertyName":"type"}'],
  ),
  "result-property-became-write-only": breakingRule(
    "error",
    "code",
    "a property is in no result any more",
    (f) => {
      return `${f.at} is write-only now: no result holds it`;
    },
    ["result.secret", "", ""],
  ),
  "result-schema-removed": breakingRule(
    "error",
    "code",
    "the result is described no more",
    () => "the result is described no more",
    ["", "", ""],
  ),
  "result-schema-added": breakingRule(
    "info",
    "code",
    "the result is described",
    (f) => `the result is described: ${f.after}`,
    ["", "", "{id}"],
  ),
} as const satisfies Readonly<Record<string, CataloguedRule>>;
