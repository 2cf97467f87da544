/** The wording of TypeScript: failures are errors of the class `ToolError`. */

import type { JsonObject, Tool } from "../../runtime/contract/registry.js";
import { typescriptCall, typescriptLiteral } from "../../runtime/contract/typescript-text.js";
import { REFUSED } from "../../runtime/run/engine/engine.js";
import { withAllowedValues, withDetails } from "../../runtime/run/failure-details.js";
import { formattedTree } from "../../runtime/run/format.js";
import { valueOfJson } from "../../runtime/run/json-values.js";
import type {
  ArgumentFault,
  CallFailure,
  CallLoop,
  Data,
  FailedOp,
  FailedRun,
  FinishedRun,
  FormatOptions,
  KnownOfFailure,
  LanguageTexts,
} from "../../runtime/run/languages/language.js";
import { textOfValue } from "../../runtime/run/snippet-members.js";
import { treeOf, treeOfJson } from "../../runtime/run/value-tree.js";

/** The class of the errors of calls. */
const TOOL_ERROR = "ToolError";

const refused = (tool: Tool, text: string): CallFailure => ({
  ...REFUSED,
  message: `${tool.op}() ${text}. Signature: ${tool.signature.typescript}`,
});

/** What is said of arguments that cannot be bound. */
export function argumentText(fault: ArgumentFault): string {
  switch (fault.kind) {
    case "surplus":
      return `takes one object of arguments, but ${fault.given} values were given`;
    case "unexpected":
      return `has no argument '${fault.key}'${fault.meant === undefined ? "" : ` (did you mean '${fault.meant}'?)`}`;
    case "twice":
      return `got '${fault.name}' twice: ${fault.before === undefined ? "by position" : `as '${fault.before}'`} and as '${fault.key}'`;
    case "missing":
      return `needs the argument '${fault.name}'`;
  }
}

function failed({ tool, error }: FailedOp): CallFailure {
  const { code, details, message } = error;
  return {
    code,
    message: withDetails(
      withAllowedValues(message.startsWith(tool.op) ? message : `${tool.op}: ${message}`, error),
      error,
    ),
    details: valueOfJson(details as JsonObject),
  };
}

/** The text of a value; undefined without one. */
async function valueText(outcome: FinishedRun, { depth, isOt }: FormatOptions): Promise<string | undefined> {
  if (outcome.outcome === "novalue") return undefined;
  if (outcome.outcome === "none") return "null";
  const { format = null, str, json } = outcome;
  if (format === "raw" && str !== undefined) return str;
  const tree = (json === undefined ? undefined : treeOfJson(json, depth)) ?? treeOf(outcome.value, depth, dataText);
  return formattedTree(tree, format, isOt);
}

/** A value of a template as JSON; a function is null. */
const printedJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => textOfValue(one) ?? one) ?? "null";

const dataText = (value: Data): string => (typeof value === "string" ? value : JSON.stringify(value));

const NO_FUNCTION = /^pack '([\w.]+)' has no function '(\w+)'/;
const UNDEFINED = /^(?:'(\w+)' is not defined|(\w+) is not defined)$/;

/** Lines that help to correct a failure. */
function hints({ message, name }: FailedRun, code: string, known: KnownOfFailure): readonly string[] {
  const found = known.hintsOf(message);
  if (found.length > 0) return found;
  const [, pack, member] = NO_FUNCTION.exec(message) ?? [];
  const meant = pack === undefined ? undefined : known.meantOp(`${pack}.${member}`);
  if (meant !== undefined) return [`Did you mean: ${meant}`];
  const [, quoted, bare] = (name === "ReferenceError" && UNDEFINED.exec(message)) || [];
  const [op] = known.ops.filter((one) => one.endsWith(`.${quoted ?? bare}`) && code.includes(`${quoted ?? bare}(`));
  return op === undefined ? [] : [`Did you mean: ${op}`];
}

const TOO_DEEP = "Maximum call stack size exceeded";
/** Measured: 1,361 calls of a small function, 301 of an async one that awaits itself, 379 through a callback. */
const DEPTH =
  "calls nest about 1,300 deep here, 300 with await or through a callback; write a loop with a list of what is left";

/** A map keeps the order of its keys, also of those that are numbers, and has no key of its own. */
const callLoop = ({ comment, list, values, item, answers, op, argument, args }: CallLoop): string => {
  const more = Object.entries(args).map(([name, value]) => `, ${name}: ${typescriptLiteral(value)}`);
  const argumentsText = argument === item ? item : `${argument}: ${item}`;
  return [
    ...comment.map((line) => `// ${line}`.trimEnd()),
    `const ${list} = ${typescriptLiteral(values)};`,
    `const ${answers} = new Map();`,
    `for (const ${item} of ${list}) {`,
    `  ${answers}.set(${item}, await ${op}({ ${argumentsText}${more.join("")} }));`,
    "}",
    answers,
  ].join("\n");
};

/** The wording of TypeScript. */
export const TYPESCRIPT_TEXTS: LanguageTexts = {
  call: typescriptCall,
  callLoop,
  value: valueText,
  printed: printedJson,
  placed: async (text, marks) => (await import("./snippet-literals.js")).placeLiterals(text, marks),
  argumentFault: (tool, fault) => refused(tool, argumentText(fault)),
  unsendable: (tool, { message }) => refused(tool, message),
  failed,
  unknownPath: (path) => ({ ...REFUSED, message: `${path.join(".")} is no op` }),
  failureText: ({ message }) => `${TOOL_ERROR}: ${message}`,
  message: ({ name, message }) => (name === "RangeError" && message === TOO_DEEP ? `${message}: ${DEPTH}` : message),
  hints,
  isWorthChecking: ({ kind, name, line }) => kind === "runtime" && line !== undefined && name !== TOOL_ERROR,
};
