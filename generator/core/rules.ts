/** The catalogue of diagnostics with their messages and remedies. The table in the page `docs/reference/diagnostics.md` is made from it. */

import { counted } from "../../runtime/contract/message-text.js";
import { didYouMean, rule } from "./rule.js";
import { NAME_RULES, PLUGIN_RULES, SOURCE_RULES } from "./source-rules.js";

/** All rules by code. Codes are literal types; wrong parameters do not compile. */
export const RULES = {
  "project-missing": rule(
    "error",
    (p: { above: string | undefined }) =>
      `there is no project here${p.above === undefined ? "" : `, but one in ${p.above}`}`,
    (p) =>
      p.above === undefined
        ? 'make one with "toolwright init", or name its folder with --root'
        : "go there, or name it with --root",
  ),
  "file-unreadable": rule(
    "error",
    (p: { reason: string }) => `cannot be read: ${p.reason}`,
    () => "correct the path, or add the file",
  ),
  "source-empty": rule(
    "error",
    (p: { pattern: string; snapshots: boolean }) => `no file matches ${p.pattern}`,
    (p) =>
      p.pattern.includes("\\")
        ? `write ${p.pattern.replaceAll("\\", "/")}: names of folders are separated by /, on Windows too`
        : `correct the path; paths are relative to definitions/${p.snapshots ? '. "toolwright snapshot" writes those of `servers`' : ""}`,
  ),
  "handlers-missing": rule(
    "warning",
    (p: { file: string }) => `${p.file} is not there, so none of its ops can be called`,
    () => "write it: generated/handlers.ts has its type",
  ),
  "handlers-unnamed": rule(
    "warning",
    (p: { file: string; op: string }) => `no op of ${p.file} can be called: its source names no handlers`,
    (p) =>
      `add \`handlers: handlers.ts\` to the source, and write into that file:  export const handlers = { "${p.op}": async (args, ctx) => … }`,
  ),
  "handler-missing": rule(
    "warning",
    (p: { op: string; file: string }) => `${p.op} cannot be called: ${p.file} has no handler for it`,
    (p) => `add to its \`handlers\`:  "${p.op}": async (args, ctx) => …, or unbound("${p.file}") of toolwright/codegen`,
  ),
  "handlers-unexported": rule(
    "error",
    (p: { file: string; nearest: string | undefined; instead: string | undefined }) =>
      `${p.file} exports neither \`handlers\` nor a default function (tool, args, ctx)${p.instead === undefined ? "" : `: ${p.instead}`}`,
    (p) =>
      p.nearest === undefined
        ? 'write:  export const handlers = { "<op>": async (args, ctx) => … }'
        : `rename its export ${p.nearest} to \`handlers\``,
  ),
  "handler-invalid": rule(
    "error",
    (p: { key: string }) => `the handler ${p.key} is no function`,
    () => "write:  async (args, ctx) => …",
  ),
  "handler-unmatched": rule(
    "warning",
    (p: { key: string; nearest: string | undefined }) => `the handler ${p.key} is for no op, so it is never called`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "pack-not-shipped": rule(
    "warning",
    (p: { pack: string }) => `this version does not ship the pack ${p.pack}`,
    () => "take it out of `use`, or install a version that ships it",
  ),
  "yaml-invalid": rule(
    "error",
    (p: { reason: string }) => p.reason,
    () => "correct the YAML",
  ),
  "config-unknown-key": rule(
    "error",
    (p: { key: string; nearest: string | undefined; known: string }) =>
      `unknown key '${p.key}'${p.nearest === undefined ? "" : ` (did you mean '${p.nearest}'?)`}`,
    (p) => `known here: ${p.known}`,
  ),
  "config-invalid": rule(
    "error",
    (p: { path: string; expected: string; received: string }) => `${p.path} must be ${p.expected}, got ${p.received}`,
    () => "correct the value",
  ),
  "unsupported-expression": rule(
    "error",
    (p: { what: string; remedy?: string | undefined }) => `${p.what} cannot be read without running the code`,
    (p) => `write a literal, a const, a spread, a string + or [..].join()${p.remedy ? `, or ${p.remedy}` : ""}`,
  ),
  "not-a-tool": rule(
    "error",
    (p: { what: string; form: string }) => p.what,
    (p) => `write ${p.form}`,
  ),
  "export-missing": rule(
    "error",
    (p: { name: string; nearest: string | undefined }) => `no export ${p.name} that is an array of function tools`,
    (p) => `${didYouMean(p.nearest)}correct \`exports\` in toolwright.yaml`,
  ),
  ...PLUGIN_RULES,
  ...SOURCE_RULES,
  "syntax-error": rule(
    "error",
    (p: { reason: string }) => `syntax error: ${p.reason}`,
    () => "correct the file",
  ),
  "name-invalid": rule(
    "error",
    (p: { name: string; reason: string }) => `tool name ${JSON.stringify(p.name)} ${p.reason}`,
    () => "give it a name of letters, digits, underscores, dots or hyphens",
  ),
  "duplicate-tool": rule(
    "error",
    (p: { tool: string; first: string }) => `${p.tool} is defined twice in one pack; first at ${p.first}`,
    () => "remove one, move it to another pack, or name the arrays to read under `exports` of the source",
  ),
  "schema-invalid": rule(
    "error",
    (p: { tool: string; at: string; reason: string }) =>
      `input schema of ${p.tool} is invalid at ${p.at || "/"}: ${p.reason}`,
    () => "correct the schema",
  ),
  "schema-not-object": rule(
    "error",
    (p: { tool: string; received: string }) => `input schema of ${p.tool} must describe an object, got ${p.received}`,
    () => 'set `type: "object"` at its root',
  ),
  "schema-remote-ref": rule(
    "error",
    (p: { tool: string; ref: string; nearest: string | undefined }) =>
      `${p.tool} refers to ${p.ref}, which is not inside its own schema`,
    (p) => `${didYouMean(p.nearest)}copy the referenced schema into \`$defs\`; nothing is downloaded`,
  ),
  "schema-endless": rule(
    "warning",
    (p: { tool: string; ref: string }) => `the reference ${p.ref} of ${p.tool} leads back to itself`,
    () => "the tool is left out; let it step into a property or an item first",
  ),
  "schema-too-deep": rule(
    "error",
    (p: { tool: string; most: number }) => `a schema of ${p.tool} is nested more than ${p.most} levels deep`,
    () => "give its parts names under `$defs`",
  ),
  "schema-too-large": rule(
    "warning",
    (p: { tool: string; lost: number }) =>
      `a schema of ${p.tool} is so large that ${counted(p.lost, "part")} of it accept anything: they are neither described nor checked`,
    () => "keep it below 3000 subschemas and 500 alternatives in one place",
  ),
  "result-invalid": rule(
    "warning",
    (p: { tool: string; reason: string }) => `the output schema of ${p.tool} is invalid: ${p.reason}`,
    () => "correct it; until then its results are unknown",
  ),
  "schema-unsaid": rule(
    "info",
    (p: { tool: string; places: string }) => `types and help of ${p.tool} cannot say ${p.places}`,
    () => "it is checked all the same; say it in the description",
  ),
  "verdict-unsure": rule(
    "warning",
    (p: { tool: string; places: string }) =>
      `the validator of ${p.tool} may judge a value otherwise than JSON Schema does: ${p.places}`,
    () => "write it without the keyword, or check it in the handler",
  ),
  "format-unknown": rule(
    "info",
    (p: { tool: string; argument: string; format: string }) =>
      `the format ${JSON.stringify(p.format)} of ${p.tool} ${p.argument} is not known, so it is not checked`,
    () => "use a format of JSON Schema, or a pattern",
  ),
  "pattern-unchecked": rule(
    "warning",
    (p: { tool: string; argument: string; pattern: string; reason: string }) =>
      `the pattern ${JSON.stringify(p.pattern.slice(0, 100))} of ${p.tool} ${p.argument} is not checked: ${p.reason}`,
    () => "write it with fewer or smaller repetitions, or check it in the handler",
  ),
  "annotations-contradict": rule(
    "warning",
    (p: { op: string }) => `${p.op} is called read-only and destructive at once, so it is a write`,
    () => "set `kind` under `ops`",
  ),
  "op-unmatched": rule(
    "warning",
    (p: { tool: string; pack: string; op: string; tried: string }) =>
      `no name rule of pack ${p.pack} matches ${p.tool}, so its op is ${p.op}; tried ${p.tried}`,
    (p) =>
      `accept it with "toolwright names --write", or add to \`ops\`:  ${p.tool}: { op: ${p.pack}.<entity>.<action> }`,
  ),
  "op-invalid": rule(
    "error",
    (p: { op: string; reason: string; reserved: string | undefined }) => `op ${p.op} ${p.reason}`,
    (p) =>
      p.reserved === undefined
        ? "an op is dotted identifiers, its first segment a pack"
        : "give the tool another op, or its source another `pack`",
  ),
  ...NAME_RULES,
  "exposed-name": rule(
    "error",
    (p: { op: string; tool: string; reason: string }) =>
      `${p.op} (${p.tool}) cannot be a tool on the socket: ${p.reason}`,
    () => "rename the tool where it is defined, or give its source another pack",
  ),
  "alias-collision": rule(
    "error",
    (p: { alias: string; op: string; other: string }) => `alias ${p.alias} of ${p.op} is already ${p.other}`,
    () => "choose another alias",
  ),
  "name-collision": rule(
    "error",
    (p: { op: string; names: readonly string[]; safe: string }) =>
      `arguments ${p.names.join(" and ")} of ${p.op} both become ${p.safe}`,
    () => "rename one of them in the schema",
  ),
  "output-collision": rule(
    "error",
    (p: { path: string; emitters: readonly string[] }) =>
      `${p.path} would be written twice, by ${[...new Set(p.emitters)].join(" and ")}`,
    () =>
      "give one of the tools another op, one of the packs another name, or the file of the plugin another path: on some systems file names ignore case",
  ),
  "unused-override": rule(
    "error",
    (p: { tool: string; nearest: string | undefined }) => `there is no tool ${p.tool}`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "pack-unmatched": rule(
    "warning",
    (p: { pack: string; nearest: string }) => `there is no pack ${p.pack}`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "pattern-unmatched": rule(
    "warning",
    (p: { path: string; pattern: string; nearest: string }) => `${p.path} is ${p.pattern}, which matches no op`,
    (p) => `${didYouMean(p.nearest)}correct or remove the pattern`,
  ),
  "pin-unmatched": rule(
    "error",
    (p: { op: string; nearest: string | undefined }) => `there is no op ${p.op} to pin a policy on`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "alias-unmatched": rule(
    "error",
    (p: { alias: string; target: string; nearest: string | undefined }) =>
      `alias ${p.alias} leads to ${p.target}, which is no op`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "alias-cycle": rule(
    "error",
    (p: { cycle: readonly string[] }) => `aliases form a cycle: ${p.cycle.join(" -> ")}`,
    () => "point one of them to an op",
  ),
  "snippet-invalid": rule(
    "error",
    (p: { snippet: string; reason: string }) => `the template of snippet ${p.snippet} does not compile: ${p.reason}`,
    () => "correct its body",
  ),
  "snippet-language": rule(
    "warning",
    (p: { snippet: string; language: string }) =>
      `snippet ${p.snippet} is written in ${p.language}, which \`run.languages\` does not name, so its calls fail`,
    (p) => `add ${p.language} to \`run.languages\`, or remove the snippet`,
  ),
  "prompt-unmatched": rule(
    "error",
    (p: { what: string; name: string; nearest: string | undefined }) => `there is no ${p.what} ${p.name}`,
    (p) => `${didYouMean(p.nearest)}correct or remove the entry`,
  ),
  "argument-unmatched": rule(
    "error",
    (p: { tool: string; argument: string; nearest: string | undefined }) => `${p.tool} has no argument ${p.argument}`,
    (p) => `${didYouMean(p.nearest)}correct the entry`,
  ),
  "enum-unused": rule(
    "warning",
    (p: { tool: string; argument: string }) => `the schema of ${p.tool} lists the values of ${p.argument} itself`,
    (p) => `remove ${p.argument} from \`enums\``,
  ),
  "target-without-project": rule(
    "error",
    (p: { op: string }) => `${p.op} acts on a project, but nothing says which argument names it`,
    () => "set `project_from`, or `target: global`, under `ops`",
  ),
  "example-invalid": rule(
    "error",
    (p: { op: string; reason: string }) => `the example of ${p.op} does not fit its input: ${p.reason}`,
    () => "correct it where the tool is defined, or under `ops` in toolwright.yaml",
  ),
  "example-impossible": rule(
    "warning",
    (p: { op: string; reason: string }) => `no example of ${p.op} can be made from its schema: ${p.reason}`,
    () => "declare `examples` in the schema, or under `ops` in toolwright.yaml; until then help shows none",
  ),
  "default-invalid": rule(
    "warning",
    (p: { tool: string; argument: string; reason: string }) =>
      `the default of ${p.tool} ${p.argument} does not fit: ${p.reason}`,
    () => "correct the default; until then the argument has no default",
  ),
  "kind-annotation-mismatch": rule(
    "error",
    (p: { op: string }) => `${p.op} is a write, but its annotations call it read-only`,
    () => "correct the annotation, or set `kind: read` under `ops`",
  ),
  "kind-unknown": rule(
    "warning",
    (p: { tool: string; op: string }) => `${p.tool} holds no known verb, so ${p.op} is a write`,
    () => "set `kind` under `ops`, or add the verb to `vocabulary`",
  ),
  "kind-described": rule(
    "info",
    (p: { tool: string; op: string; verb: string }) =>
      `${p.tool} holds no known verb; ${p.op} is a read, since its description begins with ${p.verb}`,
    () => "set `kind` under `ops` if that is wrong",
  ),
  "kind-differs": rule(
    "info",
    (p: { op: string; kind: string; by: string; name: string }) =>
      `${p.op} is ${p.kind} by ${p.by}, although its name says ${p.name}`,
    () => "nothing to do if that is meant",
  ),
  "required-not-declared": rule(
    "warning",
    (p: { of: string; argument: string; nearest: string | undefined }) =>
      `${p.of} requires ${p.argument}, which its properties do not declare`,
    (p) => `${didYouMean(p.nearest)}declare it`,
  ),
  "keyword-misspelled": rule(
    "warning",
    (p: { of: string; keyword: string; nearest: string }) =>
      `${p.keyword} of ${p.of} is no keyword of JSON Schema, so it counts for nothing`,
    (p) => `did you mean ${p.nearest}?`,
  ),
  "enum-in-prose": rule(
    "info",
    (p: { tool: string; argument: string; values: string; isPinnable: boolean }) =>
      `the description of ${p.tool} ${p.argument} lists values: ${p.values}`,
    (p) =>
      `declare them as an \`enum\`${p.isPinnable ? ', or pin them with "toolwright enums --write"' : ""}, so that they are checked`,
  ),
  "description-missing": rule(
    "warning",
    (p: { tool: string }) => `${p.tool} has no description`,
    () => "say in one sentence what it does",
  ),
  "description-too-long": rule(
    "warning",
    (p: { tool: string; length: number; pack: string }) =>
      `the description of ${p.tool} has ${p.length} characters, over 1,024`,
    (p) =>
      `shorten it, or add under \`diagnostics\` in toolwright.yaml:  "${p.pack}/${p.tool}": { description-too-long: off }`,
  ),
  "policy-extraction-changed": rule(
    "warning",
    (p: { op: string; hash: string }) => `the pinned policy of ${p.op} was made from another description`,
    (p) => `read both, correct the pin, and set its source_hash to ${p.hash}`,
  ),
  "policy-empty": rule(
    "info",
    (p: { op: string }) => `the pinned policy of ${p.op} has no rule, so help shows none`,
    () => "nothing to do if that is meant; else write rules, or remove the pin",
  ),
  "parameter-renamed": rule(
    "info",
    (p: { tool: string; names: string }) => `arguments of ${p.tool} have other names in Python: ${p.names}`,
    () => "nothing to do: a call may use either",
  ),
  "hot-unmatched": rule(
    "warning",
    (p: { pattern: string; nearest: string | undefined }) =>
      `expose.hot names ${p.pattern}, which no listed op matches`,
    (p) => `${didYouMean(p.nearest)}correct the pattern, or remove it`,
  ),
  "hot-over-budget": rule(
    "warning",
    (p: { op: string; tokens: number; budget: number }) =>
      `${p.op} is no tool of its own: budget.exposed, ${p.budget}, has no room for its ${p.tokens} tokens`,
    () => "raise budget.exposed, lower expose.signatures, or take the op out of expose.hot",
  ),
  "tombstone-stale": rule(
    "warning",
    (p: { op: string; reason: string }) => `the tombstone of ${p.op} ${p.reason}`,
    () => "correct the entry of `reserved`, or remove it",
  ),
} as const;

/** Code of a rule. */
export type DiagnosticCode = keyof typeof RULES;

/** Parameters of the message of a rule. */
export type ParamsOf<C extends DiagnosticCode> = Parameters<(typeof RULES)[C]["message"]>[0];
