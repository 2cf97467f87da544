/** What `toolwright explain` says of what was learned. */

import type { ExplainOp, Explanation } from "../../generator/cli/explain.js";
import { isLocked } from "../../runtime/contract/known-result.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { JudgedOp } from "./learned-file.js";
import type { JudgedWords } from "./words-file.js";

/** What calls and queries have shown of ops. */
export interface ShownOfOps {
  readonly types: readonly JudgedOp[];
  readonly words: readonly JudgedWords[];
}

/** Explains ops by what calls and queries have shown. */
export const explainLearned =
  ({ types, words }: ShownOfOps): ExplainOp =>
  (tool) => ({ ...lacksOf(tool, types), ...wordsOf(tool, words) });

function lacksOf(tool: Tool | undefined, judged: readonly JudgedOp[]): Pick<Explanation, "lacks"> {
  const { learned_result: learned, result_schema: declared } = tool ?? {};
  if (!tool || declared || learned?.pinned || isLocked(learned)) return {};
  const found = judged.find(({ op, digest }) => op === tool.op && digest === tool.digest.input);
  if (!found) return {};
  return { lacks: found.lacks.length > 0 ? found.lacks : ['"toolwright learn" and "toolwright generate"'] };
}

function wordsOf(tool: Tool | undefined, judged: readonly JudgedWords[]): Pick<Explanation, "words"> {
  const learned = tool?.learned_words;
  const known = Object.entries(learned?.words ?? {}).map(([word, queries]) => `${word} (${queries})`);
  const { waiting = 0, callers = 0 } = judged.find(({ op }) => op === tool?.op) ?? {};
  const parts = [
    ...(known.length > 0 ? [known.join(", ")] : []),
    ...(learned?.stale ? ["they count half, since the input of the op has changed"] : []),
    ...(waiting > 0
      ? [`${counted(waiting, "word")} ${waiting === 1 ? "waits" : "wait"} for ${missingFor(callers)}`]
      : []),
  ];
  return parts.length > 0 ? { words: parts.join("; ") } : {};
}

const missingFor = (callers: number): string =>
  callers === 1 ? "more queries" : callers === 2 ? "a second caller" : `${callers} callers`;
