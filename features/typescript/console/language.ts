/** TypeScript, as the editor of the console writes it. */

import { typescriptCall } from "../../../runtime/contract/typescript-text.js";
import type { EditorLanguage } from "../../../runtime/serve/console/app/languages.js";

/** TypeScript. */
export const LANGUAGE: EditorLanguage = {
  ...{
    name: "typescript",
    signature: "typescript",
    label: "TypeScript",
    fence: /^(?:[cm]?[jt]s|[jt]sx|typescript|javascript)$/i,
    isObject: true,
  },
  call: typescriptCall,
  example: (call) => `// The last expression is the answer; console.log() works, too.\nconst found = ${call};\nfound\n`,
  ...{ opening: /(?:[([{]|=>)$/, indent: "  ", closing: ")]}" },
  texts:
    /`(?:\\[\s\S]|[^`\\])*(?:`|$)|"(?:\\.|[^"\\\n])*(?:"|$)|'(?:\\.|[^'\\\n])*(?:'|$)|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g,
  given: /(?:^|,)\s*(\w+)\s*(?=[:,])/g,
  argument: ({ original }) => original,
};
