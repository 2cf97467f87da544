/** Writes an example call in six forms: for `tool_exec`, as `run` code of either language, for the TypeScript client, as a command line, and for curl. */

import { jsLiteral, jsString, prettyJson } from "../../generator/core/printer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { isPythonName } from "../../runtime/contract/python-types.js";
import type { Example, JsonObject, JsonValue, Tool } from "../../runtime/contract/registry.js";
import { typescriptCall } from "../../runtime/contract/typescript-text.js";

/** A call in each form. */
export interface Ways {
  /** A call of the MCP tool `tool_exec`. */
  readonly mcp: string;
  /** Python in `run`. */
  readonly python: string;
  /** TypeScript in `run`. */
  readonly program: string;
  /** The emitted TypeScript client. */
  readonly client: string;
  readonly command: string;
  /** A request to the HTTP API. */
  readonly curl: string;
}

/** Longest line of example code before it is broken. */
const WIDTH = 76;

/** An example in each form. `tool` is the op that the example calls, which may differ from the op that lists it. */
export const waysOf = (example: Example, tool: Tool | undefined): Ways => ({
  mcp: prettyJson({ name: "tool_exec", arguments: { op: example.op, args: example.args } }, WIDTH).trimEnd(),
  python: pythonCall(example, tool),
  program: typescriptProgram(example),
  client: clientCall(example),
  command: commandLine(example, tool),
  curl: curlCall(example),
});

/** Where `serve --http` listens without another port. */
const SERVER = "http://127.0.0.1:8080";

function typescriptProgram({ op, args }: Example): string {
  const line = typescriptCall(op, args);
  return line.length <= WIDTH ? line : `await ${op}(${givenText(args)})`;
}

const givenText = (args: JsonObject): string =>
  Object.keys(args).length === 0 ? "" : prettyJson(args, WIDTH).trimEnd();

function clientCall({ op, args }: Example): string {
  const members = op.split(".").map((one) => (/^[A-Za-z_$][\w$]*$/.test(one) ? `.${one}` : `[${jsString(one)}]`));
  return [
    'import { createClient, httpCall } from "./generated/surfaces/client.js";',
    "",
    `const client = createClient(httpCall({ url: ${jsString(SERVER)} }));`,
    `const answer = await client${members.join("")}(${givenText(args)});`,
  ].join("\n");
}

const curlCall = ({ op, args }: Example): string =>
  [
    "curl -s -H 'content-type: application/json'",
    `-d ${quoted(JSON.stringify({ op, args }))}`,
    `${SERVER}/api/exec`,
  ].join(" \\\n  ");

function pythonCall({ op, args }: Example, tool: Tool | undefined): string {
  const names = new Map(tool?.parameters.map(({ original, name }) => [original, name]));
  const given = Object.entries(args).map(([key, value]) => {
    const name = names.get(key) ?? key;
    return isPythonName(name) ? `${name}=${pythonValue(value)}` : `**${pythonValue({ [name]: value })}`;
  });
  const line = `${op}(${given.join(", ")})`;
  return line.length <= WIDTH || given.length === 0 ? line : `${op}(\n${given.map((one) => `    ${one},\n`).join("")})`;
}

const PYTHON_WORDS: ReadonlyMap<JsonValue, string> = new Map<JsonValue, string>([
  [true, "True"],
  [false, "False"],
  [null, "None"],
]);

function pythonValue(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object" || value === null) return PYTHON_WORDS.get(value) ?? jsLiteral(value);
  const members = Object.entries(value).map(([key, one]) => `${jsLiteral(key)}: ${pythonValue(one)}`);
  return `{${members.join(", ")}}`;
}

/** Flags of `toolwright exec` itself: arguments of these names go into `--args`. */
const TAKEN: ReadonlySet<string> = new Set([
  ...["root", "log-level", "help", "version", "args", "dry-run", "idempotency-key", "allow-write", "state", "json"],
]);

function commandLine({ op, args }: Example, tool: Tool | undefined): string {
  const consent = tool?.kind === "write" ? ["--allow-write"] : [];
  const flags = Object.entries(args).map(([key, value]) => flagOf(key, value, tool));
  const given = flags.every((one) => one !== undefined) ? flags : [`--args ${quoted(JSON.stringify(args))}`];
  const words = [`toolwright exec ${quoted(op)}`, ...given, ...consent];
  const line = words.join(" ");
  return line.length <= WIDTH ? line : words.join(" \\\n  ");
}

/** `--project-id proj_x`, if the command line parses the value back unchanged. */
function flagOf(name: string, value: JsonValue, tool: Tool | undefined): string | undefined {
  const flag = name.replaceAll("_", "-");
  const properties = tool?.parameters_schema["properties"];
  const schema = isSchema(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  const type = isSchema(schema) ? schema["type"] : undefined;
  if (!/^[a-z][a-z0-9_]*$/.test(name) || TAKEN.has(flag) || type !== TYPES[typeof value]) return undefined;
  const text = String(value);
  return text.startsWith("-") || text === "" ? `--${flag}=${quoted(text)}` : `--${flag} ${quoted(text)}`;
}

/** JSON Schema types by the JavaScript type of a value. */
const TYPES: Readonly<Record<string, string>> = { string: "string", number: "integer", boolean: "boolean" };

/** A word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
