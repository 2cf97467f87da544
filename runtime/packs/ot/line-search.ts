/**
 * Searches lines: with a caller's regular expression, within a time limit, in a worker thread that can be terminated; or
 * for words that are similar to a query.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { type Signal, ToolFailure } from "../../contract/handler.js";
import { textRepr } from "../../run/text-repr.js";
import { valueError } from "./info.js";
import { nearnessOf } from "./nearness.js";

const LIMIT_MS = 1000;

/**
 * Reports its start, so that starting the thread does not count. Compiling the pattern does, since it may be slow too.
 */
const PROGRAM = `
const { parentPort, workerData: { lines, pattern } } = require("node:worker_threads");
parentPort.postMessage("started");
try {
  const expression = new RegExp(pattern, "iu");
  parentPort.postMessage({ found: lines.flatMap((line, at) => {
    const from = line.search(expression);
    return from < 0 ? [] : [{ at, from }];
  }) });
} catch (error) {
  parentPort.postMessage({ invalid: String(error.message) });
}
`;

/** A line that was found: its index, and where in it the match begins. */
export interface FoundLine {
  readonly at: number;
  readonly from: number;
}

type Message = "started" | { readonly found: readonly FoundLine[] } | { readonly invalid: string };

/**
 * The lines that match a pattern, ignoring case.
 *
 * @throws ToolFailure for an invalid pattern, and for one that takes too long
 */
export function matchingLines(
  lines: readonly string[],
  pattern: string,
  signal: Signal,
): Promise<readonly FoundLine[]> {
  const worker = new Worker(PROGRAM, { eval: true, env: {}, execArgv: [], workerData: { lines, pattern } });
  const caller = signal as AbortSignal;
  return new Promise<readonly FoundLine[]>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (action: () => void): void => {
      clearTimeout(timer);
      caller.removeEventListener("abort", leave);
      void worker.terminate();
      action();
    };
    const leave = (): void => settle(() => reject(caller.reason));
    caller.addEventListener("abort", leave, { once: true });
    worker.on("message", (message: Message) => {
      if (message === "started") timer = setTimeout(() => settle(() => reject(tooLong())), LIMIT_MS);
      else if ("found" in message) settle(() => resolve(message.found));
      else settle(() => reject(invalid(pattern, message.invalid)));
    });
    worker.on("error", (error) => settle(() => reject(error)));
  });
}

function invalid(pattern: string, message: string): unknown {
  const reason = message.slice(message.lastIndexOf(`/iu: `) + 5) || "it is no regular expression";
  try {
    return valueError(`invalid search pattern ${textRepr(pattern)}: ${reason}`);
  } catch (error) {
    return error;
  }
}

const tooLong = (): ToolFailure =>
  new ToolFailure("TIMEOUT", "search pattern took longer than 1 s", { exception: "TimeoutError" });

/** Most lines that are returned. */
const MAX_LINES = 1000;
/** Words that are compared before yielding to other work. */
const CHUNK = 2000;
/** Characters of a word that are compared. */
const MAX_WORD_LENGTH = 100;
/** Above every word score: a line that contains the query itself. */
const EXACT = 2;

const wordsOf = (line: string): readonly string[] =>
  line
    .toLowerCase()
    .match(/[\p{L}\p{N}_]+/gu)
    ?.map((word) => word.slice(0, MAX_WORD_LENGTH)) ?? [];

/** The lines that are similar to a query. A match is placed only where a line contains the query. */
export async function fuzzyLines(
  lines: readonly string[],
  query: string,
  signal: Signal,
): Promise<readonly FoundLine[]> {
  const tokens = [...new Set(wordsOf(query))];
  const wanted = query.toLowerCase().trim();
  const scores = await wordScores([...new Set(lines.flatMap(wordsOf))], tokens, signal);
  const scored = lines.flatMap((line, at) => {
    if (wanted !== "" && line.toLowerCase().includes(wanted)) return [{ at, score: EXACT }];
    const words = wordsOf(line);
    const best = scores.map((one) => words.reduce((most, word) => Math.max(most, one.get(word) ?? 0), 0));
    const score = best.reduce((sum, one) => sum + one, 0) / Math.max(1, best.length);
    return score > 0 ? [{ at, score }] : [];
  });
  return scored
    .sort((a, b) => b.score - a.score || a.at - b.at)
    .slice(0, MAX_LINES)
    .map(({ at }) => ({ at, from: Math.max(0, lines[at]?.toLowerCase().indexOf(wanted) ?? 0) }));
}

/** For each token, the scores of similar words. */
async function wordScores(
  words: readonly string[],
  tokens: readonly string[],
  signal: Signal,
): Promise<readonly ReadonlyMap<string, number>[]> {
  const scores = tokens.map(() => new Map<string, number>());
  for (let start = 0; start < words.length; start += CHUNK) {
    await nextTurn();
    signal.throwIfAborted();
    const chunk = words.slice(start, start + CHUNK);
    const nearness = nearnessOf(chunk);
    tokens.forEach((token, i) => {
      for (const [at, score] of nearness(token)) scores[i]?.set(chunk[at] ?? "", score);
    });
  }
  return scores;
}
