/** Reads `definitions/learned/`: types of results, and words by which callers look for ops. */

import type { Place, Report } from "../../generator/core/diagnostic.js";
import { LEARNED_RULES } from "./diagnostics.js";
import { LearnedFault, readLearned } from "./learned-file.js";
import type { LearnedOp, LearnedOpWords } from "./learned-ops.js";
import { readWordsFile, WORDS_SUFFIX } from "./words-file.js";

/** What the files say, by op. */
interface LearnedDefinitions {
  readonly types: ReadonlyMap<string, LearnedOp>;
  readonly words: ReadonlyMap<string, LearnedOpWords>;
}

/** The files of a project. */
interface Files {
  readonly list: (pattern: string) => readonly string[];
  readonly read: (file: string) => string | undefined;
}

/** Reads the files. A file that cannot be used is reported at the line of its fault. */
export function readLearnedFiles({ list, read }: Files, report: Report): LearnedDefinitions {
  const types = new Map<string, LearnedOp>();
  const words = new Map<string, LearnedOpWords>();
  for (const file of list("learned/*.json")) {
    const text = read(file);
    if (text === undefined) continue;
    const placed = <T extends { readonly pinned?: true }>([op, { pinned, ...entry }]: readonly [string, T]) =>
      [op, { entry, isPinned: pinned === true, place: placeOf(file, text, op) }] as const;
    try {
      if (file.endsWith(WORDS_SUFFIX)) for (const one of readWordsFile(text)) words.set(...placed(one));
      else
        for (const one of readLearned(text)) {
          const [op, { entry, ...more }] = placed(one);
          const { digest, rules: _, ...result } = entry;
          types.set(op, { result, digest, ...more });
        }
    } catch (error) {
      if (!(error instanceof LearnedFault)) throw error;
      report.addOf("learned-invalid", LEARNED_RULES["learned-invalid"], placeOf(file, text, error.op ?? ""), {
        reason: error.message,
      });
    }
  }
  return { types, words };
}

/** The line of an op: each has its own. */
function placeOf(file: string, text: string, op: string): Place {
  const line = text.split("\n").findIndex((one) => one.startsWith(`  ${JSON.stringify(op)}:`));
  return { file, line: Math.max(1, line + 1), column: 1 };
}
