/** A failure of `run` before any code runs. */

/** A failure `type: message`, with the lines that an error text adds below it. */
export interface TextFault {
  readonly kind: "fault";
  /** `SyntaxError`, `SnippetError` */
  readonly type: string;
  readonly message: string;
  readonly hints: readonly string[];
}

const NEXT = "Next: ";

/** A fault with another step to take than its own. */
export const withNext = (fault: TextFault, step: string): TextFault => {
  const own = fault.hints.map((line) => (line.includes(NEXT) ? line.slice(0, line.indexOf(NEXT)).trimEnd() : line));
  return { ...fault, hints: [...own.filter((line) => line !== ""), `${NEXT}${step}`] };
};

/** Makes a fault. */
export const textFault = (type: string, message: string, ...hints: readonly string[]): TextFault => ({
  kind: "fault",
  type,
  message,
  hints,
});
