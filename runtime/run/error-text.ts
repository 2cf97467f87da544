/** Builds the text of a failed run: its output, the error and its place, the calls made, and the next step. */

import { EVERY_OP, resumeNext } from "../catalog/advice.js";
import type { TextFault } from "./fault.js";
import type { CodeFinding, ExampleOps, FailedRun, KnownOfFailure, Misread, Program } from "./languages/language.js";
import { LATER, type PackProxy } from "./pack-proxy.js";
import { lineText } from "./source-line.js";
import type { WrittenCalls } from "./written.js";

/** Context of the text besides the outcome. */
export interface FailureParts extends ExampleOps {
  readonly program: Program;
  readonly proxy: PackProxy;
  /** Findings of a type check. */
  readonly findings: readonly CodeFinding[];
  /** What its writes have done. */
  readonly written: WrittenCalls;
  /** What the answer of a call has that the code read as something else. */
  readonly use?: string | undefined;
  /** What the code looks like, if its language refuses it. */
  readonly misread?: Misread | undefined;
  /** The id of the run, if it can be resumed. */
  readonly resumable?: string | undefined;
  /** The id of the run after which a corrected program can go on. */
  readonly correctable?: string | undefined;
}

/** Longest line of code in the text, in characters. */
const MAX_LINE_LENGTH = 200;

/** The text of a failure before any code ran. */
export const faultText = ({ type, message, hints }: TextFault): string =>
  [`Error: ${type}: ${message}`, ...hints].join("\n");

/** The text of a failed run, without its output: what is said about it, which may hold foreign text, and what to do next. */
interface FailureText {
  readonly about: string;
  readonly next: readonly string[];
}

/** The text of a failed run. */
export function failureText(failed: FailedRun, parts: FailureParts): FailureText {
  const { program, proxy, written, use } = parts;
  const { name, line } = failed;
  const { namespace, hintsOf, meantOp } = proxy;
  const known: KnownOfFailure = { ...parts, namespace, hintsOf, meantOp };
  const message = program.language.texts.message(failed, known);
  const said = use === undefined ? message : `${message}. ${use}`;
  const place = line === undefined ? "" : ` at line ${line}`;
  const code = line === undefined ? undefined : lineText(program.source, line);
  const hints = hintsFor({ ...failed, message }, code ?? "", known, parts);
  const calls = [...proxy.calls].map(([op, count]) => `${op} (${count})`).join(", ");
  const made = calls === "" ? [] : [`Calls already made: ${calls}`];
  const isNext = (hint: string): boolean => hint.startsWith("Next: ");
  const about = [
    `Error${place}: ${name}${said === "" ? "" : `: ${shown(said)}`}`,
    ...(code === undefined || line === undefined ? [] : [`  ${line} | ${code.trim().slice(0, MAX_LINE_LENGTH)}`]),
    ...hints.filter((hint) => !isNext(hint)),
    ...parts.findings.filter((one) => one.line === line).map((one) => `Check: ${one.message}`),
    ...(written.lines.length > 0 ? written.lines : made),
  ];
  return { about: about.join("\n"), next: hints.filter(isNext) };
}

/** Longest message in the text, in characters. */
const MAX_MESSAGE_LENGTH = 2000;

/**
 * A message in the text: bounded, and with its further lines indented, so that none of them looks like a line of the
 * report.
 */
const shown = (message: string): string => {
  const cut = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message;
  return cut.replaceAll("\n", "\n    ");
};

const placeOf = ({ line }: FailedRun): string => (line === undefined ? "the code" : `line ${line}`);

const correct = (place: string): string => `correct ${place}`;
const doLess = (place: string): string => `let ${place} do less`;
/** How the code is changed, by what ended it; nothing where the same code may be sent again. */
const CHANGES: Readonly<Partial<Record<FailedRun["kind"], (place: string) => string>>> = {
  ...{ syntax: correct, runtime: correct },
  ...{ timeout: doLess, memory: doLess, output: doLess },
};

/** What to send next, of a run that wrote nothing. */
function againText({ kind, line }: FailedRun, change: string | undefined, hasCalls: boolean): string | undefined {
  if (kind === "syntax") return `correct line ${line ?? 1} and send the whole code again`;
  if (change !== undefined) return `${change} and send the whole code again; no variables are kept.`;
  if (kind === "cancelled") return undefined;
  const again = hasCalls ? "check their effect first, then send the code again" : "send the code again";
  return kind === "crashed"
    ? `${again}; if the interpreter stops once more, the code stops it: change the code`
    : again;
}

/** What to send next. What was written is never to be sent again. */
function sendNext(
  failed: FailedRun,
  { written, resumable, correctable, proxy, can = EVERY_OP }: FailureParts,
): string | undefined {
  if (resumable !== undefined) return resumeNext(resumable, "goes on where it was", can);
  const change = isForLater(failed, proxy) ? undefined : CHANGES[failed.kind]?.(placeOf(failed));
  if (written.lines.length === 0) return againText(failed, change, proxy.calls.size > 0);
  const before = [
    ...(written.uncertain.length > 0 ? ["read what may have been written"] : []),
    ...(change === undefined ? [] : [change]),
  ];
  if (correctable !== undefined) {
    const first = before.length === 0 ? "" : `${before.join(", then ")} and `;
    const or = written.hasIds ? "with the ids above" : "with what is left";
    return `${first}send the whole code with after="${correctable}": calls with these arguments are not made again. Or continue ${or}.`;
  }
  const steps = [...before, `send only what is left${written.hasIds ? ", with the ids above" : ""}`];
  return `do not send these calls again: ${steps.join(", then ")}; no variables are kept.`;
}

/** The lines that help to correct a failure, and what to send next unless one of them says it. */
function hintsFor(failed: FailedRun, code: string, known: KnownOfFailure, parts: FailureParts): readonly string[] {
  const { hint, language } = parts.program;
  const isSyntax = failed.kind === "syntax";
  if (isSyntax && parts.misread?.isRun) return [`${NEXT}${parts.misread.advice}`];
  const own = isSyntax && hint !== undefined ? [`${NEXT}${hint}`] : [];
  const hints = failed.kind === "runtime" ? language.texts.hints(failed, code, known) : own;
  const hasWritten = parts.written.lines.length > 0;
  const said = hints.filter((one) => one.startsWith(NEXT) && !(hasWritten && one === LATER));
  const isSaid = !isSyntax && !hasWritten && said.length > 0;
  const next = isSaid ? undefined : sendNext(failed, parts);
  const steps = [...said.map((one) => one.slice(NEXT.length)), ...(next === undefined ? [] : [next])];
  return [...hints.filter((one) => !one.startsWith(NEXT)), ...(steps.length > 0 ? [`${NEXT}${steps.join("; ")}`] : [])];
}

const NEXT = "Next: ";

/** Whether a service failed, and not the code. */
const isForLater = ({ message }: FailedRun, { hintsOf }: PackProxy): boolean => hintsOf(message).includes(LATER);
