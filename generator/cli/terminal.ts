/** Output of commands: the standard streams, with colours and progress only on a terminal. */

const STYLES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;

/** Writes to standard output. */
export const out = (text: string): void => void process.stdout.write(text);
/** Writes to standard error. */
export const err = (text: string): void => void process.stderr.write(text);

const coloured = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && process.env["NO_COLOR"] === undefined;

/** The terminal for interactive questions, if there is one. */
export const person = (): {
  readonly terminal?: { readonly input: typeof process.stdin; readonly output: typeof process.stdout };
} =>
  process.stdin.isTTY && process.stdout.isTTY ? { terminal: { input: process.stdin, output: process.stdout } } : {};

/** Colours a text if both streams are terminals, since the same text may go to either. */
export function paint(style: keyof typeof STYLES, text: string): string {
  return coloured(process.stdout) && coloured(process.stderr) ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
}

/** Shows the current stage on one line; without a stage, clears the line. Does nothing without a terminal. */
export function progress(stage: string | undefined): void {
  if (process.stderr.isTTY) err(stage === undefined ? "\r\u001b[K" : `\r\u001b[K${stage} …`);
}
