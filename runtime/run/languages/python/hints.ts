/** What is said to the authors of programs in Python that fail: the message, and how to correct it. */

import { byCodeUnit } from "../../../contract/canonical.js";
import { closest, editDistance } from "../../../contract/closest.js";
import { GATEWAY_TOOLS } from "../../../contract/gateway-tools.js";
import { packAt } from "../../packs.js";
import { lineText } from "../../source-line.js";
import type { FailedRun, KnownOfFailure } from "../language.js";
import { insteadOf, keywordCall, otherLanguage, pythonName, reservedName } from "./notations.js";
import { missingImport } from "./standard-library.js";
import { ambiguity, noFunction, noProject } from "./unknown-names.js";

/** The gateway tools, which programs cannot call. */
const GATEWAY_NAMES: ReadonlySet<string> = new Set(GATEWAY_TOOLS.map(({ name }) => name));
/** Most ops that are named for an unknown function. */
const MAX_TOOLS = 5;
/** Longest line of code that is looked at, in characters. */
const MAX_LINE_LENGTH = 200;

/** Messages to which a type check adds nothing. */
const SAYS_ENOUGH = /\. (?:Signature|Available|Functions): |^unsupported operand type/;

/** Whether a type check could add anything: exceptions about names and arguments of ops are complete already. */
export const isWorthChecking = ({ kind, name, line, message }: FailedRun): boolean =>
  kind === "runtime" && line !== undefined && name !== "NameError" && !SAYS_ENOUGH.test(message);

const NO_MODULE = /^No module named '(\w+)/;
const UNKNOWN_MEMBER = /^'([\w.]+)' object has no attribute '(\w+)'$/;
const NO_FUNCTION = /^pack '([\w.]+)' has no function '(\w+)'/;
const UNDEFINED = /^name '(\w+)' is not defined/;

/**
 * The message in the form for readers: Python reports an ambiguous name as undefined. Code that Python refuses may be
 * in another language.
 */
export function authorsMessage(failed: FailedRun, known: KnownOfFailure): string {
  const { source } = known.program;
  const { namespace } = known;
  const { kind, name, message, line } = failed;
  const lines = line === undefined ? [] : [lineText(source, line) ?? "", ...source.split("\n", MAX_LOOKED)];
  if (kind === "syntax" && known.misread?.isRun) return message;
  if (kind === "syntax") return otherLanguage(lines, known) ?? reservedName(lines[0] ?? "") ?? message;
  const [, pack = "", member = ""] = (name === "AttributeError" && UNKNOWN_MEMBER.exec(message)) || [];
  if (pack === "proj" && namespace.projects.size > 0) return noProject(member, namespace);
  const held = packAt(namespace.packs, pack.split("."));
  if (held) return noFunction(pack.split("."), member, held, namespace.hidden);
  if (name !== "NameError") return withErrno(message.replace(TIME_ZONE, "No time zone found with key $1"));
  return undefinedText(message, lines.slice(0, 1), known);
}

/** The message about an undefined name of a line, with what Python has in its place. */
function undefinedText(message: string, lines: readonly string[], known: KnownOfFailure): string {
  const name = UNDEFINED.exec(message)?.[1] ?? "";
  const paths = known.program.ambiguous.get(name);
  if (paths) return ambiguity(name, paths);
  const python = pythonName(name);
  if (python !== undefined) return `${message}: Python writes ${python}`;
  const call = keywordCall(lines[0] ?? "", name, known.ops);
  if (call !== undefined) return `${message}: write ${call}`;
  return otherLanguage(lines, known) ?? message;
}

/** Lines of code that is in another language. */
const MAX_LOOKED = 5;
/** WebAssembly numbers the errors of its system otherwise than the systems that readers know. */
const withErrno = (message: string): string =>
  message
    .replace(/^\[Errno \d+\] (?=Permission denied)/, "[Errno 13] ")
    .replace(/^\[Errno \d+\] (?=No such file)/, "[Errno 2] ");
const TIME_ZONE = /^["']No time zone found with key ([\w/+-]{1,60}).*$/s;

/** Lines that help to correct a failure. */
export function runtimeHints(failed: FailedRun, code: string, known: KnownOfFailure): readonly string[] {
  const found = known.hintsOf(failed.message);
  if (found.some((one) => one.startsWith("Next: "))) return found;
  if (failed.name === "NameError" && failed.message.includes("is ambiguous")) return ["Next: write the full name"];
  const next = [...found, ...unknownHints(failed, code, known)];
  if (next.some((one) => one.startsWith("Next: "))) return next;
  const pack = NO_MODULE.exec(failed.message)?.[1] ?? "";
  if (known.namespace.packs.has(pack)) return [`Next: ${pack} is there already; leave the import out`];
  const instead = insteadOf(failed.message, known.can);
  if (instead !== undefined) return [...next, `Next: ${instead}`];
  const member = known.use === undefined ? memberHint(failed, code) : undefined;
  return member === undefined ? next : [...next, `Next: ${member}`];
}

/** Whether an exception is about a method that is used without being called, such as `for t in r.items`. */
export const isUncalled = ({ name, message }: Pick<FailedRun, "name" | "message">): boolean =>
  /^(?:Type|Attribute)Error$/.test(name) && /(?:'|\btype )(?:builtin_function_or_|bound )?method\b/.test(message);

/** What to write for a member that code asks a dict for with a dot: `r.title`, or `r.items`, where `items` is a method of dicts. */
function memberHint(failed: FailedRun, code: string): string | undefined {
  const { message } = failed;
  const unknown =
    failed.name === "AttributeError" ? /^'dict' object has no attribute '(\w+)'$/.exec(message)?.[1] : undefined;
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
function unknownHints(
  { name: type, message }: FailedRun,
  code: string,
  { ops, meantOp }: KnownOfFailure,
): readonly string[] {
  const name = type === "NameError" ? UNDEFINED.exec(message)?.[1] : undefined;
  const path = name ?? NO_FUNCTION.exec(message)?.slice(1).join(".");
  if (path === undefined) return [];
  const near = name === undefined ? [] : nameHints(name, code, ops);
  const op = near.some((one) => one.startsWith("Did you mean")) ? undefined : meantOp(calledPath(path, code));
  return op === undefined ? near : [`Did you mean: ${op}`, ...near];
}

/** The dotted name that a line calls and that begins with a path; the path if the line calls no such name. */
function calledPath(path: string, code: string): string {
  const at = code.indexOf(path);
  const called = at < 0 ? undefined : /^([\p{L}\p{N}_.]{1,200})\s*\(/u.exec(code.slice(at, at + MAX_LINE_LENGTH))?.[1];
  return called ?? path;
}

/** Suggests packs for a name that is used as a pack, the nearest tools for one that is called, and a text for the value of an argument. */
function nameHints(name: string, code: string, ops: readonly string[]): readonly string[] {
  if (GATEWAY_NAMES.has(name)) {
    const op = ops.find((one) => code.includes(`"${one}"`) || code.includes(`'${one}'`)) ?? "pack.entity.verb";
    return [`Next: call ops by their names, as in ${op}(...); ${name} is no function of a program`];
  }
  const after = code.slice(code.indexOf(name) + name.length).trimStart()[0];
  const missing = missingImport(name, code);
  if (missing !== undefined)
    return [...(after === "(" ? toolHints(name, ops) : []), `Next: write "${missing}" above it`];
  if (after === ".") {
    const packs = [...new Set(ops.map((op) => op.split(".")[0] ?? op))].sort(byCodeUnit);
    const next = ops.includes("ot.packs")
      ? `ot.packs() lists packs, ot.help(query="${name}") searches`
      : 'tool_help(path="root") lists packs and their ops';
    return [`Packs: ${packs.join(", ")}`, `Next: ${next}`];
  }
  if (after === "(") return toolHints(name, ops);
  return new RegExp(`[(,]\\s*\\w+\\s*=\\s*${name}\\s*[,)]`).test(code) ? [`Did you mean: "${name}"`] : [];
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
