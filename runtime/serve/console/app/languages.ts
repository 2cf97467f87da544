/** The languages of programs, as the editor writes them. */

import { namedLanguages } from "../../../contract/program-language.js";
import { pythonCall } from "../../../contract/python-types.js";
import type { JsonObject, Parameter, Tool } from "../../../contract/registry.js";

/** How programs of a language are written. */
export interface EditorLanguage {
  /** As `run.languages` has it. */
  readonly name: string;
  /** The signatures of ops that its authors see. */
  readonly signature: keyof Tool["signature"];
  readonly label: string;
  /** Words of a code fence. */
  readonly fence: RegExp;
  /** A call of an op. */
  call(op: string, args: JsonObject, parameters?: readonly Parameter[]): string;
  /** A program to begin with. */
  example(call: string): string;
  /** The end of a line after which the next one is indented deeper, and how much. */
  readonly opening: RegExp;
  readonly indent: string;
  /** Characters that end a block and stand as deep as the line that opened it. */
  readonly closing: string;
  /** Texts and comments, which may go on to the end. */
  readonly texts: RegExp;
  /** The name of an argument in a call that has it already. */
  readonly given: RegExp;
  /** Whether the arguments of a call are one object. */
  readonly isObject: boolean;
  /** How an argument is named in a call. */
  argument(parameter: Parameter): string;
}

const PYTHON: EditorLanguage = {
  ...{ name: "python", signature: "python", label: "Python", fence: /^(?:py|python3?)$/i, isObject: false },
  call: pythonCall,
  example: (call) => `# The last expression is the answer; print() works, too.\nfound = ${call}\nfound\n`,
  ...{ opening: /:$/, indent: "    ", closing: "" },
  texts: /("""|''')[\s\S]*?(?:\1|$)|"(?:\\.|[^"\\\n])*(?:"|$)|'(?:\\.|[^'\\\n])*(?:'|$)|#[^\n]*/g,
  given: /(\w+)\s*=(?!=)/g,
  argument: ({ name }) => name,
};

/** The languages of these names; without any that is known here, Python. @param added - those of features */
export const editorLanguages = (names: readonly string[], added: readonly EditorLanguage[] = []) =>
  namedLanguages(names, [PYTHON, ...added]);

/** The code of a fence of one of the languages; undefined for other code. */
export function fencedProgram(
  languages: readonly EditorLanguage[],
  text: string,
): { readonly code: string; readonly language: EditorLanguage } | undefined {
  const [, word = "", code = ""] = /^\s*```(\w+)\n([\s\S]*?)\n```\s*$/.exec(text) ?? [];
  const language = languages.find(({ fence }) => fence.test(word));
  return language && { code, language };
}

/** Whether code has a language of its own: in a fence, or as a call of a snippet. */
export const namesLanguage = (code: string): boolean => /^\s*(?:```|\$\w)/.test(code);
