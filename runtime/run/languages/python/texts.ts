/** The wording of Python. */

import { doubleQuotedPython, pythonCall } from "../../../contract/python-types.js";
import { printedValue } from "../../snippet-members.js";
import { textRepr } from "../../text-repr.js";
import type { CallFailure, CallLoop, LanguageTexts, PlacedText } from "../language.js";
import { argumentFault, raisedBy, unsendable } from "./call-errors.js";
import { authorsMessage, isWorthChecking, runtimeHints } from "./hints.js";
import { placeValues } from "./snippet-literals.js";
import { unknownPath } from "./unknown-names.js";
import { formatValue } from "./value-text.js";

/** The message of a KeyError is its key. */
const said = ({ exception, message }: CallFailure): string => (exception === "KeyError" ? textRepr(message) : message);

const NOT_RAW: PlacedText = { kind: "invalid", reason: "a raw string cannot hold the value of a parameter" };

/** Each line of a comment on a line of its own. */
const callLoop = ({ comment, list, values, item, answers, op, argument, args }: CallLoop): string => {
  const more = Object.entries(args).map(([name, value]) => `, ${name}=${doubleQuotedPython(value)}`);
  return [
    ...comment.map((line) => `# ${line}`.trimEnd()),
    `${list} = ${doubleQuotedPython(values)}`,
    `${answers} = {}`,
    `for ${item} in ${list}:`,
    `    ${answers}[${item}] = ${op}(${argument}=${item}${more.join("")})`,
    answers,
  ].join("\n");
};

/** The wording of Python. */
export const PYTHON_TEXTS: LanguageTexts = {
  call: pythonCall,
  callLoop,
  value: formatValue,
  printed: printedValue,
  async placed(text, { open, close }) {
    // What a value is does not count: outside of a literal it is code.
    const placed = placeValues(text.replaceAll(open + open, open), { open, close });
    return placed === undefined ? NOT_RAW : { kind: "text", text: placed };
  },
  ...{ argumentFault, unsendable, unknownPath },
  failed: raisedBy,
  failureText: (failure) => `${failure.exception}: ${said(failure)}`,
  message: authorsMessage,
  hints: runtimeHints,
  isWorthChecking,
};
