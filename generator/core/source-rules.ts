/** The diagnostics about sources, which are faults of definition files, and about plugins, and about names that move. Part of the catalogue in `rules.ts`. */

import { rule } from "./rule.js";

/** Rules by code, in the order in which they are listed. */
export const SOURCE_RULES = {
  "server-tool-unknown": rule(
    "warning",
    (p: { server: string; name: string; key: string; near: string | undefined }) =>
      `servers.${p.server}.tools.${p.key} names ${JSON.stringify(p.name)}, which is no tool of the server`,
    (p) =>
      `${p.near === undefined ? "" : `did you mean ${p.near}? `}names are those of definitions/servers/${p.server}.json`,
  ),
  "no-tools": rule(
    "error",
    (p: { file: string; form: string }) => `no tool was read from ${p.file}`,
    (p) => `${p.form}, or take the file out of \`sources\`; \`allow_empty: true\` of the source allows it`,
  ),
  "tools-unexported": rule(
    "warning",
    (p: { name: string }) => `${p.name} looks like a list of tools, but is not exported, so nothing reads it`,
    () => "export it, or remove it; `exports` of the source names the lists to read",
  ),
  "tools-unread": rule(
    "error",
    (p: { what: string; way: string }) => `nothing reads ${p.what}`,
    (p) =>
      `${p.way}; \`module\` in place of \`chat-tools\` runs the file to read it; if it is none, name the lists to read under \`exports\` of the source`,
  ),
  "member-unknown": rule(
    "warning",
    (p: { tool: string; name: string; meant: string }) =>
      `${p.tool} has a member ${JSON.stringify(p.name)} that nothing reads`,
    (p) => `did you mean ${p.meant}? correct or remove it`,
  ),
  "export-computed": rule(
    "warning",
    (p: { name: string }) => `code computes ${p.name}, so no tools are read from it`,
    () => "if it has tools, write them as literals; otherwise name the arrays to read under `exports` of the source",
  ),
  "export-foreign": rule(
    "warning",
    (p: { name: string; of: string }) => `${p.name} is of ${p.of}, which is not read, so no tools are read from it`,
    () =>
      "if it has tools, write them in a file of the project; otherwise name the arrays to read under `exports` of the source",
  ),
  "module-failed": rule(
    "error",
    (p: { file: string; reason: string }) => `${p.file} gives no tools: ${p.reason}`,
    (p) =>
      /Cannot find (?:module|package)|Could not resolve/.test(p.reason)
        ? "install what it imports, in this project"
        : "correct the module; it is run with the rights to read the project and its packages, and without environment variables",
  ),
  "module-tool": rule(
    "error",
    (p: { what: string; fix: string }) => p.what,
    (p) => p.fix,
  ),
  "no-functions": rule(
    "error",
    (p: { file: string }) => `${p.file} exports no function that could be a tool`,
    () => "export one by name, or call the file _name.ts to leave it out; `allow_empty: true` of the source allows it",
  ),
  "function-form": rule(
    "error",
    (p: { what: string; form: string }) => p.what,
    (p) => `write ${p.form}`,
  ),
  "type-unsupported": rule(
    "warning",
    (p: { of: string; type: string }) =>
      `${p.of} has a type that JSON cannot hold, so any value is accepted: ${p.type}`,
    () => "use plain data, or a type of a file of this project",
  ),
  "date-argument": rule(
    "warning",
    (p: { tool: string; argument: string }) => `${p.tool} ${p.argument} is a Date, but arrives as text`,
    () => "declare it as a string with `@format date-time`",
  ),
  "tag-invalid": rule(
    "warning",
    (p: { tag: string; of: string; fact: string }) => `@${p.tag} of ${p.of} ${p.fact}`,
    () => "correct the comment; until then the tag counts for nothing",
  ),
  "argument-left-out": rule(
    "warning",
    (p: { tool: string; argument: string; reason: string }) =>
      `${p.tool} has no argument ${p.argument}, since its schema is unusable: ${p.reason}`,
    () => "correct the schema in the description",
  ),
  "schema-dialect": rule(
    "warning",
    (p: { tool: string; dialect: string; read: string }) =>
      `the schema of ${p.tool} is written in ${p.dialect}, which is read as ${p.read}`,
    () => "write it in draft-07 or 2020-12; a keyword that only the other knows is refused or counts for nothing",
  ),
} as const;

/** Rules by code, in the order in which they are listed. */
export const PLUGIN_RULES = {
  "plugin-missing": rule(
    "error",
    (p: { plugin: string; reason: string }) => `the plugin ${p.plugin} ${p.reason}`,
    () =>
      "correct `plugins`: a file is relative to definitions/ and begins with ./ or ../, a package is installed in the project",
  ),
  "plugin-failed": rule(
    "error",
    (p: { plugin: string; doing: string; reason: string }) =>
      `the plugin ${p.plugin} failed in ${p.doing}: ${p.reason}`,
    () => "correct the plugin, or take it out of `plugins`",
  ),
  "plugin-invalid": rule(
    "error",
    (p: { plugin: string; what: string; fact: string }) => `${p.what} of the plugin ${p.plugin} is wrong: ${p.fact}`,
    () => "correct the plugin: docs/extending.md has the forms",
  ),
  "plugin-collision": rule(
    "error",
    (p: { plugin: string; what: string; first: string }) =>
      `the plugin ${p.plugin} adds ${p.what}, which ${p.first} has`,
    () => "rename it in the plugin, or take one of the two out of `plugins`",
  ),
  "plugin-output": rule(
    "error",
    (p: { plugin: string; emitter: string; path: string; reason: string }) =>
      `the emitter ${p.emitter} of the plugin ${p.plugin} cannot write ${JSON.stringify(p.path.slice(0, 200))}: ${p.reason}`,
    () => "give the file another path, relative to generated/ and with forward slashes",
  ),
  "plugin-error": rule(
    "error",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
  "plugin-warning": rule(
    "warning",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
  "plugin-info": rule(
    "info",
    (p: { plugin: string; message: string; fix: string }) => p.message,
    (p) => p.fix,
  ),
} as const;

/** Rules about names that other tools have or had. */
export const NAME_RULES = {
  "level-unmatched": rule(
    "error",
    (p: { pattern: string; nearest: string | undefined }) => `no tool matches ${p.pattern} of \`diagnostics\``,
    (p) =>
      `${p.nearest === undefined ? "" : `did you mean ${p.nearest}? `}correct or remove the entry: it is <pack>/<tool> or <pack>/<op>, with asterisks`,
  ),
  "op-collision": rule(
    "error",
    (p: { op: string; tools: readonly string[]; second: string }) => `${p.op} comes from ${p.tools.join(" and ")}`,
    (p) => `give one of them another op under \`ops\` in toolwright.yaml:  ${p.second}: { op: … }`,
  ),
  "op-numbered": rule(
    "warning",
    (p: { op: string; keeper: string; tool: string; other: string }) =>
      `${p.op} is the op of ${p.keeper}, so ${p.tool} is ${p.other}`,
    (p) => `to choose its op, add under \`ops\` in toolwright.yaml:  "${p.tool}": { op: … }`,
  ),
  "op-moved": rule(
    "error",
    (p: { op: string; from: string; to: string; taken: string }) =>
      `generated/registry.json gives ${p.op} to ${p.from}; ${p.to} would take it, and callers of ${p.op} would call another tool`,
    (p) =>
      `to keep it, add under \`ops\` in toolwright.yaml:  "${p.from}": { op: ${p.op} }  or, to let it move:  "${p.to}": { op: ${p.taken} }`,
  ),
  "typed-tool-moved": rule(
    "warning",
    (p: { op: string; name: string; is: string; other: string; key: string; hot: string | undefined }) =>
      `clients called ${p.op} as the tool ${p.name}, which is called ${p.is} now, since ${p.other} has that name too`,
    (p) =>
      `to keep it, leave ${p.other} out of the lists under \`ops\` in toolwright.yaml:  "${p.key}": { hidden: true }  ${p.hot === undefined ? "" : `and take "${p.hot}" out of \`expose.hot\`; `}otherwise clients have to call ${p.is}`,
  ),
  "registry-unreadable": rule(
    "warning",
    () => "is no registry, so nothing says which ops moved to another tool since the last build",
    () => "restore it from version control before you generate again",
  ),
} as const;
