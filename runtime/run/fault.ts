/** A failure of `run` before any code runs. */

/** A failure `type: message`, with the lines that an error text adds below it. */
export interface TextFault {
  readonly kind: "fault";
  /** `SyntaxError`, `SnippetError` */
  readonly type: string;
  readonly message: string;
  readonly hints: readonly string[];
}

/** Makes a fault. */
export const textFault = (type: string, message: string, ...hints: readonly string[]): TextFault => ({
  kind: "fault",
  type,
  message,
  hints,
});
