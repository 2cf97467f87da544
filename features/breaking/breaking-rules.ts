/**
 * The catalogue of what `breaking` can find: one table, from which findings, SARIF rules, the keys of `breaking.level` and the
 * table in `docs/reference/breaking-rules.md` are made.
 */

import {
  breakingRule,
  type CataloguedRule,
  gainedMessage,
  lostMessage,
  opValueMessage,
  placeValueMessage,
  quotedProse,
  rangeMessage,
} from "../../generator/core/breaking-rule.js";
import { REQUEST_RULES } from "./request-rules.js";

/** Every rule by its code. */
export const BREAKING_RULES = {
  "tool-removed": breakingRule("error", "wire op", "a tool is gone", (f) => `tool ${f.before} is gone${f.more}`),
  "tool-removed-before-sunset": breakingRule(
    "error",
    "wire",
    "a tool is gone before the sunset that its tombstone promises",
    (f) => `tool ${f.before} is gone, but is promised until ${f.after}${f.more}`,
  ),
  "tool-added": breakingRule("info", "", "a tool is new", (f) => `tool ${f.after} is new`),
  "tool-renamed": breakingRule("error", "wire", "the same op has another tool name", opValueMessage("tool name")),
  "typed-tool-renamed": breakingRule(
    "error",
    "wire",
    "an op that clients call as a tool of its own has another name there",
    opValueMessage("name as a tool"),
  ),
  "reserved-name-reused": breakingRule(
    "error",
    "wire op",
    "the name or the op of a tombstone is used with another input",
    (f) => `${f.before} is reserved${f.more}, but is a tool with another input`,
  ),
  "op-renamed": breakingRule("error", "op agent", "the same tool has another op path", opValueMessage("op")),
  "op-alias-removed": breakingRule(
    "error",
    "op",
    "an op path of a tool is gone",
    (f) => `op alias ${f.before} is gone`,
  ),
  "op-alias-added": breakingRule("info", "op", "a tool has one more op path", (f) => `op alias ${f.after} is new`),
  "op-pack-changed": breakingRule(
    "warning",
    "agent",
    "the op moved to another pack; its old path is kept",
    opValueMessage("pack"),
  ),
  "op-entity-changed": breakingRule(
    "warning",
    "agent",
    "the op has another entity; its old path is kept",
    opValueMessage("entity"),
  ),
  "op-action-changed": breakingRule(
    "warning",
    "agent",
    "the op has another action; its old path is kept",
    opValueMessage("action"),
  ),
  "kind-widened": breakingRule(
    "error",
    "agent",
    "a read became a write, which needs consent",
    () => "was a read, is a write",
  ),
  "kind-narrowed": breakingRule("warning", "agent", "a write became a read: it claims to change nothing", () => {
    return "was a write, claims to be a read";
  }),
  "access-raised": breakingRule(
    "error",
    "wire",
    "callers need more access, so some lose the op",
    opValueMessage("access"),
  ),
  "access-lowered": breakingRule(
    "warning",
    "wire",
    "callers need less access, so some gain the op",
    opValueMessage("access"),
  ),
  "annotation-destructive-added": breakingRule(
    "error",
    "agent",
    "a tool became destructive",
    () => "is destructive now",
  ),
  "annotation-destructive-removed": breakingRule("warning", "agent", "a tool claims to be destructive no more", () => {
    return "claims to be destructive no more";
  }),
  "annotation-idempotent-removed": breakingRule("error", "agent", "retries became unsafe", () => {
    return "is idempotent no more: a retry may do it twice";
  }),
  "annotation-idempotent-added": breakingRule("info", "agent", "retries became safe", () => "is idempotent now"),
  "annotation-read-only-changed": breakingRule(
    "error",
    "agent",
    "the read-only hint changed",
    opValueMessage("read-only hint"),
  ),
  "annotation-open-world-changed": breakingRule(
    "warning",
    "agent",
    "the open-world hint changed",
    opValueMessage("open-world hint"),
  ),
  "arg-required-added": breakingRule("error", "wire code", "a required argument is new", (f) => {
    return `required argument ${f.at} is new (${f.after})`;
  }),
  "arg-optional-added": breakingRule("info", "code", "an optional argument is new", (f) => {
    return `optional argument ${f.at} is new (${f.after})`;
  }),
  "arg-removed": breakingRule(
    "error",
    "wire code",
    "an argument is gone; a warning where it is ignored from now on",
    (f) => {
      return `argument ${f.at} is gone${f.more}`;
    },
  ),
  "arg-renamed": breakingRule(
    "error",
    "wire code",
    "an argument has another name; a warning where the old one is an alias",
    (f) => {
      return `argument ${f.before} is ${f.after} now${f.more}`;
    },
  ),
  "arg-alias-removed": breakingRule(
    "error",
    "wire",
    "another name of an argument is gone",
    lostMessage("is no longer called"),
  ),
  "arg-alias-added": breakingRule("info", "wire", "an argument has one more name", gainedMessage("may also be called")),
  "arg-became-required": breakingRule(
    "error",
    "wire code",
    "an optional argument became required",
    (f) => `${f.at} is required now`,
  ),
  "arg-became-optional": breakingRule(
    "info",
    "wire code",
    "a required argument became optional",
    (f) => `${f.at} is optional now`,
  ),
  "arg-type-changed": breakingRule(
    "error",
    "wire code",
    "an argument takes something else, not comparable",
    placeValueMessage("type"),
  ),
  "arg-type-narrowed": breakingRule("error", "wire code", "an argument takes fewer types", placeValueMessage("type")),
  "arg-type-widened": breakingRule("info", "wire code", "an argument takes more types", placeValueMessage("type")),
  "arg-enum-value-removed": breakingRule(
    "error",
    "wire code",
    "an argument refuses a value that it took",
    lostMessage("no longer takes"),
  ),
  "arg-enum-value-added": breakingRule(
    "info",
    "wire code",
    "an argument takes one more value",
    gainedMessage("also takes"),
  ),
  "arg-became-enum": breakingRule(
    "error",
    "wire code",
    "an argument takes listed values only",
    gainedMessage("takes only"),
  ),
  "arg-stopped-being-enum": breakingRule(
    "info",
    "wire code",
    "an argument takes other than listed values",
    placeValueMessage("type"),
  ),
  "arg-const-changed": breakingRule(
    "error",
    "wire",
    "the one value of an argument is another",
    placeValueMessage("value"),
  ),
  "arg-range-narrowed": breakingRule("error", "wire", "bounds, lengths, counts or steps are tighter", rangeMessage),
  "arg-range-widened": breakingRule("info", "wire", "bounds, lengths, counts or steps are looser", rangeMessage),
  "arg-pattern-added": breakingRule("error", "wire", "an argument must match a pattern", gainedMessage("must match")),
  "arg-pattern-changed": breakingRule(
    "warning",
    "wire",
    "an argument must match another pattern",
    placeValueMessage("pattern"),
  ),
  "arg-pattern-removed": breakingRule(
    "info",
    "wire",
    "an argument need not match a pattern",
    lostMessage("need not match"),
  ),
  "arg-format-added": breakingRule("warning", "wire", "an argument must have a format", gainedMessage("must be a")),
  "arg-format-changed": breakingRule(
    "warning",
    "wire",
    "an argument must have another format",
    placeValueMessage("format"),
  ),
  "arg-format-removed": breakingRule(
    "info",
    "wire",
    "an argument need not have a format",
    lostMessage("need not be a"),
  ),
  "arg-encoding-changed": breakingRule(
    "error",
    "wire code",
    "the content of an argument arrives otherwise",
    placeValueMessage("content"),
  ),
  "arg-discriminator-changed": breakingRule(
    "error",
    "wire",
    "a value that selects the form of an argument selects another one; information where values are new",
    placeValueMessage("discriminator"),
  ),
  "arg-became-read-only": breakingRule(
    "warning",
    "wire",
    "an argument is read-only: what is given has no effect",
    (f) => {
      return `${f.at} is read-only now: what is given has no effect`;
    },
  ),
  "arg-default-changed": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    placeValueMessage("default"),
  ),
  "arg-default-added": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    gainedMessage("has a default,"),
  ),
  "arg-default-removed": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    lostMessage("has no default any more, was"),
  ),
  "arg-unknown-refused": breakingRule(
    "error",
    "wire",
    "undeclared arguments are refused",
    (f) => `${f.at} refuses undeclared names`,
  ),
  "arg-unknown-accepted": breakingRule(
    "info",
    "wire",
    "undeclared arguments are taken",
    (f) => `${f.at} takes undeclared names`,
  ),
  "arg-value-refused": breakingRule(
    "error",
    "wire",
    "an argument refuses a value that it took; no other rule says why",
    (f) => {
      return `${f.at} refuses a value that it took${f.more}`;
    },
  ),
  "arg-undecided": breakingRule(
    "warning",
    "wire",
    "whether the input still takes every value is neither proven nor refuted",
    (f) => {
      return `undecided whether ${f.at} still takes every value${f.more}`;
    },
  ),
  "arg-position-changed": breakingRule("warning", "code", "positional calls bind other arguments", (f) => {
    return `arguments from position ${f.at} on were ${f.before}, are ${f.after}`;
  }),
  "constraint-added": breakingRule(
    "error",
    "wire",
    "one more rule across arguments",
    (f) => `must hold now: ${f.after}`,
  ),
  "constraint-removed": breakingRule(
    "info",
    "wire",
    "one rule less across arguments",
    (f) => `need not hold any more: ${f.before}`,
  ),
  "result-property-removed": breakingRule(
    "error",
    "wire code",
    "a property of the result is gone",
    (f) => `${f.at} is gone`,
  ),
  "result-property-added": breakingRule(
    "info",
    "wire code",
    "a property of the result is new",
    (f) => `${f.at} is new`,
  ),
  "result-property-became-optional": breakingRule("error", "code", "a property of the result may be absent", (f) => {
    return `${f.at} may be absent`;
  }),
  "result-property-became-required": breakingRule("info", "code", "a property of the result is always there", (f) => {
    return `${f.at} is always there`;
  }),
  "result-type-widened": breakingRule("error", "code", "a result may be more than it was", placeValueMessage("type")),
  "result-type-narrowed": breakingRule("info", "code", "a result is less than it was", placeValueMessage("type")),
  "result-type-changed": breakingRule("error", "code", "a result is something else", placeValueMessage("type")),
  "result-enum-value-added": breakingRule("warning", "code", "a result may have one more value", (f) => {
    return `${f.at} may also be ${f.after}`;
  }),
  "result-enum-value-removed": breakingRule("info", "code", "a result has one value less", (f) => {
    return `${f.at} is never ${f.before} any more`;
  }),
  "result-value-added": breakingRule(
    "error",
    "code",
    "a result may be a value that it could not be; no other rule says why",
    (f) => {
      return `${f.at} may be a value that it could not be${f.more}`;
    },
  ),
  "result-undecided": breakingRule(
    "warning",
    "code",
    "whether every result fits the old schema is neither proven nor refuted",
    (f) => {
      return `undecided whether ${f.at} always fits its old schema${f.more}`;
    },
  ),
  "result-format-changed": breakingRule("warning", "code", "a result has another format", placeValueMessage("format")),
  "result-encoding-changed": breakingRule(
    "error",
    "wire code",
    "the content of a result arrives otherwise",
    placeValueMessage("content"),
  ),
  "result-discriminator-changed": breakingRule(
    "error",
    "code",
    "a value that tells the form of a result tells another one; a warning where values are new",
    placeValueMessage("discriminator"),
  ),
  "result-property-became-write-only": breakingRule("error", "code", "a property is in no result any more", (f) => {
    return `${f.at} is write-only now: no result holds it`;
  }),
  "result-schema-removed": breakingRule(
    "error",
    "code",
    "the result is described no more",
    () => "the result is described no more",
  ),
  "result-schema-added": breakingRule(
    "info",
    "code",
    "the result is described",
    (f) => `the result is described: ${f.after}`,
  ),
  "learned-property-gone": breakingRule(
    "warning",
    "code",
    "a key that results had is in no result any more, as far as was learned",
    (f) => `${f.at} is in no learned result any more`,
  ),
  "learned-type-changed": breakingRule(
    "warning",
    "code",
    "values of results have another type than was learned",
    (f) => `${f.at} was learned as ${f.before}, is ${f.after}`,
  ),
  "learned-widened": breakingRule(
    "warning",
    "code",
    "less is certain about a result than was learned",
    (f) => `${f.at} was ${f.before}, is ${f.after}`,
  ),
  "description-changed": breakingRule("info", "agent", "a tool's description changed", (f) => {
    return `description was ${quotedProse(f.before)}, is ${quotedProse(f.after)}`;
  }),
  "description-removed": breakingRule(
    "warning",
    "agent",
    "a tool has no description any more",
    () => "has no description any more",
  ),
  "arg-description-changed": breakingRule("info", "agent", "an argument's description changed", (f) => {
    return `description of ${f.at} was ${quotedProse(f.before)}, is ${quotedProse(f.after)}`;
  }),
  "arg-description-removed": breakingRule("warning", "agent", "an argument has no description any more", (f) => {
    return `${f.at} has no description any more`;
  }),
  "instruction-added": breakingRule(
    "error",
    "agent",
    "a text of a tool gives orders to the model that reads it",
    (f) => {
      return `a text ${f.at}: ${quotedProse(f.after)}`;
    },
  ),
  "policy-dont-removed": breakingRule(
    "error",
    "agent",
    "a guard of the policy is gone",
    (f) => `guard is gone: ${quotedProse(f.before)}`,
  ),
  "policy-do-removed": breakingRule(
    "warning",
    "agent",
    "an advice of the policy is gone",
    (f) => `advice is gone: ${quotedProse(f.before)}`,
  ),
  "policy-edge-case-removed": breakingRule("warning", "agent", "an edge case of the policy is gone", (f) => {
    return `edge case is gone: ${quotedProse(f.before)}`;
  }),
  "policy-changed": breakingRule("warning", "agent", "the policy says more, or says it otherwise", (f) => {
    return f.before === ""
      ? `policy also says ${quotedProse(f.after)}`
      : `policy said ${quotedProse(f.before)}, says ${quotedProse(f.after)}`;
  }),
  "example-invalidated": breakingRule("error", "agent", "an example no longer fits its input", (f) => {
    return `example ${f.at} no longer fits${f.more}`;
  }),
  "help-path-removed": breakingRule("error", "agent", "a help path leads nowhere; error envelopes point to it", (f) => {
    return `help path ${f.before} leads nowhere`;
  }),
  "snippet-removed": breakingRule(
    "error",
    "agent",
    "a snippet that users type is gone",
    (f) => `snippet $${f.before} is gone`,
  ),
  "snippet-param-removed": breakingRule("error", "agent", "a parameter of a snippet is gone", (f) => {
    return `snippet $${f.at} takes no ${f.before} any more`;
  }),
  "alias-removed": breakingRule(
    "error",
    "agent",
    "an alias that users type is gone",
    (f) => `alias ${f.at} of ${f.before} is gone`,
  ),
  "alias-retargeted": breakingRule(
    "warning",
    "agent",
    "an alias that users type leads to another op",
    placeValueMessage("target"),
  ),
  "reference-broken": breakingRule(
    "error",
    "op agent",
    "a snippet, an alias, a pin, an override or a tombstone names what is gone",
    (f) => {
      return `${f.at} names ${f.before}, which is gone${f.more}`;
    },
  ),
  "deprecated-added": breakingRule("info", "agent", "something is deprecated", (f) => `${f.at} is deprecated now`),
  "deprecated-removed": breakingRule(
    "info",
    "agent",
    "something is deprecated no more",
    (f) => `${f.at} is deprecated no more`,
  ),
  ...REQUEST_RULES,
  "source-changed": breakingRule("info", "", "a tool comes from another file or server", opValueMessage("source")),
} as const satisfies Readonly<Record<string, CataloguedRule>>;

/** Code of a rule of `breaking`. */
export type BreakingRule = keyof typeof BREAKING_RULES;

/** The rule of a code. */
export const ruleOf = (code: BreakingRule): CataloguedRule => BREAKING_RULES[code];
