/** Prints types, values and calls in Python syntax. */

import { onLine } from "./message-text.js";
import type { NormalSchema } from "./normal-schema.js";
import type { JsonObject, JsonValue, Parameter } from "./registry.js";

/** Nested types deeper than this are `Any`. */
const MAX_TYPE_DEPTH = 4;

const PYTHON_SCALARS = { boolean: "bool", integer: "int", number: "float", string: "str" } as const;

/** How a built-in type is written; `open` if the type of its contents is unknown. */
export type Builtin = (name: string, open?: boolean) => string;

/**
 * `str`, `Literal['a', 'b']`, `list[int]`, `str | None`; a type that Python cannot express is `Any`.
 *
 * @param builtin how a built-in type is written, if its plain name means something else
 */
export function pythonType(schema: NormalSchema, builtin: Builtin = (name) => name, depth = 0): string {
  if (depth > MAX_TYPE_DEPTH) return "Any";
  switch (schema.kind) {
    case "unknown":
    case "never":
    case "ref":
      return "Any";
    case "literal":
      return pythonLiterals(schema.values);
    case "array":
      if (schema.items.kind === "unknown") return builtin("list", true);
      return `${builtin("list")}[${pythonType(schema.items, builtin, depth + 1)}]`;
    case "tuple":
      return builtin("list", true);
    case "object":
      return builtin("dict", true);
    case "union": {
      const members = [...new Set(schema.members.map((one) => pythonType(one, builtin, depth + 1)))];
      return members.includes("Any") ? "Any" : members.join(" | ");
    }
    case "null":
      return "None";
    default:
      return builtin(PYTHON_SCALARS[schema.kind]);
  }
}

/** `Literal[...]` accepts strings, integers, booleans and None only. */
function pythonLiterals(values: readonly JsonValue[]): string {
  const fits = values.every(
    (one) => one === null || ["string", "boolean"].includes(typeof one) || Number.isInteger(one),
  );
  return fits && values.length > 0 ? `Literal[${values.map(pythonLiteral).join(", ")}]` : "Any";
}

/** A JSON value as a Python literal. */
export function pythonLiteral(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return pythonString(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  const members = Object.entries(value).map(([key, member]) => `${pythonString(key)}: ${pythonLiteral(member)}`);
  return `{${members.join(", ")}}`;
}

/** A text as a single-quoted Python string; line breaks and control characters are escaped. */
function pythonString(text: string): string {
  const body = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replace(/[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu, onLine);
  return `'${body}'`;
}

/** A value as a Python literal, with texts in double quotes. */
export function doubleQuotedPython(value: JsonValue): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (typeof value === "string") return JSON.stringify(value).replace(SEPARATOR, escaped);
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(doubleQuotedPython).join(", ")}]`;
  const members = Object.entries(value as JsonObject).map(
    ([key, one]) => `${doubleQuotedPython(key)}: ${doubleQuotedPython(one)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Characters that JSON leaves unescaped although some programs treat them as line ends. */
const SEPARATOR = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The keywords of Python. */
export const PYTHON_WORDS: ReadonlySet<string> = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if " +
    "import in is lambda nonlocal not or pass raise return try while with yield"
  ).split(" "),
);

/** Whether Python takes a text as the name of an argument. */
export const isPythonName = (text: string): boolean =>
  /^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(text) && !PYTHON_WORDS.has(text);

/**
 * `onto.task.list(limit=5)`; an argument that has no Python name is passed in a dictionary.
 *
 * @param parameters - those of the op, which know the Python name of an argument
 * @example
 * pythonCall("a.b", { from: 1 }, [{ name: "from_", original: "from" }]); // a.b(from_=1)
 */
export function pythonCall(
  op: string,
  args: JsonObject,
  parameters: readonly Pick<Parameter, "name" | "original">[] = [],
): string {
  const names = new Map(parameters.map(({ original, name }) => [original, name]));
  const given = Object.entries(args).map(([original, value]) => [names.get(original) ?? original, value] as const);
  const isName = ([name]: readonly [string, unknown]): boolean => isPythonName(name);
  const named = given.filter(isName).map(([name, value]) => `${name}=${pythonLiteral(value)}`);
  const others = given.filter((one) => !isName(one));
  const rest = others.length === 0 ? [] : [`**${pythonLiteral(Object.fromEntries(others))}`];
  return `${op}(${[...named, ...rest].join(", ")})`;
}
