/** Builds the text of a failed run: its output, the error and its place, the calls made, and the next step. */

import { EVERY_OP, resumeNext } from "../catalog/advice.js";
import { byCodeUnit } from "../contract/canonical.js";
import { closest, editDistance } from "../contract/closest.js";
import { GATEWAY_TOOLS } from "../contract/gateway-tools.js";
import type { RunOutcome } from "./engine/engine.js";
import type { TextFault } from "./fault.js";
import {
  type ExampleOps,
  insteadOf,
  keywordCall,
  otherLanguage,
  pythonName,
  reservedName,
} from "./languages/python/notations.js";
import { lineText } from "./languages/python/python-tree.js";
import type { RewrittenCode } from "./languages/python/rewrite.js";
import type { CodeFinding } from "./languages/python/type-check.js";
import { ambiguity, LATER, noFunction, noProject, type PackProxy } from "./pack-proxy.js";
import { packAt } from "./packs.js";
import type { WrittenCalls } from "./written.js";

/** A failed run. */
export type FailedRun = Extract<RunOutcome, { readonly ok: false }>;

/** Context of the text besides the outcome. */
export interface FailureParts extends ExampleOps {
  readonly rewritten: RewrittenCode;
  readonly proxy: PackProxy;
  /** Findings of a type check. */
  readonly findings: readonly CodeFinding[];
  /** What its writes have done. */
  readonly written: WrittenCalls;
  /** What the answer of a call has that the code read as something else. */
  readonly use?: string | undefined;
  /** The id of the run, if it can be resumed. */
  readonly resumable?: string | undefined;
  /** The id of the run after which a corrected program can go on. */
  readonly correctable?: string | undefined;
}

/** The gateway tools, which programs cannot call. */
const GATEWAY_NAMES: ReadonlySet<string> = new Set(GATEWAY_TOOLS.map(({ name }) => name));
/** Most ops that are named for an unknown function. */
const MAX_TOOLS = 5;
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
  const { rewritten, proxy, written, use } = parts;
  const { pyType, line } = failed;
  const message = messageOf(failed, parts);
  const said = use === undefined ? message : `${message}. ${use}`;
  const place = line === undefined ? "" : ` at line ${line}`;
  const code = line === undefined ? undefined : lineText(rewritten.source, line);
  const hints = hintsFor({ ...failed, message }, code ?? "", parts);
  const calls = [...proxy.calls].map(([op, count]) => `${op} (${count})`).join(", ");
  const made = calls === "" ? [] : [`Calls already made: ${calls}`];
  const isNext = (hint: string): boolean => hint.startsWith("Next: ");
  const about = [
    `Error${place}: ${pyType}${said === "" ? "" : `: ${shown(said)}`}`,
    ...(code === undefined || line === undefined ? [] : [`  ${line} | ${code.trim().slice(0, MAX_LINE_LENGTH)}`]),
    ...hints.filter((hint) => !isNext(hint)),
    ...parts.findings.filter((one) => one.line === line).map((one) => `Check: ${one.message}`),
    ...(written.lines.length > 0 ? written.lines : made),
  ];
  return { about: about.join("\n"), next: hints.filter(isNext) };
}

/** Messages to which a type check adds nothing. */
const SAYS_ENOUGH = /\. (?:Signature|Available|Functions): |^unsupported operand type/;

/** Whether a type check could add anything: exceptions about names and arguments of ops are complete already. */
export const isWorthChecking = ({ kind, pyType, line, message }: FailedRun): boolean =>
  kind === "runtime" && line !== undefined && pyType !== "NameError" && !SAYS_ENOUGH.test(message);

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

const NO_MODULE = /^No module named '(\w+)/;
const UNKNOWN_MEMBER = /^'([\w.]+)' object has no attribute '(\w+)'$/;
const NO_FUNCTION = /^pack '([\w.]+)' has no function '(\w+)'/;
const UNDEFINED = /^name '(\w+)' is not defined/;

/**
 * The message in the form for readers: Python reports an ambiguous name as undefined. Code that Python refuses may be
 * in another language.
 */
function messageOf(failed: FailedRun, parts: FailureParts): string {
  const { source } = parts.rewritten;
  const { proxy } = parts;
  const { kind, pyType, message, line } = failed;
  const lines = line === undefined ? [] : [lineText(source, line) ?? "", ...source.split("\n", MAX_LOOKED)];
  if (kind === "syntax") return otherLanguage(lines, parts) ?? reservedName(lines[0] ?? "") ?? message;
  const [, pack = "", member = ""] = (pyType === "AttributeError" && UNKNOWN_MEMBER.exec(message)) || [];
  if (pack === "proj" && proxy.namespace.projects.size > 0) return noProject(member, proxy.namespace);
  const held = packAt(proxy.namespace.packs, pack.split("."));
  if (held) return noFunction(pack.split("."), member, held, proxy.namespace.hidden);
  if (pyType !== "NameError") return withErrno(message.replace(TIME_ZONE, "No time zone found with key $1"));
  return undefinedText(message, lines.slice(0, 1), parts);
}

/** The message about an undefined name of a line, with what Python has in its place. */
function undefinedText(message: string, lines: readonly string[], parts: FailureParts): string {
  const name = UNDEFINED.exec(message)?.[1] ?? "";
  const paths = parts.rewritten.ambiguous.get(name);
  if (paths) return ambiguity(name, paths);
  const python = pythonName(name);
  if (python !== undefined) return `${message}: Python writes ${python}`;
  const call = keywordCall(lines[0] ?? "", name, parts.ops);
  if (call !== undefined) return `${message}: write ${call}`;
  return otherLanguage(lines, parts) ?? message;
}

/** Lines of code that is in another language. */
const MAX_LOOKED = 5;
/** WebAssembly numbers the errors of its system otherwise than the systems that readers know. */
const withErrno = (message: string): string =>
  message
    .replace(/^\[Errno \d+\] (?=Permission denied)/, "[Errno 13] ")
    .replace(/^\[Errno \d+\] (?=No such file)/, "[Errno 2] ");
const TIME_ZONE = /^["']No time zone found with key ([\w/+-]{1,60}).*$/s;

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
function hintsFor(failed: FailedRun, code: string, parts: FailureParts): readonly string[] {
  const { hint } = parts.rewritten;
  const isSyntax = failed.kind === "syntax";
  const own = isSyntax && hint !== undefined ? [`Next: ${hint}`] : [];
  const hints = failed.kind === "runtime" ? runtimeHints(failed, code, parts) : own;
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

function runtimeHints(failed: FailedRun, code: string, parts: FailureParts): readonly string[] {
  const { proxy } = parts;
  const known = proxy.hintsOf(failed.message);
  if (known.some((one) => one.startsWith("Next: "))) return known;
  if (failed.pyType === "NameError" && failed.message.includes("is ambiguous")) return ["Next: write the full name"];
  const next = [...known, ...unknownHints(failed, code, parts)];
  if (next.some((one) => one.startsWith("Next: "))) return next;
  const pack = NO_MODULE.exec(failed.message)?.[1] ?? "";
  if (proxy.namespace.packs.has(pack)) return [`Next: ${pack} is there already; leave the import out`];
  const instead = insteadOf(failed.message, parts.can);
  if (instead !== undefined) return [...next, `Next: ${instead}`];
  const member = parts.use === undefined ? memberHint(failed, code) : undefined;
  return member === undefined ? next : [...next, `Next: ${member}`];
}

/** Whether an exception is about a method that is used without being called, such as `for t in r.items`. */
export const isUncalled = ({ pyType, message }: Pick<FailedRun, "pyType" | "message">): boolean =>
  /^(?:Type|Attribute)Error$/.test(pyType) && /(?:'|\btype )(?:builtin_function_or_|bound )?method\b/.test(message);

/** What to write for a member that code asks a dict for with a dot: `r.title`, or `r.items`, where `items` is a method of dicts. */
function memberHint(failed: FailedRun, code: string): string | undefined {
  const { pyType, message } = failed;
  const unknown =
    pyType === "AttributeError" ? /^'dict' object has no attribute '(\w+)'$/.exec(message)?.[1] : undefined;
  const uncalled = isUncalled(failed) ? METHOD.exec(code.slice(0, MAX_LINE_LENGTH)) : undefined;
  const [, name, index] = uncalled ?? [undefined, unknown];
  if (name === undefined) return undefined;
  if (uncalled && index === undefined)
    return `.${name} is a method of dicts: write .${name}() to call it, or ["${name}"] for that key`;
  return `results are dicts: write ["${name}"] instead of .${name}`;
}

/** A method of dicts that is not called, and whether it is read like a list. */
const METHOD = /\.(items|keys|values|get|copy|pop|update)\b(?!\s*\()\s*(\[)?/;

/** Suggestions for an undefined name, and for a function that a pack does not have. */
function unknownHints({ pyType, message }: FailedRun, code: string, { proxy, ops }: FailureParts): readonly string[] {
  const name = pyType === "NameError" ? UNDEFINED.exec(message)?.[1] : undefined;
  const path = name ?? NO_FUNCTION.exec(message)?.slice(1).join(".");
  if (path === undefined) return [];
  const near = name === undefined ? [] : nameHints(name, code, ops);
  const op = near.some((one) => one.startsWith("Did you mean")) ? undefined : proxy.meantOp(calledPath(path, code));
  return op === undefined ? near : [`Did you mean: ${op}`, ...near];
}

/** The dotted name that a line calls and that begins with a path; the path if the line calls no such name. */
function calledPath(path: string, code: string): string {
  const at = code.indexOf(path);
  const called = at < 0 ? undefined : /^([\p{L}\p{N}_.]{1,200})\s*\(/u.exec(code.slice(at, at + MAX_LINE_LENGTH))?.[1];
  return called ?? path;
}

/** Suggests packs for a name that is used as a pack, and the nearest tools for one that is called. */
function nameHints(name: string, code: string, ops: readonly string[]): readonly string[] {
  if (GATEWAY_NAMES.has(name)) {
    const op = ops.find((one) => code.includes(`"${one}"`) || code.includes(`'${one}'`)) ?? "pack.entity.verb";
    return [`Next: call ops by their names, as in ${op}(...); ${name} is no function of a program`];
  }
  const after = code.slice(code.indexOf(name) + name.length).trimStart()[0];
  if (after === ".") {
    const packs = [...new Set(ops.map((op) => op.split(".")[0] ?? op))].sort(byCodeUnit);
    const next = ops.includes("ot.packs")
      ? `ot.packs() lists packs, ot.help(query="${name}") searches`
      : 'tool_help(path="root") lists packs and their ops';
    return [`Packs: ${packs.join(", ")}`, `Next: ${next}`];
  }
  return after === "(" ? toolHints(name, ops) : [];
}

/** Ops whose last part is near to a name, nearest first; those of exactly the nearest part are what is meant. */
function toolHints(name: string, ops: readonly string[]): readonly string[] {
  const lastOf = (op: string): string => op.slice(op.lastIndexOf(".") + 1);
  const near = closest(name, ops.map(lastOf));
  if (near === undefined) return [];
  const isNear = new Map(ops.map(lastOf).map((last) => [last, closest(name, [last]) !== undefined]));
  const distance = (op: string): number => editDistance(name.toLowerCase(), lastOf(op).toLowerCase());
  const ranked = ops
    .filter((op) => isNear.get(lastOf(op)))
    .sort((a, b) => distance(a) - distance(b) || byCodeUnit(a, b));
  const meant = ranked.filter((op) => lastOf(op) === near);
  const others = ranked.filter((op) => lastOf(op) !== near).slice(0, Math.max(0, MAX_TOOLS - meant.length));
  return [
    `Did you mean: ${meant.slice(0, MAX_TOOLS).join(", ")}`,
    ...(others.length > 0 ? [`Tools: ${others.join(", ")}`] : []),
  ];
}
