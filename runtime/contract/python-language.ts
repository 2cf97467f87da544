/** Python, as texts, the configuration and files name it. The core has this language; features add others. */

import type { LanguageFeature, Languages, ProgramLanguage } from "./program-language.js";
import { doubleQuotedPython } from "./python-types.js";
import type { JsonObject } from "./registry.js";

const pythonText = (op: string, args: JsonObject): string =>
  `${op}(${Object.entries(args)
    .map(([name, value]) => `${name}=${doubleQuotedPython(value)}`)
    .join(", ")})`;

/** Python. */
export const PYTHON_LANGUAGE: ProgramLanguage = {
  ...{ name: "python", label: "Python", signature: "python" },
  ...{ words: ["python", "python3", "py"], fence: "py", extensions: [".py"] },
  ...{ call: pythonText, literal: doubleQuotedPython },
  wording: {
    closing: " Starts empty.",
    ...{ form: "pack.tool(arg=...)", calls: "" },
    result: "ot.result(handle=..., offset=..., limit=...), or search=....",
    page: ["pack.tool(key=value)", 'ot.batch(calls=[("pack.tool", {"key": 1}), ...])'],
  },
};

/** All languages: Python, and those of features. */
export const allLanguages = (features: readonly LanguageFeature[] = []): Languages => [
  PYTHON_LANGUAGE,
  ...features.flatMap(({ languages = [] }) => languages),
];
