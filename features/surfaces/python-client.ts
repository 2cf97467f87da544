/** Emits `surfaces/client.py`: a Python client in one module that needs only the standard library of Python 3.9 or newer. */

import { docstring, generatedHeader } from "../../generator/core/printer.js";
import { sourcesOf } from "../../generator/emit/emitter.js";
import { acceptedNames } from "../../runtime/contract/accepted-names.js";
import { digestText } from "../../runtime/contract/canonical.js";
import { normalizeSchema } from "../../runtime/contract/normal-schema.js";
import { pythonResults } from "../../runtime/contract/python-stubs.js";
import { type Builtin, pythonLiteral, pythonType } from "../../runtime/contract/python-types.js";
import type { Parameter, Tool } from "../../runtime/contract/registry.js";
import { PYTHON_RUNTIME } from "./python-client-runtime.js";
import { packSummary, packsOf, surface } from "./surface.js";

/** Emits `surfaces/client.py`. */
export const pythonClient = surface("python", (parts) => {
  const { registry, tools } = parts;
  const { text: results, types } = pythonResults(tools, builtin, plain);
  const packs = packsOf(parts);
  const classes = packs.map((pack) => branchClass({ ...pack, about: packSummary(pack), path: [pack.name], types }));
  const typed = results.replace(/^(?=.)/gm, "    ");
  const text =
    `${generatedHeader("#", sourcesOf(registry))}${PYTHON_RUNTIME}` +
    `${typed === "" ? "" : `\n\nif TYPE_CHECKING:\n    from typing_extensions import NotRequired, TypedDict\n\n${typed}`}` +
    `\n\n${classes.map((one) => `${one}\n\n`).join("")}` +
    `class Client:\n${docstring(["Every op under its path: `Client(http_call(url)).pack.op(argument=value)`."], "    ")}\n` +
    `    def __init__(self, call: Call, *, dry_run: Optional[bool] = None, idempotency_key: Optional[str] = None) -> None:\n` +
    `        _ops = _Ops(call, dry_run, idempotency_key)\n` +
    packs.map(({ name }) => `        self.${member(name)} = ${className([name])}(_ops)\n`).join("");
  return { "client.py": text };
});

/** A built-in type. Strict type checkers require type arguments, so unknown ones are `Any`. */
const plain: Builtin = (name, open) => (open ? `${name}${name === "dict" ? "[str, Any]" : "[Any]"}` : name);

/** A built-in type with its module, since members may have the names of built-in types. */
const builtin: Builtin = (name, open) => `builtins.${plain(name, open).replace("[str", "[builtins.str")}`;

const PLAIN = /^[A-Za-z0-9]+(_[A-Za-z0-9]+)*$/;

/** Class name of a path: dots become two underscores; a path whose parts contain two underscores gets a digest. */
const className = (path: readonly string[]): string =>
  path.every((part) => PLAIN.test(part)) ? `_C_${path.join("__")}` : `_X_${digestText(path.join(".")).slice(0, 16)}`;

/** Member name that Python does not mangle and that hides no internal name. Different names stay different. */
const member = (name: string): string => (/^x*(__|_UNSET$)/.test(name) ? `x${name}` : name);

interface Branch {
  readonly path: readonly string[];
  readonly tools: readonly Tool[];
  readonly about: string;
  /** The op of the path itself. */
  readonly op?: Tool | undefined;
  readonly types: ReadonlyMap<string, string>;
}

/** The class of a path, after the classes below it. */
function branchClass({ path, tools, about, types, op }: Branch): string {
  const below = new Map<string, Tool[]>();
  const ends = new Map<string, Tool>();
  for (const tool of tools) {
    const parts = tool.op.split(".");
    const name = parts[path.length] ?? "";
    if (parts.length === path.length + 1) ends.set(name, tool);
    else below.set(name, [...(below.get(name) ?? []), tool]);
  }
  const inner = [...below].map(([name, some]) => {
    const deeper = [...path, name];
    const about = `Ops of ${deeper.join(".")}.`;
    return `${branchClass({ path: deeper, tools: some, about, types, op: ends.get(name) })}\n\n`;
  });
  const fields = [...below.keys()].map((name) => `        self.${member(name)} = ${className([...path, name])}(ops)\n`);
  const own = [...ends].filter(([name]) => !below.has(name)).map(([name, tool]) => [member(name), tool] as const);
  const all: readonly (readonly [string, Tool])[] = op ? [["__call__", op], ...own] : own;
  const methods = all.map(([name, tool]) => `\n${methodText(name, tool, types.get(tool.op) ?? "Any")}`);
  return (
    `${inner.join("")}class ${className(path)}:\n${docstring([about], "    ")}\n` +
    `    def __init__(self, ops: _Ops) -> None:\n        self.__ops = ops\n${fields.join("")}${methods.join("")}`
  );
}

function methodText(name: string, tool: Tool, result: string): string {
  const { op, parameters, parameters_schema: input } = tool;
  const { declared, open } = acceptedNames(input);
  const names = argumentNames(parameters);
  const receiver = freeName("self", [...names.values()]);
  const others = freeName("arguments", [...names.values()]);
  const typeOf = ({ original }: Parameter): string =>
    pythonType(normalizeSchema(declared.get(original), input), builtin);
  const keywords = parameters.map(
    (one) => `${names.get(one)}: ${one.required ? typeOf(one) : `${typeOf(one)} = _UNSET`}`,
  );
  const signature = [
    ...[receiver, ...(open ? ["/"] : [])],
    ...(keywords.length > 0 ? ["*", ...keywords] : []),
    ...(open ? [`**${others}: Any`] : []),
  ].join(", ");
  const given = [
    ...(open ? [`**${others}`] : []),
    ...parameters.map((one) => `${pythonLiteral(one.original)}: ${names.get(one)}`),
  ].join(", ");
  return (
    `    def ${name}(${signature}) -> ${result}:\n` +
    docstring(documentation(tool, names), "        ") +
    `        return ${receiver}.__ops(${pythonLiteral(op)}, {${given}})\n`
  );
}

/** Name of each argument in Python, as the op has it; Python mangles some names, which get an `x`. */
function argumentNames(parameters: readonly Parameter[]): ReadonlyMap<Parameter, string> {
  const isMangled = ({ name }: Parameter): boolean => /^__(?!.*__$)/.test(name);
  const names = new Map(parameters.map((one) => [one, one.name]));
  for (const one of parameters.filter(isMangled)) names.set(one, freeName(`x${one.name}`, [...names.values()]));
  return names;
}

const freeName = (name: string, taken: readonly string[]): string =>
  taken.includes(name) ? freeName(`${name}_`, taken) : name;

function documentation(tool: Tool, names: ReadonlyMap<Parameter, string>): readonly string[] {
  const described = tool.parameters.filter(({ description }) => description);
  const lines = described.map((one) => `${names.get(one)}: ${one.description?.replace(/\s+/g, " ").trim()}`);
  return [tool.summary, ...(lines.length > 0 ? ["", ...lines] : [])];
}
