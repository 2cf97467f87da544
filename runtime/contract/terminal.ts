/**
 * Output of commands: the standard streams, with colours and progress only on a terminal. All that a command prints goes through
 * here, where {@link forTerminal} escapes what a terminal obeys: texts of servers, descriptions and callers are in it.
 */

import { Console } from "node:console";
import { randomBytes } from "node:crypto";
import { Writable } from "node:stream";
import { escapedMark, forTerminal, visibleText } from "./message-text.js";
import { withOwnCommand } from "./own-command.js";

const STYLES = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 } as const;

/** Follows the escape character of our own colours, which no foreign text can know. */
const OURS = randomBytes(12).toString("hex");
const PAINTED = `\\u001b${OURS}`;

/** A text with colours of {@link paint} as a stream gets it. */
const printable = (text: string): string => forTerminal(text).replaceAll(PAINTED, "\u001b");

/** The first character of what a runner of GitHub Actions obeys in the output of a step. */
const WORKFLOW_COMMAND = /(?<=^\s*):(?=:)|#(?=#\[)/gm;

/** In a step of GitHub Actions, the text without commands for its runner. JSON stays JSON of the same value. */
export const withoutCommands = (text: string): string =>
  process.env["GITHUB_ACTIONS"] ? text.replace(WORKFLOW_COMMAND, escapedMark) : text;

/** Writes an annotation for GitHub Actions, whose own texts are escaped as it asks for. */
export const annotate = (text: string): void => void process.stdout.write(printable(text));

/** Writes to standard output. */
export const out = (text: string): void => void process.stdout.write(withoutCommands(printable(text)));
/** Writes to standard error: commands of toolwright are as they are typed here. */
export const err = (text: string): void => void process.stderr.write(withoutCommands(printable(withOwnCommand(text))));
/** Writes what people read to standard output, with commands as in {@link err}; results of calls are for {@link out}. */
export const say = (text: string): void => out(withOwnCommand(text));

/** Resolves once both streams have passed on all that was written, or cannot: the reader of a pipe may be slow. */
export async function flushOutput(): Promise<void> {
  const passedOn = (stream: NodeJS.WriteStream): Promise<void> =>
    new Promise((done) => (stream.writableLength === 0 ? done() : stream.write("", () => done())));
  await Promise.all([process.stdout, process.stderr].map(passedOn));
}

const coloured = (stream: NodeJS.WriteStream): boolean =>
  stream.isTTY === true && process.env["NO_COLOR"] === undefined;

/** The terminal for interactive questions, if there is one. */
export const person = (): {
  readonly terminal?: { readonly input: typeof process.stdin; readonly output: typeof process.stdout };
} =>
  process.stdin.isTTY && process.stdout.isTTY ? { terminal: { input: process.stdin, output: process.stdout } } : {};

/** Colours a text if both streams are terminals, since the same text may go to either. It is for {@link out} and {@link err} only. */
export function paint(style: keyof typeof STYLES, text: string): string {
  return coloured(process.stdout) && coloured(process.stderr)
    ? `\u001b${OURS}[${STYLES[style]}m${text}\u001b${OURS}[0m`
    : text;
}

/** Shows the current stage on one line; without a stage, clears the line. Does nothing without a terminal. */
export function progress(stage: string | undefined): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${stage === undefined ? "" : `${visibleText(stage)} …`}`);
}

/** Makes `console` print to standard error: standard output is for results that programs read, or for the protocol. */
export function consoleOnError(): void {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      err(text);
      done();
    },
  });
  globalThis.console = new Console(stream, stream);
}
