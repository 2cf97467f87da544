/** Suggestions for an unknown path or op. */

import { byCodeUnit } from "../contract/canonical.js";
import { editDistance } from "../contract/closest.js";
import type { Tool } from "../contract/registry.js";
import { STOP_WORDS } from "../contract/search/entry-words.js";
import { meantOp } from "./op-words.js";
import type { RegistryView } from "./registry.js";

/** Suggestions in one answer. */
export const MAX_SUGGESTIONS = 5;
/** Characters of a path that are compared; the rest of a longer one does not help. */
const MAX_PATH_LENGTH = 200;
/** Cost of a segment that only the candidate has: leaving one out is the usual mistake. */
const EXTRA_SEGMENT_COST = 1;
/** Least cost of a segment that only the path has; a longer segment costs more. */
const MIN_LEFT_OUT_COST = 3;
/** Weights of a word found in a name and in a summary. */
const IN_NAME = 3;
const IN_SUMMARY = 1;

/** What is searched: visible ops, and with `groups` the directories above them, too. */
export interface SuggestOptions {
  readonly groups: boolean;
  readonly synonyms: ReadonlyMap<string, string>;
}

interface Candidate {
  readonly path: string;
  readonly tool?: Tool;
}

interface Ranked extends Candidate {
  /** Lower is nearer. */
  readonly rank: number;
}

/** Up to five listed paths, nearest first: by edit distance per segment, then by words; ties go to reads, then to the path. */
export function suggest(view: RegistryView, path: string, options: SuggestOptions): readonly string[] {
  const asked = path.slice(0, MAX_PATH_LENGTH).toLowerCase();
  const near = nearest(view, asked, options.groups);
  const byWords = matchWords(view.listed, wordsOf(asked, options.synonyms));
  const meant = meantOp(view, path)?.tool.op;
  const mentioned = asked.split(/[^\p{L}\p{N}_.-]+/u).flatMap((word) => view.folded(word)?.op ?? []);
  const named = mentioned.filter((op) => view.isListed(op));
  const paths = [
    ...named,
    ...(meant === undefined ? [] : [meant]),
    ...[...near, ...byWords].map((candidate) => candidate.path),
  ];
  return [...new Set(paths)].slice(0, MAX_SUGGESTIONS);
}

function nearest(view: RegistryView, asked: string, groups: boolean): readonly Ranked[] {
  const segments = asked.split(".");
  const limit = Math.max(2, Math.floor(asked.length / 3));
  const distance = segmentDistance();
  const candidates: readonly Candidate[] = [
    ...(groups ? view.prefixes.map((path) => ({ path })) : []),
    ...view.listed.map((tool) => ({ path: tool.op, tool })),
  ];
  return candidates
    .map((candidate) => ({
      ...candidate,
      rank: pathDistance(segments, candidate.path.toLowerCase().split("."), distance),
    }))
    .filter(({ rank }) => rank <= limit && rank < asked.length)
    .sort(byRank);
}

/** Edit distance of two segments, cached: a registry has few different segments. */
function segmentDistance(): (a: string, b: string) => number {
  const known = new Map<string, number>();
  return (a, b) => {
    const key = `${a}.${b}`;
    const found = known.get(key) ?? editDistance(a, b);
    known.set(key, found);
    return found;
  };
}

/** The cheapest way to line up two paths segment by segment. */
function pathDistance(
  from: readonly string[],
  to: readonly string[],
  distance: (a: string, b: string) => number,
): number {
  let above = Array.from({ length: to.length + 1 }, (_, i) => i * EXTRA_SEGMENT_COST);
  for (const segment of from) {
    const surplus = Math.max(MIN_LEFT_OUT_COST, segment.length);
    const row = [(above[0] ?? 0) + surplus];
    to.forEach((other, j) => {
      const same = (above[j] ?? 0) + distance(segment, other);
      row.push(Math.min(same, (above[j + 1] ?? 0) + surplus, (row[j] ?? 0) + EXTRA_SEGMENT_COST));
    });
    above = row;
  }
  return above[to.length] ?? 0;
}

function byRank(a: Ranked, b: Ranked): number {
  return a.rank - b.rank || weight(a.tool) - weight(b.tool) || byCodeUnit(a.path, b.path);
}

/** Order at equal distance: reads, directories, writes. */
const weight = (tool: Tool | undefined): number => (tool === undefined ? 1 : tool.kind === "read" ? 0 : 2);

function matchWords(tools: readonly Tool[], words: readonly string[]): readonly Ranked[] {
  if (words.length === 0) return [];
  return tools
    .map((tool) => ({ path: tool.op, tool, rank: -score(tool, words) }))
    .filter(({ rank }) => rank < 0)
    .sort(byRank);
}

function score(tool: Tool, words: readonly string[]): number {
  const name = new Set(split([tool.op, tool.tool_name, ...tool.aliases].join(" ").toLowerCase()));
  const summary = new Set(split(tool.summary.toLowerCase()));
  return words.reduce((sum, word) => sum + (name.has(word) ? IN_NAME : 0) + (summary.has(word) ? IN_SUMMARY : 0), 0);
}

function wordsOf(path: string, synonyms: ReadonlyMap<string, string>): readonly string[] {
  const words = split(path).filter((word) => !STOP_WORDS.has(word));
  const meant = words.flatMap((word) => split((synonyms.get(word) ?? word).toLowerCase()));
  return [...new Set(meant)];
}

/** Words without their plural s, so that `tasks` finds `task`. */
function split(text: string): readonly string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.map((word) =>
    word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word,
  );
}
