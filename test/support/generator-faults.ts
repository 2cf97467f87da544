/** One fault per diagnostic code: a project that has it, and the whole printed line. */

import { FEATURES } from "../../features/list.js";
import type { DiagnosticCode } from "../../generator/core/rules.js";
import { settingsWith } from "../../runtime/contract/settings/feature-settings.js";
import { settingsAlong } from "../../runtime/contract/settings/setting.js";
import { KIND_FAULTS } from "./faults/kind-faults.js";
import { PLUGIN_FAULTS } from "./faults/plugin-faults.js";
import { UNREAD_FAULTS } from "./faults/unread-faults.js";
import { functionsProject, handlersProject, jsonProject, type Project, tool, tsProject } from "./generator-host.js";

/** A project and the line that reports its fault. */
export interface Fault {
  readonly project: Project;
  readonly says: string;
}

const one = tool("list_things");
const policy = "policies: { p.list_thing: { do: [a] } }\n";

/** A schema of that many levels. */
const deep = (levels: number): object =>
  levels === 0 ? { type: "string" } : { type: "object", properties: { a: deep(levels - 1) } };
/** A project of one snapshot with one tool. */
const snapshotProject = (one: object): Project => ({
  "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\n",
  "servers/s.json": JSON.stringify({ tools: [{ description: "Do it.", ...one }] }),
});

/** The keys of an entry of `ops`, those of features included. */
const OP_KEYS = Object.keys(settingsAlong(settingsWith(FEATURES), ["ops", "*"]).at(-1)?.properties ?? {}).join(", ");

/** Codes that have tests of their own. */
export const TESTED_APART = ["module-tool", "argument-left-out", "kind-annotation-mismatch"] as const;

/** Every other code. */
export const FAULTS: Readonly<Record<Exclude<DiagnosticCode, (typeof TESTED_APART)[number]>, Fault>> = {
  "project-missing": {
    project: {},
    says: 'definitions/toolwright.yaml:1:1 error project-missing  there is no project here; make one with "toolwright init", or name its folder with --root',
  },
  "file-unreadable": {
    project: tsProject(`import { A } from "./gone.js";\nexport const TOOLS = [A];`),
    says: "definitions/tools.ts:1:19 error file-unreadable  cannot be read: definitions/gone.ts is not there; correct the path, or add the file",
  },
  "source-empty": {
    project: { "toolwright.yaml": "sources:\n  - chat-tools: nothing/*.json\n" },
    says: "definitions/toolwright.yaml:2:5 error source-empty  no file matches nothing/*.json; correct the path; paths are relative to definitions/",
  },
  "server-tool-unknown": {
    project: {
      "toolwright.yaml":
        "sources:\n  - { mcp: servers/*.json }\nservers:\n  web: { url: https://a.example, tools: { except: [get_b, get_c] } }\n",
      "servers/web.json":
        '{ "tools": [{ "name": "get_a", "description": "Get a." }, { "name": "get_b", "description": "Get b." }] }',
    },
    says: 'definitions/toolwright.yaml:4:59 warning server-tool-unknown  servers.web.tools.except names "get_c", which is no tool of the server; did you mean get_a? names are those of definitions/servers/web.json',
  },
  "handlers-missing": {
    project: {
      ...jsonProject([tool("get_a")]),
      "toolwright.yaml": "sources:\n  - { chat-tools: tools.json, pack: p, handlers: gone.ts }\n",
    },
    says: "definitions/toolwright.yaml:2:40 warning handlers-missing  definitions/gone.ts is not there, so none of its ops can be called; write it: generated/handlers.ts has its type",
  },
  "handlers-unnamed": {
    project: {
      ...jsonProject([tool("get_a")]),
      "toolwright.yaml": "sources:\n  - { chat-tools: tools.json, pack: p }\n",
    },
    says: 'definitions/toolwright.yaml:2:5 warning handlers-unnamed  no op of definitions/tools.json can be called: its source names no handlers; add `handlers: handlers.ts` to the source, and write into that file:  export const handlers = { "p.get_a": async (args, ctx) => … }',
  },
  "handler-missing": {
    project: handlersProject("export const handlers = {};\n"),
    says: 'definitions/tools.json:1:2 warning handler-missing  p.get_things cannot be called: definitions/h.ts has no handler for it; add to its `handlers`:  "p.get_things": async (args, ctx) => …, or unbound("definitions/h.ts") of toolwright/codegen',
  },
  "handlers-unexported": {
    project: handlersProject('import "node:fs";\nexport const handler = {};\n'),
    says: "definitions/h.ts:2:14 error handlers-unexported  definitions/h.ts exports neither `handlers` nor a default function (tool, args, ctx); rename its export handler to `handlers`",
  },
  "handler-invalid": {
    project: handlersProject('export const handlers = { "p.get_things": "get" };\n'),
    says: "definitions/h.ts:1:27 error handler-invalid  the handler p.get_things is no function; write:  async (args, ctx) => …",
  },
  "handler-unmatched": {
    project: handlersProject('export const handlers = {\n  "p.get_thing": async () => 1,\n};\n'),
    says: "definitions/h.ts:2:3 warning handler-unmatched  the handler p.get_thing is for no op, so it is never called; did you mean p.get_things? correct or remove the entry",
  },
  "pack-not-shipped": {
    project: { "toolwright.yaml": "use: [oubliette]\nsources: []\n" },
    says: "definitions/toolwright.yaml:1:7 warning pack-not-shipped  this version does not ship the pack oubliette; take it out of `use`, or install a version that ships it",
  },
  "yaml-invalid": {
    project: { "toolwright.yaml": "sources:\n  - a: [1\nb: 2\n" },
    says: "definitions/toolwright.yaml:2:8 error yaml-invalid  this list is not closed: ] is missing; correct the YAML",
  },
  "config-unknown-key": {
    project: jsonProject([one], "ops:\n  list_things: { nots: [a] }\n"),
    says: `definitions/toolwright.yaml:5:18 error config-unknown-key  unknown key 'ops.list_things.nots' (did you mean 'notes'?); known here: ${OP_KEYS}`,
  },
  "config-invalid": {
    project: jsonProject([one], "ops:\n  list_things: { kind: raed }\n"),
    says: 'definitions/toolwright.yaml:5:18 error config-invalid  ops.list_things.kind must be one of read, write, got "raed"; correct the value',
  },
  ...PLUGIN_FAULTS,
  ...UNREAD_FAULTS,
  ...KIND_FAULTS,
  "unsupported-expression": {
    project: tsProject("const now = Date.now();\nexport const TOOLS = [\n  { at: now },\n];"),
    says: "definitions/tools.ts:1:13 error unsupported-expression  a call cannot be read without running the code; write a literal, a const, a spread, a string + or [..].join(), or export the tools as JSON and name that file under `sources`: npx tsx -e 'console.log(JSON.stringify(require(\"./definitions/tools.ts\").TOOLS, null, 2))' > definitions/tools.json",
  },
  "not-a-tool": {
    project: jsonProject([one, { type: "function" }]),
    says: 'definitions/tools.json:13:2 error not-a-tool  item 1 of tools has no name; write { type: "function", function: { name, description, parameters } }',
  },
  "member-unknown": {
    project: snapshotProject({ name: "get_a", inputschema: {} }),
    says: 'definitions/servers/s.json:1:50 warning member-unknown  get_a has a member "inputschema" that nothing reads; did you mean inputSchema? correct or remove it',
  },
  "export-missing": {
    project: {
      "toolwright.yaml": "sources: [{ chat-tools: t.ts, exports: [TOOLS] }]\n",
      "t.ts": "export const TOOL = [];\nexport const OTHER = [];",
    },
    says: "definitions/toolwright.yaml:1:31 error export-missing  no export TOOLS that is an array of function tools; did you mean TOOL? correct `exports` in toolwright.yaml",
  },
  "no-tools": {
    project: tsProject("export const LIMIT = 3;\nexport let TOOLS = [];"),
    says: "definitions/toolwright.yaml:3:5 error no-tools  no tool was read from definitions/tools.ts; export one as a const, or take the file out of `sources`; `allow_empty: true` of the source allows it",
  },
  "tools-unexported": {
    project: tsProject(
      'export const TOOLS = [{ type: "function", function: { name: "get_a", description: "Get it." } }];\nconst MORE = [{ name: "get_b", description: "Get it.", parameters: {} }];',
    ),
    says: "definitions/tools.ts:2:14 warning tools-unexported  MORE looks like a list of tools, but is not exported, so nothing reads it; export it, or remove it; `exports` of the source names the lists to read",
  },
  "export-computed": {
    project: tsProject(
      'export const TOOLS = [{ type: "function", function: { name: "get_a", description: "Get it." } }];\nexport const NAMES = TOOLS.map(nameOf);',
    ),
    says: "definitions/tools.ts:2:22 warning export-computed  code computes NAMES, so no tools are read from it; if it has tools, write them as literals; otherwise name the arrays to read under `exports` of the source",
  },
  "no-functions": {
    project: functionsProject("export const RATE = 7;"),
    says: "definitions/toolwright.yaml:3:5 error no-functions  definitions/p.ts exports no function that could be a tool; export one by name, or call the file _name.ts to leave it out; `allow_empty: true` of the source allows it",
  },
  "function-form": {
    project: functionsProject("/** Gets it. */\nexport function getIt(...ids: string[]): void {}"),
    says: "definitions/p.ts:2:1 error function-form  getIt takes any number of parameters; write (args: { … }, ctx: Context), or (name: Type, other = 1)",
  },
  "type-unsupported": {
    project: functionsProject("/** Gets it. */\nexport function getIt(args: { at?: Map<string, 1> }): void {}"),
    says: "definitions/p.ts:2:1 warning type-unsupported  getIt argument at has a type that JSON cannot hold, so any value is accepted: Map<string, 1>; use plain data, or a type of a file of this project",
  },
  "date-argument": {
    project: functionsProject("/** Gets it. */\nexport function getIt(since?: Date): void {}"),
    says: "definitions/p.ts:2:1 warning date-argument  getIt since is a Date, but arrives as text; declare it as a string with `@format date-time`",
  },
  "tag-invalid": {
    project: functionsProject("/**\n * Gets it.\n * @kind raed\n */\nexport function getIt(): void {}"),
    says: 'definitions/p.ts:5:1 warning tag-invalid  @kind of getIt is "raed", not read, write; did you mean read?; correct the comment; until then the tag counts for nothing',
  },
  "keyword-misspelled": {
    project: jsonProject([tool("list_things", { a: { type: "string", minLenght: 1 } })]),
    says: "definitions/tools.json:12:7 warning keyword-misspelled  minLenght of list_things a is no keyword of JSON Schema, so it counts for nothing; did you mean minLength?",
  },
  "schema-dialect": {
    project: jsonProject([tool("get_a", {}, { $schema: "http://json-schema.org/draft-04/schema#" })]),
    says: 'definitions/tools.json:2:2 warning schema-dialect  the schema of get_a is written in "http://json-schema.org/draft-04/schema#", which is read as draft-07; write it in draft-07 or 2020-12; a keyword that only the other knows is refused or counts for nothing',
  },
  "syntax-error": {
    project: { ...jsonProject([]), "tools.json": '[\n  { "type": "function", },\n]' },
    says: "definitions/tools.json:2:25 error syntax-error  syntax error: Expected double-quoted property name; correct the file",
  },
  "name-invalid": {
    project: jsonProject([tool("x".repeat(257))]),
    says: 'definitions/tools.json:2:2 error name-invalid  tool name "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" is longer than 256 characters; give it a name of letters, digits, underscores, dots or hyphens',
  },
  "duplicate-tool": {
    project: jsonProject([one, one]),
    says: "definitions/tools.json:13:2 error duplicate-tool  list_things is defined twice in one pack; first at definitions/tools.json:2:2; remove one, move it to another pack, or name the arrays to read under `exports` of the source",
  },
  "schema-invalid": {
    project: jsonProject([tool("list_things", { a: { type: "strnig" } })]),
    says: "definitions/tools.json:11:7 error schema-invalid  input schema of list_things is invalid at /properties/a/type: must be equal to one of the allowed values: array, boolean, integer, null, number, object, string (did you mean string?); correct the schema",
  },
  "schema-not-object": {
    project: jsonProject([tool("list_things", {}, { type: "array" })]),
    says: 'definitions/tools.json:8:5 error schema-not-object  input schema of list_things must describe an object, got "array"; set `type: "object"` at its root',
  },
  "schema-remote-ref": {
    project: jsonProject([tool("list_things", { a: { $ref: "https://example.com/a.json" } })]),
    says: "definitions/tools.json:11:7 error schema-remote-ref  list_things refers to https://example.com/a.json, which is not inside its own schema; copy the referenced schema into `$defs`; nothing is downloaded",
  },
  "schema-endless": {
    project: jsonProject([tool("list_things", { a: { anyOf: [{ type: "string" }, { $ref: "#/properties/a" }] } })]),
    says: "definitions/tools.json:2:2 warning schema-endless  the reference #/properties/a of list_things leads back to itself; the tool is left out; let it step into a property or an item first",
  },
  "schema-too-deep": {
    project: jsonProject([tool("list_things", { a: deep(200) })]),
    says: "definitions/tools.json:2:2 error schema-too-deep  a schema of list_things is nested more than 128 levels deep; give its parts names under `$defs`",
  },
  "schema-too-large": {
    project: jsonProject([
      tool("list_things", { a: { anyOf: Array.from({ length: 501 }, (_, i) => ({ const: i })) } }),
    ]),
    says: "definitions/tools.json:2:2 warning schema-too-large  a schema of list_things is so large that 501 parts of it accept anything: they are neither described nor checked; keep it below 3000 subschemas and 500 alternatives in one place",
  },
  "result-invalid": {
    project: snapshotProject({ name: "list_things", inputSchema: { type: "object" }, outputSchema: { type: "strng" } }),
    says: "definitions/servers/s.json:1:11 warning result-invalid  the output schema of list_things is invalid: must be equal to one of the allowed values: array, boolean, integer, null, number, object, string (did you mean string?) at /type; correct it; until then its results are unknown",
  },
  "schema-unsaid": {
    project: jsonProject([tool("list_things", { a: { type: "string", not: { const: "b" } } })]),
    says: "definitions/tools.json:2:2 info schema-unsaid  types and help of list_things cannot say not of a; it is checked all the same; say it in the description",
  },
  "verdict-unsure": {
    project: jsonProject([
      tool(
        "list_things",
        { a: { $ref: "#/definitions/text", maxLength: 3 } },
        { $schema: "http://json-schema.org/draft-07/schema#", definitions: { text: { type: "string" } } },
      ),
    ]),
    says: "definitions/tools.json:2:2 warning verdict-unsure  the validator of list_things may judge a value otherwise than JSON Schema does: maxLength beside $ref (a); write it without the keyword, or check it in the handler",
  },
  "format-unknown": {
    project: jsonProject([tool("list_things", { a: { type: "string", format: "frobnicate" } })]),
    says: 'definitions/tools.json:12:7 info format-unknown  the format "frobnicate" of list_things a is not known, so it is not checked; use a format of JSON Schema, or a pattern',
  },
  "pattern-unchecked": {
    project: jsonProject([tool("list_things", { a: { type: "string", pattern: "(a{9}b){999}" } })]),
    says: 'definitions/tools.json:12:7 warning pattern-unchecked  the pattern "(a{9}b){999}" of list_things a is not checked: it is too large, or uses syntax that cannot be matched in bounded time; write it with fewer or smaller repetitions, or check it in the handler',
  },
  "annotations-contradict": {
    project: snapshotProject({
      name: "delete_things",
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: true, destructiveHint: true },
    }),
    says: "definitions/servers/s.json:1:11 warning annotations-contradict  s.delete_things is called read-only and destructive at once, so it is a write; set `kind` under `ops`",
  },
  "op-unmatched": {
    project: jsonProject([tool("list_taks")], "packs: { p: { entities: { task: tasks } } }\n"),
    says: 'definitions/tools.json:2:2 warning op-unmatched  no name rule of pack p matches list_taks, so its op is p.list_taks; tried <verb>_<pack>_<entity>, <verb>_<pack>_<entity>_<facet>, <verb>_<entity>_in_<facet>, <verb>_<entity>_<facet>, <topic>_<verb>, get_<topic>_<rest>, <verb>_<entity>, <verb>_<qualifier>_<entity>; nearest entity task; accept it with "toolwright names --write", or add to `ops`:  list_taks: { op: p.<entity>.<action> }',
  },
  "op-invalid": {
    project: jsonProject([one], "ops:\n  list_things: { op: p.class }\n"),
    says: "definitions/toolwright.yaml:5:18 error op-invalid  op p.class is no dotted path of identifiers that Python allows; an op is dotted identifiers, its first segment a pack",
  },
  "op-collision": {
    project: jsonProject([one, tool("list-things")]),
    says: "definitions/tools.json:13:2 error op-collision  p.list_things comes from list_things (definitions/tools.json:2) and list-things (definitions/tools.json:13); give one of them another op under `ops` in toolwright.yaml:  list-things: { op: … }",
  },
  "op-moved": {
    project: {
      ...jsonProject([one, tool("find_things")]),
      "../generated/registry.json": '{"tools":[{"op":"p.list_things","tool_name":"find_things","group":"p"}]}',
    },
    says: 'definitions/tools.json:2:2 error op-moved  generated/registry.json gives p.list_things to p/find_things; p/list_things would take it, and callers of p.list_things would call another tool; to keep it, add under `ops` in toolwright.yaml:  "p/find_things": { op: p.list_things }  or, to let it move:  "p/list_things": { op: p.list_things }',
  },
  "registry-unreadable": {
    project: { ...jsonProject([one]), "../generated/registry.json": "<<<<<<< ours" },
    says: "generated/registry.json:1:1 warning registry-unreadable  is no registry, so nothing says which ops moved to another tool since the last build; restore it from version control before you generate again",
  },
  "exposed-name": {
    project: {
      "toolwright.yaml": "use: []\nsources: [{ chat-tools: t.json, pack: oubliette, kind: read }]\n",
      "t.json": JSON.stringify([tool("tool_exec")]),
    },
    says: "definitions/t.json:1:2 error exposed-name  oubliette.tool_exec (tool_exec (definitions/t.json:1)) cannot be a tool on the socket: oubliette_tool_exec is also the name of the gateway tool tool_exec; rename the tool where it is defined, or give its source another pack",
  },
  "enum-unused": {
    project: jsonProject(
      [tool("list_things", { state: { type: "string", enum: ["a", "b"] } })],
      "ops: { list_things: { enums: { state: [a] } } }\n",
    ),
    says: "definitions/toolwright.yaml:4:32 warning enum-unused  the schema of list_things lists the values of state itself; remove state from `enums`",
  },
  "alias-collision": {
    project: jsonProject([one, tool("get_b")], "ops: { get_b: { aliases: [p.list_things] } }\n"),
    says: "definitions/toolwright.yaml:4:27 error alias-collision  alias p.list_things of p.get_b is already the op of list_things; choose another alias",
  },
  "name-collision": {
    project: jsonProject([tool("list_things", { "a-b": {}, a_b: {} })]),
    says: "definitions/tools.json:2:2 error name-collision  arguments a_b and a-b of p.list_things both become a_b; rename one of them in the schema",
  },
  "output-collision": {
    project: {
      "toolwright.yaml": "sources: [{ chat-tools: t.json, pack: Shop }, { chat-tools: t.json, pack: shop }]\n",
      "t.json": JSON.stringify([one]),
    },
    says: "generated/help/shop.list_things.md error output-collision  help/shop.list_things.md would be written twice, by help; give one of the tools another op, one of the packs another name, or the file of the plugin another path: on some systems file names ignore case",
  },
  "unused-override": {
    project: jsonProject([one], "ops:\n  list_thing: {}\n"),
    says: "definitions/toolwright.yaml:5:3 error unused-override  there is no tool list_thing; did you mean list_things? correct or remove the entry",
  },
  "pack-unmatched": {
    project: {
      ...jsonProject([one]),
      "toolwright.yaml": "use: []\nsources: [{ chat-tools: tools.json, pack: demo }]\npacks: { dmo: { summary: S } }\n",
    },
    says: "definitions/toolwright.yaml:3:10 warning pack-unmatched  there is no pack dmo; did you mean demo? correct or remove the entry",
  },
  "pattern-unmatched": {
    project: jsonProject([one], "approve: [{ ops: [list_things] }]\n"),
    says: "definitions/toolwright.yaml:4:19 warning pattern-unmatched  approve[0].ops[0] is list_things, which matches no op; did you mean p.list_things? correct or remove the pattern",
  },
  "pin-unmatched": {
    project: jsonProject([one], policy),
    says: "definitions/toolwright.yaml:4:13 error pin-unmatched  there is no op p.list_thing to pin a policy on; did you mean p.list_things? correct or remove the entry",
  },
  "alias-unmatched": {
    project: jsonProject([one], "aliases:\n  ls: p.list_thing\n"),
    says: "definitions/toolwright.yaml:5:3 error alias-unmatched  alias ls leads to p.list_thing, which is no op; did you mean p.list_things? correct or remove the entry",
  },
  "alias-cycle": {
    project: jsonProject([one], "aliases: { a: b, b: a }\n"),
    says: "definitions/toolwright.yaml:4:12 error alias-cycle  aliases form a cycle: a -> b -> a; point one of them to an op",
  },
  "snippet-invalid": {
    project: { ...jsonProject([one]), "snippets.yaml": 'hi:\n  body: "{{ name"\n' },
    says: "definitions/snippets.yaml:2:3 error snippet-invalid  the template of snippet hi does not compile: expected variable end; correct its body",
  },
  "snippet-language": {
    project: { ...jsonProject([one]), "snippets.yaml": "hi:\n  body: a\n  language: typescript\n" },
    says: "definitions/snippets.yaml:3:3 warning snippet-language  snippet hi is written in typescript, which `run.languages` does not name, so its calls fail; add typescript to `run.languages`, or remove the snippet",
  },
  "prompt-unmatched": {
    project: { ...jsonProject([one]), "prompts.yaml": "packs:\n  q: Use it.\n" },
    says: "definitions/prompts.yaml:2:3 error prompt-unmatched  there is no pack q; correct or remove the entry",
  },
  "argument-unmatched": {
    project: jsonProject([tool("list_things", { limit: {} })], "ops:\n  p/list_things: { arguments: { n: limits } }\n"),
    says: "definitions/toolwright.yaml:5:20 error argument-unmatched  list_things has no argument limits; did you mean limit? correct the entry",
  },
  "target-without-project": {
    project: jsonProject([one], "packs: { p: { target: project } }\n"),
    says: "definitions/tools.json:2:2 error target-without-project  p.list_things acts on a project, but nothing says which argument names it; set `project_from`, or `target: global`, under `ops`",
  },
  "example-invalid": {
    project: jsonProject(
      [tool("list_things", { n: { type: "integer" } })],
      "ops:\n  list_things:\n    examples: [{ n: many }]\n",
    ),
    says: "definitions/toolwright.yaml:6:5 error example-invalid  the example of p.list_things does not fit its input: /n must be integer; correct it where the tool is defined, or under `ops` in toolwright.yaml",
  },
  "example-impossible": {
    project: jsonProject([tool("list_things", { n: { type: "integer", enum: ["1"] } }, { required: ["n"] })]),
    says: "definitions/tools.json:2:2 warning example-impossible  no example of p.list_things can be made from its schema: /n must be integer; declare `examples` in the schema, or under `ops` in toolwright.yaml; until then help shows none",
  },
  "default-invalid": {
    project: jsonProject([tool("list_things", { n: { type: "integer", default: "1" } })]),
    says: "definitions/tools.json:12:7 warning default-invalid  the default of list_things n does not fit: must be integer; correct the default; until then the argument has no default",
  },
  "required-not-declared": {
    project: jsonProject([tool("list_things", {}, { required: ["n"] })]),
    says: "definitions/tools.json:11:6 warning required-not-declared  list_things requires n, which its properties do not declare; declare it",
  },
  "enum-in-prose": {
    project: jsonProject([tool("list_things", { state: { type: "string", description: "(open, waiting, closed)" } })]),
    says: 'definitions/tools.json:10:6 info enum-in-prose  the description of list_things state lists values: open, waiting, closed; declare them as an `enum`, or pin them with "toolwright enums --write", so that they are checked',
  },
  "description-missing": {
    project: jsonProject([tool("list_things", {}, {}, "")]),
    says: "definitions/tools.json:2:2 warning description-missing  list_things has no description; say in one sentence what it does",
  },
  "description-too-long": {
    project: jsonProject([tool("list_things", {}, {}, "x".repeat(1025))]),
    says: 'definitions/tools.json:2:2 warning description-too-long  the description of list_things has 1025 characters, over 1,024; shorten it, or add under `diagnostics` in toolwright.yaml:  "p/list_things": { description-too-long: off }',
  },
  "policy-empty": {
    project: jsonProject([one], "policies:\n  p.list_things: { do: [], source_hash: 52e5f70dcdb9 }\n"),
    says: "definitions/toolwright.yaml:5:3 info policy-empty  the pinned policy of p.list_things has no rule, so help shows none; nothing to do if that is meant; else write rules, or remove the pin",
  },
  "parameter-renamed": {
    project: jsonProject([tool("list_things", { "a-b": {}, from: {}, c: {} })]),
    says: "definitions/tools.json:2:2 info parameter-renamed  arguments of list_things have other names in Python: a-b is a_b, from is from_; nothing to do: a call may use either",
  },
  "hot-unmatched": {
    project: jsonProject([one], "expose: { hot: [p.list_thing] }\n"),
    says: "definitions/toolwright.yaml:4:17 warning hot-unmatched  expose.hot names p.list_thing, which no listed op matches; did you mean p.list_things? correct the pattern, or remove it",
  },
  "hot-over-budget": {
    project: jsonProject([one], 'expose: { hot: ["p.*"] }\nbudget: { exposed: 600 }\n'),
    says: "definitions/toolwright.yaml:4:11 warning hot-over-budget  p.list_things is no tool of its own: budget.exposed, 600, has no room for its 26 tokens; raise budget.exposed, lower expose.signatures, or take the op out of expose.hot",
  },
  "tombstone-stale": {
    project: jsonProject([one], "reserved:\n  - { tool: old_list, op: p.old_list, since: 2026-08-01, use: p.list }\n"),
    says: "definitions/toolwright.yaml:5:5 warning tombstone-stale  the tombstone of p.old_list says to use p.list, which is no op; correct the entry of `reserved`, or remove it",
  },
  "policy-extraction-changed": {
    project: jsonProject([one], "policies:\n  p.list_things: { do: [a], source_hash: old }\n"),
    says: "definitions/toolwright.yaml:5:3 warning policy-extraction-changed  the pinned policy of p.list_things was made from another description; read both, correct the pin, and set its source_hash to 52e5f70dcdb9",
  },
};
