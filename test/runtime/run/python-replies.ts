/** Replies of the engine as `run` gives them, compared with what the machine's own Python makes of the same code. */

import type { CPython } from "../../../runtime/run/engine/cpython.js";
import { formatValue, joinReply } from "../../../runtime/run/format.js";
import { rewrite } from "../../../runtime/run/rewrite.js";
import { type Expected, expectations } from "../../support/run/run-corpus.js";
import { LIMITS, namespaceOf, requestOf } from "../../support/run/run-engine.js";

const NAMES = { aliases: new Map(), packs: new Set<string>(), bare: new Map() };

/** The reply to a piece of code, or what it printed and the exception; undefined if a limit ended it. */
async function replyTo(engine: CPython, code: string): Promise<string | undefined> {
  const request = requestOf(rewrite(code, NAMES).code, namespaceOf({}));
  const outcome = await engine.run(request);
  if (outcome.ok) {
    const value = await formatValue(outcome, { depth: LIMITS.resultDepth, isOt: false });
    return joinReply(request.printed(), value);
  }
  if (["memory", "timeout", "output"].includes(outcome.kind)) return undefined;
  return `${request.printed()}${outcome.pyType}: ${outcome.message}`;
}

/** The text of a set that has a text in it. */
const SET_OF_TEXTS = /\{[^{}:]*'[^{}:]*\}/;

const sorted = (text: string): string => [...text].sort().join("");

/** Where a reply differs from the machine's Python for a reason; `docs/python.md` lists those that hold for any Python. */
const REASONS: readonly (readonly [reason: string, isSo: (expected: Expected, ours: string) => boolean])[] = [
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
    "the order of a set of texts",
    ({ text = "" }, ours) => SET_OF_TEXTS.test(text) && sorted(placed(ours)) === sorted(placed(text)),
  ],
];

/** A text without addresses of objects. */
const placed = (text: string): string => text.replace(/ at 0x[0-9a-f]+/g, " at 0x");

/** Whether a reply is Python's: of an exception its type, since words change between versions. */
function isSame(text: string, { text: value, printed, failed }: Expected): boolean {
  if (!failed) return placed(text) === placed(value ?? "");
  const before = printed === "" ? "" : `${printed}\n`;
  return text.startsWith(`${before}${failed.type}:`) || text === `${before}${failed.type}`;
}

/** A piece of code with another reply than Python's. */
export interface Difference {
  readonly code: string;
  readonly ours: string;
  readonly theirs: unknown;
}

/** The differences, without those of a known reason; prints how many pieces of code a limit ended. */
export async function differences(engine: CPython, codes: readonly string[]): Promise<readonly Difference[]> {
  const replies: (string | undefined)[] = [];
  for (const code of codes) replies.push(await replyTo(engine, code));
  const expected = expectations(codes);
  const differ = replies.flatMap((ours, i): readonly Difference[] => {
    const theirs = expected[i] as Expected;
    if (ours === undefined || isSame(ours, theirs) || REASONS.some(([, isSo]) => isSo(theirs, ours))) return [];
    return [{ code: codes[i] ?? "", ours, theirs: theirs.failed ?? theirs.text }];
  });
  const limited = replies.filter((one) => one === undefined).length;
  process.stdout.write(`${codes.length} pieces of code, ${limited} of them over a limit: ${differ.length} differ\n`);
  return differ;
}
