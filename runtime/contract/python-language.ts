/** Python, as texts, the configuration and files name it. The core has this language; features add others. */

import type { LanguageFeature, Languages, ProgramLanguage } from "./program-language.js";
import type { JsonObject, JsonValue } from "./registry.js";

const pythonText = (op: string, args: JsonObject): string =>
  `${op}(${Object.entries(args)
    .map(([name, value]) => `${name}=${literal(value)}`)
    .join(", ")})`;

/** A value as a Python literal, with texts in double quotes. */
export function literal(value: JsonValue): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value === null) return "None";
  if (typeof value === "string") return JSON.stringify(value).replace(SEPARATOR, escaped);
  if (typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const members = Object.entries(value as JsonObject).map(([key, one]) => `${literal(key)}: ${literal(one)}`);
  return `{${members.join(", ")}}`;
}

/** Characters that JSON leaves unescaped although some programs treat them as line ends. */
const SEPARATOR = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const escaped = (one: string): string => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Python. */
export const PYTHON_LANGUAGE: ProgramLanguage = {
  ...{ name: "python", label: "Python", signature: "python" },
  ...{ words: ["python", "python3", "py"], fence: "py", extensions: [".py"] },
  ...{ call: pythonText, literal },
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
