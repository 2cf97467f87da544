/** Replies of the engine as `run` gives them, compared with what the machine's own Python makes of the same code. */

import type { PooledEngine } from "../../../runtime/run/engine/pooled-engine.js";
import { joinReply } from "../../../runtime/run/format.js";
import { rewrite } from "../../../runtime/run/languages/python/rewrite.js";
import { formatValue } from "../../../runtime/run/languages/python/value-text.js";
import { type Expected, expectations } from "../../support/run/run-corpus.js";
import { LIMITS, namespaceOf, requestOf } from "../../support/run/run-engine.js";

const NAMES = { aliases: new Map(), packs: new Set<string>(), bare: new Map() };

/** The reply to a piece of code, or what it printed and the exception; undefined if a limit ended it. */
async function replyTo(engine: PooledEngine, code: string): Promise<string | undefined> {
  const request = requestOf(rewrite(code, NAMES).code, namespaceOf({}));
  const outcome = await engine.run(request);
  if (outcome.ok) {
    const value = await formatValue(outcome, { depth: LIMITS.resultDepth, isOt: false });
    return joinReply(request.printed(), value);
  }
  if (["memory", "timeout", "output"].includes(outcome.kind)) return undefined;
  return `${request.printed()}${outcome.name}: ${outcome.message}`;
}

/** Code that makes a set; its order is that of the hashes, and of how a version of Python builds it. */
const MAKES_SET = /set\(|\{[^{}]*,[^{}]*\}/;
/** Code that takes items out of something in its order. */
const IN_ORDER = /\b(?:list|tuple|iter|next|zip|enumerate|map|filter|pop)\(|\bfor\b|\*/;

/** A text with its numbers and names left out. */
const withoutItems = (text: string): string => text.replace(/[\w.+-]+/g, "");

const sorted = (text: string): string => [...text].sort().join("");

/** Where a reply differs from the machine's Python for a reason; `docs/python.md` lists those that hold for any Python. */
const REASONS: readonly (readonly [
  reason: string,
  isSo: (expected: Expected, ours: string, code: string) => boolean,
])[] = [
  [
    "a whole number of more than 4300 digits is a result, if not a text",
    ({ failed }) => failed?.message.startsWith("Exceeds the limit (4300") === true,
  ],
  [
    "the machine's Python took too long, or too much memory",
    ({ failed }) => failed?.type === "TimeoutError" || failed?.type === "MemoryError",
  ],
  ["the depth at which recursion ends is a limit of its own", ({ failed }) => failed?.type === "RecursionError"],
  ["slices have hashes since Python 3.12", ({ failed }) => failed?.message === "unhashable type: 'slice'"],
  [
    "whole numbers have is_integer since Python 3.12",
    ({ failed }) => /'(?:int|bool)' object has no attribute 'is_integer'/.test(failed?.message ?? ""),
  ],
  [
    "chr() of a large number is a ValueError since Python 3.14",
    ({ failed }, ours) => failed?.type === "OverflowError" && ours.includes("ValueError: chr()"),
  ],
  ["an index has 32 bits", (_, ours) => ours.includes("OverflowError: cannot fit 'int' into an index-sized integer")],
  ["a hash has 32 bits", (_, __, code) => code.includes("hash(")],
  ["a function is no result", (_, ours) => ours.startsWith("TypeError: the value is a function")],
  [
    "the order of a set",
    ({ text = "" }, ours, code) =>
      MAKES_SET.test(code) &&
      (sorted(placed(ours)) === sorted(placed(text)) ||
        (IN_ORDER.test(code) && withoutItems(ours) === withoutItems(text))),
  ],
];

/** A text without addresses of objects. */
const placed = (text: string): string =>
  text.replace(/ at 0x[0-9a-f]+/g, " at 0x").replaceAll("<function exact_sum at 0x>", "<built-in function sum>");

/** Whether a reply is Python's: of an exception its type, since words change between versions. */
function isSame(text: string, { text: value, printed = "", failed }: Expected): boolean {
  if (!failed) return placed(text) === placed(value ?? "");
  const error = text.startsWith(printed) ? text.slice(printed.length).trimStart() : "";
  return error.startsWith(`${failed.type}:`) || error === failed.type;
}

/** A piece of code with another reply than Python's. */
export interface Difference {
  readonly code: string;
  readonly ours: string;
  readonly theirs: unknown;
}

/** The differences, without those of a known reason; prints how many pieces of code a limit ended. */
export async function differences(engine: PooledEngine, codes: readonly string[]): Promise<readonly Difference[]> {
  const replies: (string | undefined)[] = [];
  for (const code of codes) replies.push(await replyTo(engine, code));
  const expected = expectations(codes);
  const differ = replies.flatMap((ours, i): readonly Difference[] => {
    const [theirs, code] = [expected[i] as Expected, codes[i] as string];
    if (ours === undefined || isSame(ours, theirs) || REASONS.some(([, isSo]) => isSo(theirs, ours, code))) return [];
    return [{ code, ours, theirs: theirs.failed ?? theirs.text }];
  });
  const limited = replies.filter((one) => one === undefined).length;
  process.stdout.write(`${codes.length} pieces of code, ${limited} of them over a limit: ${differ.length} differ\n`);
  return differ;
}
