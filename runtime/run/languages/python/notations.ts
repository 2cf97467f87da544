/** The notations of programs in Python: one row each, each read into Python. */

import { readLenient } from "../../../call/corrections/lenient-json.js";
import { type CanCall, EVERY_OP } from "../../../catalog/advice.js";
import { isObject } from "../../../contract/json.js";
import { PYTHON_LANGUAGE } from "../../../contract/python-language.js";
import { isPythonName, pythonCall } from "../../../contract/python-types.js";
import type { TextFault } from "../../fault.js";
import type { FencedCode } from "../../fence-processor.js";
import { isSnippet, readSnippetCall, type SnippetCall } from "../../snippet-call.js";
import type { ExampleOps } from "../language.js";

/**
 * A notation of programs. It becomes Python before it runs, so that names, limits and results are the same for every
 * notation. Reading is pure: long code is read in a worker.
 *
 * @example
 * const CALLS: Notation = {
 *   name: "calls",
 *   words: ["calls"],
 *   accepts: (_, fence) => fence === "calls",
 *   read: (text) => ({ kind: "code", code: text.replace(/^(\S+)$/gm, "$1()") }),
 * };
 */
export interface Notation {
  readonly name: string;
  /** Words that name it after the opening backticks of a code fence. */
  readonly words: readonly string[];
  /**
   * Whether a command is in this notation; the first row that accepts it reads it.
   *
   * @param text - the command without trigger and fence
   * @param fence - the word after the opening backticks; empty without one
   */
  accepts(text: string, fence: string): boolean;
  /** The Python code that the text becomes, the call of a snippet, or the fault in the text. */
  read(text: string): FencedCode | SnippetCall | TextFault;
}

const SNIPPET: Notation = { name: "snippet", words: [], accepts: isSnippet, read: readSnippetCall };

const PYTHON_ITSELF: Notation = {
  name: "python",
  words: PYTHON_LANGUAGE.words,
  accepts: () => true,
  read: (code) => ({ kind: "code", code }),
};

/** The notations in the order in which they are asked; Python takes what no other one accepts. */
export const NOTATIONS: readonly Notation[] = [SNIPPET, PYTHON_ITSELF];

/** Reads a command in the first notation that accepts it. */
export function readNotation(
  { code, fence = "" }: FencedCode,
  notations: readonly Notation[],
): ReturnType<Notation["read"]> {
  const notation = notations.find((one) => one.accepts(code, fence)) ?? PYTHON_ITSELF;
  return notation.read(code);
}

/** A language that `run` does not take: how code in it is told that Python has refused, and what to write instead. */
interface OtherLanguage {
  readonly name: string;
  /** What a line of it has, outside of texts; a text with an address is `URL`. */
  readonly looks: RegExp;
  /** @param op - an op of the caller, as an example */
  instead(op: string, line: string, can: CanCall): string;
}

/** Longest line that is looked at, in characters. */
const MAX_LINE_LENGTH = 300;
const TEXT = /"[^"]*"|'[^']*'/g;

const OTHER_LANGUAGES: readonly OtherLanguage[] = [
  {
    name: "SQL",
    looks:
      /^\s*(?:SELECT\s.*\bFROM\b|SELECT\s+(?!(?:in|is|and|or|not|if)\b)\w|WITH\s+(?:RECURSIVE\s+)?\w+\s+AS\s*\(\s*(?:SELECT\b|$)|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|EXPLAIN\s(?:.*\s)?SELECT\b|(?:CREATE|ALTER|DROP|TRUNCATE)\s+TABLE\s)/i,
    instead: (op, _, can) =>
      can("ot.query") ? `x = ${op}(); ot.query(ot.keep(x), "SELECT * FROM r")` : `x = ${op}(); [r for r in x]`,
  },
  {
    name: "a shell command",
    looks:
      /^\s*(?:\$\s+)?(?:ls|cd|cat|curl|wget|grep|echo|git|npm|npx|pip3?|python3?|node|bash|sh|sudo|mkdir|rm|cp|mv|jq|gh|docker|kubectl)(?:\s+(?!=|in\b|is\b|and\b|or\b|not\b)[-./~\w$:]|\s*$)/,
    instead: (op) => `x = ${op}(...); there is no shell`,
  },
  {
    name: "JavaScript",
    looks: /\bfetch\(\s*(?:URL|`)/,
    instead: (op) => `x = ${op}(...); a program has no network`,
  },
  {
    name: "JavaScript",
    looks:
      /^\s*(?:(?:export\s+)?(?:const|let|var)\s+[\w$[{]|(?:async\s+)?function\b|import\s.*\sfrom\s*$|(?:if|for|while)\s*\(.*\)\s*\{|console\.)|=>|[!=]==|&&|\|\||\?\.|\bnew\s+[A-Z]\w*\(/,
    instead: (op, line) => pythonOf(line) ?? `x = ${op}(...)`,
  },
];

/** A call of JavaScript, as Python: `const x = await a.b({c: 1});` is `x = a.b(c=1)`. */
function pythonOf(line: string): string | undefined {
  const form = /^\s*(?:(?:const|let|var)\s+)?(?:([A-Za-z_]\w*)\s*=\s*)?(?:await\s+)?([A-Za-z_][\w.]*)\((.*)\)\s*;?\s*$/;
  const [, name, op = "", given = ""] = form.exec(line) ?? [];
  const args = given.trim() === "" ? {} : readLenient(given);
  if (op === "console.log") return `print(${given})`;
  if (!op.includes(".") || !isObject(args)) return undefined;
  return `${name === undefined ? "" : `${name} = `}${pythonCall(op, args)}`;
}

/**
 * A call of an op with an object of JavaScript, as Python; undefined if the line is no such call.
 *
 * @param name - a key of the object, which Python reads as a variable
 * @param ops - the ops that the caller may call
 */
export function keywordCall(line: string, name: string, ops: readonly string[]): string | undefined {
  const op = /([A-Za-z_][\w.]*)\(\s*\{/.exec(line.slice(0, MAX_LINE_LENGTH))?.[1] ?? "";
  const call = ops.includes(op) && line.length <= MAX_LINE_LENGTH ? pythonOf(line) : undefined;
  return call?.includes(`${name}=`) ? call : undefined;
}

/**
 * What is said of code that Python has refused and that is in another language; undefined if it is in none that is known.
 *
 * @param known - the ops that the caller may call
 */
export function otherLanguage(lines: readonly string[], known: ExampleOps): string | undefined {
  const looked = lines.map((one) => one.slice(0, MAX_LINE_LENGTH));
  for (const line of looked) {
    const bare = line.replaceAll(TEXT, (text) => (/^.https?:/.test(text) ? "URL" : ""));
    const found = OTHER_LANGUAGES.find(({ looks }) => looks.test(bare));
    if (found)
      return `this is ${found.name}; run takes Python. Write: ${found.instead(exampleOp(looked, known), line, known.can ?? EVERY_OP)}`;
  }
  return undefined;
}

/** The op that code names, else one that lists what a table of SQL may hold, or that reads: nobody has asked for a write. */
function exampleOp(lines: readonly string[], { ops, isRead }: ExampleOps): string {
  const named = new Set(lines.flatMap((line) => line.match(/[\w.]+/g) ?? []));
  const reads = ops.filter((op) => isRead(op));
  const own = reads.filter((op) => !op.startsWith("ot."));
  const lists = own.filter((op) => /list/i.test(op.slice(op.lastIndexOf(".") + 1)));
  const table = lines.flatMap((line) => TABLE.exec(line)?.[1] ?? [])[0] ?? "";
  const stem = lettersOf(table).replace(/(?:ies|s)$/, "");
  const near = stem === "" ? undefined : lists.find((op) => lettersOf(op).includes(stem));
  return ops.find((one) => named.has(one)) ?? near ?? lists[0] ?? own[0] ?? reads[0] ?? "pack.op";
}

/**
 * What to write for an argument or an op whose name is a word of Python; undefined if the line has none.
 *
 * @param line - a line that Python has refused
 */
export function reservedName(line: string): string | undefined {
  const bare = line.slice(0, MAX_LINE_LENGTH).replaceAll(TEXT, '"…"');
  const given = [...bare.matchAll(/(?:[(,]|^)\s*([A-Za-z]\w*)\s*=(?!=)\s*("…")?/g)];
  const [, word, value = "…"] = given.find(([, name = ""]) => !isPythonName(name)) ?? [];
  if (word !== undefined) return `${word} is a word of Python: write ${word}_=${value}`;
  const member = [...bare.matchAll(/\.([A-Za-z]\w*)\s*\(/g)].find(([, name = ""]) => !isPythonName(name))?.[1];
  return member && `${member} is a word of Python: write .${member}_(…)`;
}

/** The table of a statement of SQL. */
const TABLE = /\b(?:FROM|INTO|UPDATE|TABLE)\s+["'`]?(\w+)/i;
const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");

/** Names of other languages, with what Python has in their place. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["null", "None"],
  ["undefined", "None"],
  ["true", "True"],
  ["false", "False"],
  ["console", "print(...)"],
  ["JSON", "json.dumps(...), after import json"],
]);

/** What Python has in place of a name of another language. */
export const pythonName = (name: string): string | undefined => OTHER_NAMES.get(name);

/** What programs do not have, by what their exceptions say, with what to write instead, and that without `ot.query`. */
const LACKING: readonly (readonly [says: RegExp, instead: string, without?: string])[] = [
  [
    /\bmodule(?: named)? '(?:requests|httpx|aiohttp|urllib\w*|socket|ssl|http|websockets?|ftplib|smtplib)\b/,
    "a program has no network: ops call servers",
  ],
  [/\bmodule(?: named)? '(?:subprocess|pty|pexpect|sh)\b/, "a program starts no processes: ops do what it needs"],
  [
    /\bmodule(?: named)? '(?:_?threading|_thread|multiprocessing|_multiprocessing|joblib|trio)\b|^can't start new thread/,
    "a program has no threads: await asyncio.gather(a(), b()) makes calls at once",
  ],
  [
    /\bmodule(?: named)? '(?:pandas|numpy|polars|scipy|duckdb)\b/,
    "lists and dicts hold the data, and ot.query(ot.keep(rows), sql) asks them",
    "lists and dicts hold the data, and comprehensions, sorted() and sum() ask them",
  ],
  [/\bmodule(?: named)? '/, "only modules of Python itself are there"],
  [
    /^\[Errno \d+\] (?:Permission denied|No such file)/,
    "a program has no files: ops give the data, and the value is the answer",
  ],
  [/^["']?No time zone found/, "no time zones have names here: datetime.timezone(datetime.timedelta(hours=2))"],
];

/** What to write in place of what a program does not have. */
export function insteadOf(message: string, can: CanCall = EVERY_OP): string | undefined {
  const [, instead, without = instead] = LACKING.find(([says]) => says.test(message)) ?? [];
  return can("ot.query") ? instead : without;
}
