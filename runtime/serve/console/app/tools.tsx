/** Ops in lists and in search results. */

import type { Tool } from "../../../contract/registry.js";

/** An op as lists show it. */
export type SeenTool = Omit<Tool, "source">;

/** Whether an op reads or writes. */
export const Kind = ({ kind }: Pick<SeenTool, "kind">) => <span class={`kind ${kind}`}>{kind}</span>;

/** Ops that contain every word; matches in the path come first. */
export function search(tools: readonly SeenTool[], query: string): readonly SeenTool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scored = tools.flatMap((tool) => {
    const scores = words.map((word) => scoreOf(tool, word));
    return scores.includes(0) ? [] : [{ tool, score: scores.reduce((sum, one) => sum + one, 0) }];
  });
  return scored.sort((a, b) => b.score - a.score).map(({ tool }) => tool);
}

/** Where a word is found; the best place has the lowest score. */
function scoreOf({ op, tool_name, aliases, summary, description }: SeenTool, word: string): number {
  if (op.toLowerCase().includes(word)) return 4;
  if ([tool_name, ...aliases].some((name) => name.toLowerCase().includes(word))) return 3;
  if (summary.toLowerCase().includes(word)) return 2;
  return description.toLowerCase().includes(word) ? 1 : 0;
}
