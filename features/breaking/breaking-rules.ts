/**
 * The catalogue of what `breaking` finds itself: one table, from which findings, SARIF rules, the keys of `breaking.level` and the
 * table in `docs/reference/breaking-rules.md` are made, together with the rules of other features.
 */

import { breakingRule, type CataloguedRule } from "../../generator/core/breaking-rule.js";
import {
  gainedMessage,
  lostMessage,
  opValueMessage,
  placeValueMessage,
  quotedProse,
  rangeMessage,
} from "./messages.js";
import { REQUEST_RULES } from "./request-rules.js";
import { RESULT_RULES } from "./result-rules.js";

/** Every rule by its code. */
export const BREAKING_RULES = {
  "tool-removed": breakingRule("error", "wire op", "a tool is gone", (f) => `tool ${f.before} is gone${f.more}`, [
    "",
    "list_tasks",
    "",
  ]),
  "tool-removed-before-sunset": breakingRule(
    "error",
    "wire",
    "a tool is gone before the sunset that its tombstone promises",
    (f) => `tool ${f.before} is gone, but is promised until ${f.after}${f.more}`,
    ["", "list_tasks", "2026-11-01"],
  ),
  "tool-added": breakingRule("info", "", "a tool is new", (f) => `tool ${f.after} is new`, ["", "", "list_notes"]),
  "tool-renamed": breakingRule("error", "wire", "the same op has another tool name", opValueMessage("tool name"), [
    "",
    "list_tasks",
    "search_tasks",
  ]),
  "typed-tool-renamed": breakingRule(
    "error",
    "wire",
    "an op that clients call as a tool of its own has another name there",
    opValueMessage("name as a tool"),
    ["", "get_a", "a_get_a", ", since b.get_a has that name too: clients that call the tool get_a break"],
  ),
  "reserved-name-reused": breakingRule(
    "error",
    "wire op",
    "the name or the op of a tombstone is used with another input",
    (f) => `${f.before} is reserved${f.more}, but is a tool with another input`,
    ["", "old_list", "", " since 2026-08-01"],
  ),
  "op-renamed": breakingRule("error", "op agent", "the same tool has another op path", opValueMessage("op"), [
    "",
    "onto.task.docs.list",
    "onto.task.document.list",
  ]),
  "op-alias-removed": breakingRule(
    "error",
    "op",
    "an op path of a tool is gone",
    (f) => `op alias ${f.before} is gone`,
    ["", "onto.task.doc.list", ""],
  ),
  "op-alias-added": breakingRule("info", "op", "a tool has one more op path", (f) => `op alias ${f.after} is new`, [
    "",
    "",
    "onto.task.doc.list",
  ]),
  "op-pack-changed": breakingRule(
    "warning",
    "agent",
    "the op moved to another pack; its old path is kept",
    opValueMessage("pack"),
    ["", "onto", "tasks"],
  ),
  "op-entity-changed": breakingRule(
    "warning",
    "agent",
    "the op has another entity; its old path is kept",
    opValueMessage("entity"),
    ["", "task", "todo"],
  ),
  "op-action-changed": breakingRule(
    "warning",
    "agent",
    "the op has another action; its old path is kept",
    opValueMessage("action"),
    ["", "list", "search"],
  ),
  "kind-widened": breakingRule(
    "error",
    "agent",
    "a read became a write, which needs consent",
    () => "was a read, is a write",
    ["", "", ""],
  ),
  "kind-narrowed": breakingRule(
    "warning",
    "agent",
    "a write became a read: it claims to change nothing",
    () => {
      return "was a write, claims to be a read";
    },
    ["", "", ""],
  ),
  "access-raised": breakingRule(
    "error",
    "wire",
    "callers need more access, so some lose the op",
    opValueMessage("access"),
    ["", "read", "write"],
  ),
  "access-lowered": breakingRule(
    "warning",
    "wire",
    "callers need less access, so some gain the op",
    opValueMessage("access"),
    ["", "write", "read"],
  ),
  "annotation-destructive-added": breakingRule(
    "error",
    "agent",
    "a tool became destructive",
    () => "is destructive now",
    ["", "", ""],
  ),
  "annotation-destructive-removed": breakingRule(
    "warning",
    "agent",
    "a tool claims to be destructive no more",
    () => {
      return "claims to be destructive no more";
    },
    ["", "", ""],
  ),
  "annotation-idempotent-removed": breakingRule(
    "error",
    "agent",
    "retries became unsafe",
    () => {
      return "is idempotent no more: a retry may do it twice";
    },
    ["", "", ""],
  ),
  "annotation-idempotent-added": breakingRule("info", "agent", "retries became safe", () => "is idempotent now", [
    "",
    "",
    "",
  ]),
  "annotation-read-only-changed": breakingRule(
    "error",
    "agent",
    "the read-only hint changed",
    opValueMessage("read-only hint"),
    ["", "true", "false"],
  ),
  "annotation-open-world-changed": breakingRule(
    "warning",
    "agent",
    "the open-world hint changed",
    opValueMessage("open-world hint"),
    ["", "false", "true"],
  ),
  "arg-required-added": breakingRule(
    "error",
    "wire code",
    "a required argument is new",
    (f) => {
      return `required argument ${f.at} is new (${f.after})`;
    },
    ["project_id", "", "string"],
  ),
  "arg-optional-added": breakingRule(
    "info",
    "code",
    "an optional argument is new",
    (f) => {
      return `optional argument ${f.at} is new (${f.after})`;
    },
    ["limit", "", "integer"],
  ),
  "arg-removed": breakingRule(
    "error",
    "wire code",
    "an argument is gone; a warning where it is ignored from now on",
    (f) => {
      return `argument ${f.at} is gone${f.more}`;
    },
    ["content", "string", ""],
  ),
  "arg-renamed": breakingRule(
    "error",
    "wire code",
    "an argument has another name; a warning where the old one is an alias",
    (f) => {
      return `argument ${f.before} is ${f.after} now${f.more}`;
    },
    ["", "query", "search"],
  ),
  "arg-alias-removed": breakingRule(
    "error",
    "wire",
    "another name of an argument is gone",
    lostMessage("is no longer called"),
    ["query", "q", ""],
  ),
  "arg-alias-added": breakingRule(
    "info",
    "wire",
    "an argument has one more name",
    gainedMessage("may also be called"),
    ["query", "", "q"],
  ),
  "arg-became-required": breakingRule(
    "error",
    "wire code",
    "an optional argument became required",
    (f) => `${f.at} is required now`,
    ["project_id", "", ""],
  ),
  "arg-became-optional": breakingRule(
    "info",
    "wire code",
    "a required argument became optional",
    (f) => `${f.at} is optional now`,
    ["project_id", "", ""],
  ),
  "arg-type-changed": breakingRule(
    "error",
    "wire code",
    "an argument takes something else, not comparable",
    placeValueMessage("type"),
    ["limit", "string", "integer"],
  ),
  "arg-type-narrowed": breakingRule("error", "wire code", "an argument takes fewer types", placeValueMessage("type"), [
    "id",
    "string|integer",
    "string",
  ]),
  "arg-type-widened": breakingRule("info", "wire code", "an argument takes more types", placeValueMessage("type"), [
    "id",
    "string",
    "string|integer",
  ]),
  "arg-enum-value-removed": breakingRule(
    "error",
    "wire code",
    "an argument refuses a value that it took",
    lostMessage("no longer takes"),
    ["state", "done", ""],
  ),
  "arg-enum-value-added": breakingRule(
    "info",
    "wire code",
    "an argument takes one more value",
    gainedMessage("also takes"),
    ["state", "", "waiting"],
  ),
  "arg-became-enum": breakingRule(
    "error",
    "wire code",
    "an argument takes listed values only",
    gainedMessage("takes only"),
    ["state", "string", "todo | done"],
  ),
  "arg-stopped-being-enum": breakingRule(
    "info",
    "wire code",
    "an argument takes other than listed values",
    placeValueMessage("type"),
    ["state", "todo|done", "string"],
  ),
  "arg-const-changed": breakingRule(
    "error",
    "wire",
    "the one value of an argument is another",
    placeValueMessage("value"),
    ["version", "1", "2"],
  ),
  "arg-range-narrowed": breakingRule("error", "wire", "bounds, lengths, counts or steps are tighter", rangeMessage, [
    "limit",
    "maximum 100",
    "maximum 50",
  ]),
  "arg-range-widened": breakingRule("info", "wire", "bounds, lengths, counts or steps are looser", rangeMessage, [
    "limit",
    "maximum 50",
    "maximum 100",
  ]),
  "arg-pattern-added": breakingRule("error", "wire", "an argument must match a pattern", gainedMessage("must match"), [
    "code",
    "",
    '"^[a-z]+$"',
  ]),
  "arg-pattern-changed": breakingRule(
    "warning",
    "wire",
    "an argument must match another pattern",
    placeValueMessage("pattern"),
    ["code", '"^[a-z]+$"', '"^[a-z]{2}$"'],
  ),
  "arg-pattern-removed": breakingRule(
    "info",
    "wire",
    "an argument need not match a pattern",
    lostMessage("need not match"),
    ["code", '"^[a-z]+$"', ""],
  ),
  "arg-format-added": breakingRule("warning", "wire", "an argument must have a format", gainedMessage("must be a"), [
    "due",
    "",
    "date",
  ]),
  "arg-format-changed": breakingRule(
    "warning",
    "wire",
    "an argument must have another format",
    placeValueMessage("format"),
    ["due", "date-time", "date"],
  ),
  "arg-format-removed": breakingRule(
    "info",
    "wire",
    "an argument need not have a format",
    lostMessage("need not be a"),
    ["due", "date", ""],
  ),
  "arg-encoding-changed": breakingRule(
    "error",
    "wire code",
    "the content of an argument arrives otherwise",
    placeValueMessage("content"),
    ["file", "base64", "plain text"],
  ),
  "arg-discriminator-changed": breakingRule(
    "error",
    "wire",
    "a value that selects the form of an argument selects another one; information where values are new",
    placeValueMessage("discriminator"),
    ["target", '{"propertyName":"kind"}', '{"propertyName":"type"}'],
  ),
  "arg-became-read-only": breakingRule(
    "warning",
    "wire",
    "an argument is read-only: what is given has no effect",
    (f) => {
      return `${f.at} is read-only now: what is given has no effect`;
    },
    ["state", "", ""],
  ),
  "arg-default-changed": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    placeValueMessage("default"),
    ["limit", "20", "10"],
  ),
  "arg-default-added": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    gainedMessage("has a default,"),
    ["limit", "", "20"],
  ),
  "arg-default-removed": breakingRule(
    "warning",
    "wire agent",
    "old calls mean something else",
    lostMessage("has no default any more, was"),
    ["limit", "20", ""],
  ),
  "arg-unknown-refused": breakingRule(
    "error",
    "wire",
    "undeclared arguments are refused",
    (f) => `${f.at} refuses undeclared names`,
    ["the input", "", ""],
  ),
  "arg-unknown-accepted": breakingRule(
    "info",
    "wire",
    "undeclared arguments are taken",
    (f) => `${f.at} takes undeclared names`,
    ["the input", "", ""],
  ),
  "arg-value-refused": breakingRule(
    "error",
    "wire",
    "an argument refuses a value that it took; no other rule says why",
    (f) => {
      return `${f.at} refuses a value that it took${f.more}`;
    },
    ["target", "", "", ": breaks oneOf"],
  ),
  "arg-undecided": breakingRule(
    "warning",
    "wire",
    "whether the input still takes every value is neither proven nor refuted",
    (f) => {
      return `undecided whether ${f.at} still takes every value${f.more}`;
    },
    ["the input", "", "", " (211 values tried)"],
  ),
  "arg-position-changed": breakingRule(
    "warning",
    "code",
    "positional calls bind other arguments",
    (f) => {
      return `arguments from position ${f.at} on were ${f.before}, are ${f.after}`;
    },
    ["1", "a, b", "b, a"],
  ),
  "constraint-added": breakingRule(
    "error",
    "wire",
    "one more rule across arguments",
    (f) => `must hold now: ${f.after}`,
    ["", "", "exactly one of id or email"],
  ),
  "constraint-removed": breakingRule(
    "info",
    "wire",
    "one rule less across arguments",
    (f) => `need not hold any more: ${f.before}`,
    ["", "exactly one of id or email", ""],
  ),
  ...RESULT_RULES,
  "description-changed": breakingRule(
    "info",
    "agent",
    "a tool's description changed",
    (f) => {
      return `description was ${quotedProse(f.before)}, is ${quotedProse(f.after)}`;
    },
    ["", "Lists tasks.", "Lists notes."],
  ),
  "description-removed": breakingRule(
    "warning",
    "agent",
    "a tool has no description any more",
    () => "has no description any more",
    ["", "Lists tasks.", ""],
  ),
  "arg-description-changed": breakingRule(
    "info",
    "agent",
    "an argument's description changed",
    (f) => {
      return `description of ${f.at} was ${quotedProse(f.before)}, is ${quotedProse(f.after)}`;
    },
    ["limit", "How many.", "At most how many."],
  ),
  "arg-description-removed": breakingRule(
    "warning",
    "agent",
    "an argument has no description any more",
    (f) => {
      return `${f.at} has no description any more`;
    },
    ["limit", "How many.", ""],
  ),
  "instruction-added": breakingRule(
    "error",
    "agent",
    "a text of a tool gives orders to the model that reads it",
    (f) => {
      return `a text ${f.at}: ${quotedProse(f.after)}`;
    },
    ["asks for something before or after other tools", "", "Call this before any other tool."],
  ),
  "policy-dont-removed": breakingRule(
    "error",
    "agent",
    "a guard of the policy is gone",
    (f) => `guard is gone: ${quotedProse(f.before)}`,
    ["", "Never guess ids.", ""],
  ),
  "policy-do-removed": breakingRule(
    "warning",
    "agent",
    "an advice of the policy is gone",
    (f) => `advice is gone: ${quotedProse(f.before)}`,
    ["", "Search first.", ""],
  ),
  "policy-edge-case-removed": breakingRule(
    "warning",
    "agent",
    "an edge case of the policy is gone",
    (f) => {
      return `edge case is gone: ${quotedProse(f.before)}`;
    },
    ["", "An empty list means no access.", ""],
  ),
  "policy-changed": breakingRule(
    "warning",
    "agent",
    "the policy says more, or says it otherwise",
    (f) => {
      return f.before === ""
        ? `policy also says ${quotedProse(f.after)}`
        : `policy said ${quotedProse(f.before)}, says ${quotedProse(f.after)}`;
    },
    ["", "do: Search first.", "do: Search by name first."],
  ),
  "example-invalidated": breakingRule(
    "error",
    "agent",
    "an example no longer fits its input",
    (f) => {
      return `example ${f.at} no longer fits${f.more}`;
    },
    ['"Smallest call"', "{}", "", ": lacks project_id"],
  ),
  "help-path-removed": breakingRule(
    "error",
    "agent",
    "a help path leads nowhere; error envelopes point to it",
    (f) => {
      return `help path ${f.before} leads nowhere`;
    },
    ["", "onto.task", ""],
  ),
  "snippet-removed": breakingRule(
    "error",
    "agent",
    "a snippet that users type is gone",
    (f) => `snippet $${f.before} is gone`,
    ["", "todo", ""],
  ),
  "snippet-param-removed": breakingRule(
    "error",
    "agent",
    "a parameter of a snippet is gone",
    (f) => {
      return `snippet $${f.at} takes no ${f.before} any more`;
    },
    ["todo", "project", ""],
  ),
  "alias-removed": breakingRule(
    "error",
    "agent",
    "an alias that users type is gone",
    (f) => `alias ${f.at} of ${f.before} is gone`,
    ["tasks", "onto.task.list", ""],
  ),
  "alias-retargeted": breakingRule(
    "warning",
    "agent",
    "an alias that users type leads to another op",
    placeValueMessage("target"),
    ["tasks", "onto.task.list", "onto.task.search"],
  ),
  "reference-broken": breakingRule(
    "error",
    "op agent",
    "a snippet, an alias, a pin, an override or a tombstone names what is gone",
    (f) => {
      return `${f.at} names ${f.before}, which is gone${f.more}`;
    },
    ["snippet $todo", "onto.task.list", ""],
  ),
  "deprecated-added": breakingRule("info", "agent", "something is deprecated", (f) => `${f.at} is deprecated now`, [
    "limit",
    "",
    "",
  ]),
  "deprecated-removed": breakingRule(
    "info",
    "agent",
    "something is deprecated no more",
    (f) => `${f.at} is deprecated no more`,
    ["limit", "", ""],
  ),
  ...REQUEST_RULES,
  "source-changed": breakingRule("info", "", "a tool comes from another file or server", opValueMessage("source"), [
    "",
    "definitions/a.ts",
    "definitions/b.ts",
  ]),
} as const satisfies Readonly<Record<string, CataloguedRule>>;

/** Code of a rule of `breaking`. */
export type BreakingRule = keyof typeof BREAKING_RULES;
