/** Commands in Python without what wraps them. */

import { PYTHON_LANGUAGE } from "../../../contract/python-language.js";
import type { TextFault } from "../../fault.js";
import { type FencedCode, unwrapCommand } from "../../fence-processor.js";
import { stringValue } from "./python-text.js";

/**
 * The code of a command.
 *
 * @param words - words that name a language in a fence of one line
 */
export const unwrapPython = (command: string, words = PYTHON_LANGUAGE.words): FencedCode | TextFault =>
  unwrapCommand(command, {
    words,
    itself: 'the Python code itself, for example upper(text="hello")',
    literal: stringValue,
  });
