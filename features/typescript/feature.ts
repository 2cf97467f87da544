/** TypeScript, as a language of programs: read by its compiler, run without types by QuickJS. */

import type { Feature } from "../../core/feature.js";
import { typescriptCall, typescriptLiteral } from "../../runtime/contract/typescript-text.js";
import type { AddedLanguage } from "../../runtime/run/languages/table.js";
import { TYPESCRIPT_FENCE_WORDS, TYPESCRIPT_LABEL } from "./words.js";

/** How a project begins with it: nothing of it is imported before a program needs it. */
const TYPESCRIPT_LANGUAGE: AddedLanguage = {
  name: "typescript",
  label: TYPESCRIPT_LABEL,
  words: TYPESCRIPT_FENCE_WORDS,
  fence: "ts",
  extensions: [".ts", ".mts", ".js", ".mjs"],
  signature: "typescript",
  hasTypes: true,
  call: typescriptCall,
  literal: typescriptLiteral,
  wording: {
    form: "await pack.tool({ arg: ... })",
    calls: "A call takes one object or none; one that fails throws a ToolError with code, op and details.",
    result: "await ot.result({ handle, offset, limit }), or search.",
    page: ["await pack.tool({ key: value })", 'await ot.batch({ calls: [["pack.tool", { key: 1 }], ...] })'],
    inSkill:
      "A call in TypeScript takes one object or none, and gives a promise; one that fails throws a `ToolError` with `code`, `op` and `details`",
  },
  snippetWorker: async () => (await import("./snippet-program.js")).snippetProgram(),
  looks: async (code) => (await import("./form.js")).looksOfTypescript(code),
  load: async () => (await import("./language.js")).TYPESCRIPT,
};

/** TypeScript. */
export const TYPESCRIPT_PROGRAMS: Feature = {
  name: "typescript",
  languages: [TYPESCRIPT_LANGUAGE],
};
