/** Code without its texts and comments, for what is recognized by its form. */

/** Texts and comments of both languages: what stands in them says nothing. */
const QUIET =
  /"""[\s\S]*?(?:"""|$)|'''[\s\S]*?(?:'''|$)|\/\*[\s\S]*?(?:\*\/|$)|`(?:[^`\\]|\\[\s\S])*(?:`|$)|"(?:[^"\\\n]|\\.)*(?:"|(?=\n)|$)|'(?:[^'\\\n]|\\.)*(?:'|(?=\n)|$)|\/\/[^\n]*|(?<![\w$])#[^\n]*/g;

/** What stays, by how a text or a comment begins. */
const LEFT: readonly (readonly [start: RegExp, left: string])[] = [
  [/^`/, "`"],
  [/^(?:"""|''')/, '""""""'],
  [/^# /, "# "],
  [/^#/, ""],
  [/^\/[/*]/, "//"],
];

/**
 * Code whose texts are empty and whose comments are gone; of what one language alone has, the beginning stays: a backtick, `"""`, `# `, `//`.
 *
 * @example
 * quietCode('x = f"{a}"  # no const') // "x = f''  # "
 */
export const quietCode = (code: string): string =>
  code.replace(QUIET, (text) => LEFT.find(([start]) => start.test(text))?.[1] ?? "''");
