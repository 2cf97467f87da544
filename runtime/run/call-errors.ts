/** Converts the envelopes of failed calls to Python exceptions. */

import { ROUNDED } from "../call/arguments/exact.js";
import { commandRemedy } from "../call/carry-out.js";
import type { ErrorBody } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import type { ErrorCode } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { JsonObject, Parameter, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";
import { isNullable, withoutNull } from "../contract/type-text.js";
import { argumentError, type BoundArguments } from "./call-arguments.js";
import { BUILTIN_EXCEPTIONS, HostError } from "./engine/engine.js";
import { typeName, valueOfJson } from "./json-values.js";

/** Parts of an exception. */
interface FailedCall {
  readonly tool: Tool;
  readonly bound: BoundArguments;
  readonly error: ErrorBody;
  /** Time limit of the op, in milliseconds. */
  readonly limitMs: number;
}

type Raising = (failed: FailedCall) => HostError;

const failed: Raising = ({ tool, error }) => new HostError("RuntimeError", `${tool.op} failed: ${error.message}`);

const RAISED: Readonly<Partial<Record<ErrorCode, Raising>>> = {
  VALIDATION_ERROR: invalid,
  PERMISSION_DENIED: denied,
  NOT_FOUND: ({ tool, error }) => new HostError("LookupError", `${tool.op} failed: ${error.message}`),
  TIMEOUT: ({ tool, limitMs }) => new HostError("TimeoutError", `${tool.op} gave no answer in ${limitMs / 1000} s`),
  UNAVAILABLE: (call) =>
    call.tool.source.kind === "local"
      ? failed(call)
      : new HostError("ConnectionError", `${call.tool.op} failed: ${call.error.message}`),
};

/** The exception that a failed call raises. A handler may choose a builtin exception in `details.exception`. */
export function raisedBy(call: FailedCall): HostError {
  const { code, details, message: said } = call.error;
  const data = { code, details: valueOfJson(details as JsonObject) };
  const known = BUILTIN_EXCEPTIONS.find((one) => one === details["exception"]);
  if (known) return new HostError(known, said, data);
  const { pyType, message } = (RAISED[code] ?? failed)(call);
  return new HostError(pyType, withDetails(message, call.error), data);
}

/** Longest message before details, and longest details, in characters: reports of runs have messages of 2,000. */
const MAX_SAID_LENGTH = 1_200;
const MAX_DETAILS_LENGTH = 600;

/** Longest value that a message names, in characters. */
const MAX_NAMED_LENGTH = 60;

const MAY_HAVE_TAKEN_EFFECT = "It may have taken effect: read before you repeat it.";

/** A message with the data of the server and whether a write may have taken effect, for programs that show or end with it. */
function withDetails(message: string, { details: { upstream, outcome } }: ErrorBody): string {
  const data = upstream === undefined ? "" : writeJson(upstream);
  const isUncertain = outcome === "unknown" && !message.includes("read before");
  const more = [
    ...(data === "" || message.includes(data) ? [] : [clip(data, MAX_DETAILS_LENGTH)]),
    ...(isUncertain ? [MAY_HAVE_TAKEN_EFFECT] : []),
  ];
  if (more.length === 0) return message;
  const said = clip(message, MAX_SAID_LENGTH);
  return [/[.!?…]$/.test(said) ? said : `${said}.`, ...more].join(" ");
}

function denied({ tool, error }: FailedCall): HostError {
  const isSwitchedOff = tool.kind === "write" && error.details["required"] === "write";
  const advice = commandRemedy(tool);
  const remedy = error.message.endsWith(advice) ? `. ${advice}` : "";
  const text = isSwitchedOff ? `changes data and writes are not allowed here${remedy}` : `failed: ${error.message}`;
  return new HostError("PermissionError", `${tool.op} ${text}`);
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

function invalid({ tool, bound, error }: FailedCall): HostError {
  const errors = error.details["field_errors"];
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const { path, keyword, expected, did_you_mean: meant } = isObject(first) ? first : {};
  if (typeof path !== "string" || typeof expected !== "string")
    return new HostError("ValueError", `${tool.op}() ${error.message}`);
  const found = parameterAt(tool, path);
  const given = found && bound.get(found)?.value;
  if (found && given !== undefined && (keyword === "type" || given === null))
    return argumentError(
      "TypeError",
      tool,
      `argument '${found.name}' must be ${pythonType(expected)}, got ${typeName(given)}`,
    );
  if (keyword === ROUNDED) return argumentError("ValueError", tool, `argument '${found?.name ?? path}' is ${expected}`);
  const said = error.message.replace(/\.$/, "");
  if (keyword !== "enum") return argumentError("ValueError", tool, said);
  const perhaps = typeof meant === "string" ? ` (perhaps ${clip(meant, MAX_NAMED_LENGTH)})` : "";
  return argumentError("ValueError", tool, found ? notAllowed(found, expected, perhaps) : withList(said, expected));
}

function notAllowed({ name }: Parameter, expected: string, perhaps: string): string {
  const allowed = [...withoutNull(expected).split("|"), ...(isNullable(expected) ? ["None"] : [])].join(", ");
  return `argument '${name}' must be ${allowed.includes(",") ? "one of: " : ""}${allowed}${perhaps}`;
}

/** What a handler says of a part of an argument, with the values that are allowed, which only the finding may list. */
const withList = (said: string, expected: string): string =>
  said.includes(expected.split("|", 1)[0] ?? "") ? said : `${said} (expected: ${clip(expected, MAX_DETAILS_LENGTH)})`;

/** The parameter that a finding is about, unless it is about a part of its value. */
const parameterAt = (tool: Tool, path: string): Parameter | undefined =>
  tool.parameters.find(({ original }) => original === path);
