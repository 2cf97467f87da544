/** The wording of Python. */

import { pythonCall } from "../../../contract/python-types.js";
import { textRepr } from "../../text-repr.js";
import type { CallFailure, LanguageTexts } from "../language.js";
import { argumentFault, raisedBy, unsendable } from "./call-errors.js";
import { authorsMessage, isWorthChecking, runtimeHints } from "./hints.js";
import { placeValues } from "./snippet-literals.js";
import { unknownPath } from "./unknown-names.js";
import { formatValue } from "./value-text.js";

/** The message of a KeyError is its key. */
const said = ({ exception, message }: CallFailure): string => (exception === "KeyError" ? textRepr(message) : message);

/** The wording of Python. */
export const PYTHON_TEXTS: LanguageTexts = {
  call: pythonCall,
  value: formatValue,
  placed: placeValues,
  ...{ argumentFault, unsendable, unknownPath },
  failed: raisedBy,
  failureText: (failure) => `${failure.exception}: ${said(failure)}`,
  message: authorsMessage,
  hints: runtimeHints,
  isWorthChecking,
};
