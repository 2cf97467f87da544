/** What a program is told of calls that fail, as exceptions of Python. */

import { ROUNDED } from "../../../call/arguments/exact.js";
import { commandRemedy } from "../../../call/carry-out.js";
import type { ErrorCode } from "../../../contract/handler.js";
import { isObject } from "../../../contract/json.js";
import type { JsonObject, Parameter, Tool } from "../../../contract/registry.js";
import { clip } from "../../../contract/scrub.js";
import { boundedSignature } from "../../../contract/signature-text.js";
import { isNullable, withoutNull } from "../../../contract/type-text.js";
import { REFUSED } from "../../engine/engine.js";
import { withAllowedValues, withDetails } from "../../failure-details.js";
import { valueOfJson } from "../../json-values.js";
import type { ArgumentFault, CallFailure, Data, FailedOp } from "../language.js";
import { type BuiltinException, builtinException } from "./exceptions.js";

/** Class and message of an exception. */
interface Raised {
  readonly exception: BuiltinException;
  readonly message: string;
}

type Raising = (failed: FailedOp) => Raised;

const raised = (exception: BuiltinException, message: string): Raised => ({ exception, message });

/** A message that says which op has failed, once. */
const withOp = ({ tool: { op }, error: { message } }: FailedOp): string =>
  message.startsWith(`${op} failed`) ? message : `${op} failed: ${message}`;

const failed: Raising = (call) => raised("RuntimeError", withOp(call));

const RAISED: Readonly<Partial<Record<ErrorCode, Raising>>> = {
  VALIDATION_ERROR: invalid,
  PERMISSION_DENIED: denied,
  NOT_FOUND: (call) => raised("LookupError", withOp(call)),
  TIMEOUT: ({ tool, limitMs }) => raised("TimeoutError", `${tool.op} gave no answer in ${limitMs / 1000} s`),
  UNAVAILABLE: (call) => (call.tool.source.kind === "local" ? failed(call) : raised("ConnectionError", withOp(call))),
};

/** The exception that a failed call raises. A handler may choose a builtin exception in `details.exception`. */
export function raisedBy(call: FailedOp): CallFailure {
  const { code, details, message: said } = call.error;
  const data = { code, details: valueOfJson(details as JsonObject) };
  const known = builtinException(details["exception"]);
  if (known) return { exception: known, message: said, ...data };
  const { exception, message } = (RAISED[code] ?? failed)(call);
  return { exception, message: withDetails(message, call.error), ...data };
}

/** An exception about the arguments of an op, followed by its signature with bounds. */
const aboutArguments = (exception: BuiltinException, tool: Tool, text: string): Raised =>
  raised(exception, `${tool.op}() ${text}. Signature: ${boundedSignature(tool)}`);

/** What is said of arguments that cannot be bound. */
function faultOf(fault: ArgumentFault): string {
  switch (fault.kind) {
    case "surplus":
      return `takes at most ${fault.most} ${fault.most === 1 ? "argument" : "arguments"} but ${fault.given} ${fault.given === 1 ? "was" : "were"} given`;
    case "unexpected":
      return `got an unexpected keyword argument '${fault.key}'${fault.meant === undefined ? "" : ` (did you mean '${fault.meant}'?)`}`;
    case "twice":
      return `got '${fault.name}' twice: ${fault.before === undefined ? "by position" : `as '${fault.before}'`} and as '${fault.key}'`;
    case "missing":
      return `missing required argument '${fault.name}'`;
  }
}

/** The exception of a call whose arguments cannot be bound. */
export const argumentFault = (tool: Tool, fault: ArgumentFault): CallFailure => ({
  ...REFUSED,
  ...aboutArguments("TypeError", tool, faultOf(fault)),
});

/** The exception of a call with an argument that JSON cannot hold. */
export const unsendable = (tool: Tool, { exception, message }: CallFailure): CallFailure => ({
  ...REFUSED,
  ...aboutArguments(builtinException(exception) ?? "TypeError", tool, message),
});

/** Longest value that a message names, in characters. */
const MAX_NAMED_LENGTH = 60;

function denied(call: FailedOp): Raised {
  const { tool, error } = call;
  const isSwitchedOff = tool.kind === "write" && error.details["required"] === "write";
  const advice = commandRemedy(tool);
  const remedy = error.message.endsWith(advice) ? `. ${advice}` : "";
  const text = isSwitchedOff ? `${tool.op} changes data and writes are not allowed here${remedy}` : withOp(call);
  return raised("PermissionError", text);
}

/** Python's names of the types in help. */
const PYTHON: readonly (readonly [type: RegExp, name: string])[] = [
  [/\]$|^array\b/, "list"],
  [/^integer\b/, "int"],
  [/^number\b/, "float"],
  [/^string\b/, "str"],
  [/^boolean\b/, "bool"],
  [/^\{|^object\b/, "dict"],
];

function pythonType(expected: string): string {
  const type = withoutNull(expected);
  return (PYTHON.find(([form]) => form.test(type))?.[1] ?? type) + (isNullable(expected) ? " or None" : "");
}

function invalid({ tool, bound, error }: FailedOp): Raised {
  const errors = error.details["field_errors"];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const { path, keyword, expected, did_you_mean: meant } = isObject(first) ? first : {};
  if (typeof path !== "string" || typeof expected !== "string")
    return raised("ValueError", `${tool.op}() ${error.message}`);
  const found = parameterAt(tool, path);
  const given = found && bound.get(found)?.value;
  if (found && given !== undefined && (keyword === "type" || given === null))
    return aboutArguments(
      "TypeError",
      tool,
      `argument '${found.name}' must be ${pythonType(expected)}, got ${typeName(given)}`,
    );
  if (keyword === ROUNDED)
    return aboutArguments("ValueError", tool, `argument '${found?.name ?? path}' is ${expected}`);
  const said = error.message.replace(/\.$/, "");
  if (keyword !== "enum" || !found) return aboutArguments("ValueError", tool, withAllowedValues(said, error));
  const perhaps = typeof meant === "string" ? ` (perhaps ${clip(meant, MAX_NAMED_LENGTH)})` : "";
  return aboutArguments("ValueError", tool, notAllowed(found, expected, perhaps));
}

function notAllowed({ name }: Parameter, expected: string, perhaps: string): string {
  const allowed = [...withoutNull(expected).split("|"), ...(isNullable(expected) ? ["None"] : [])].join(", ");
  return `argument '${name}' must be ${allowed.includes(",") ? "one of: " : ""}${allowed}${perhaps}`;
}

/** The parameter that a finding is about, unless it is about a part of its value. */
const parameterAt = (tool: Tool, path: string): Parameter | undefined =>
  tool.parameters.find(({ original }) => original === path);

const TYPES: Readonly<Record<string, string>> = { string: "str", boolean: "bool", bigint: "int" };

/** Python's name for the type of a value: `int`, `str`, `dict`. */
function typeName(value: Data): string {
  if (value === null) return "None";
  if (typeof value === "number") return Number.isInteger(value) ? "int" : "float";
  if (typeof value !== "object") return TYPES[typeof value] ?? typeof value;
  if (value instanceof Uint8Array) return "bytes";
  return "$" in value ? value.$ : "list";
}
