/** Suggestions for an unknown path or op. */

import { byCodeUnit } from "../contract/canonical.js";
import { editDistance } from "../contract/closest.js";
import { learnedWords, type OwnWords } from "../contract/learned-words.js";
import type { Tool } from "../contract/registry.js";
import { stemsOf, textWords, titleOf, toolNames } from "../contract/search/tool-words.js";
import { verbsLike } from "../contract/search/verbs.js";
import { type FoundOps, opSearchOf, type SearchedProject } from "./op-search.js";
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

/** Cost up to which a path is a mistyped one, so that its letters say more than its words. */
const MISTYPED = 2;

/** Share of the best score that a suggestion needs. */
const CLEARLY = 0.5;

/** What is searched: visible ops, and with `groups` the directories above them, too. */
export interface SuggestOptions {
  readonly groups: boolean;
  readonly project: SearchedProject;
  /** The words of the caller. */
  readonly own?: OwnWords | undefined;
}

interface Candidate {
  readonly path: string;
  readonly tool?: Tool;
}

interface Ranked extends Candidate {
  /** Lower is nearer. */
  readonly rank: number;
}

/**
 * Up to five listed paths, nearest first: mistyped ones, by edit distance per segment, where ties go to reads, then to the path; those that
 * the search finds and that are about the same thing; then others by edit distance. None if the path is like nothing.
 */
export function suggest(view: RegistryView, path: string, options: SuggestOptions): readonly string[] {
  const text = path.slice(0, MAX_PATH_LENGTH);
  const asked = text.toLowerCase();
  const near = nearest(view, asked, options.groups);
  const { best: found, meant: meanings } = opSearchOf(view, options.project)(text, MAX_SUGGESTIONS, {
    own: options.own,
  });
  const isAlike = alikeTo(view, text, meanings, options);
  const byWords = found.filter(({ score, tool }) => score >= CLEARLY * (found[0]?.score ?? 0) && isAlike(tool));
  const meant = meantOp(view, path)?.tool.op;
  const mentioned = asked.split(/[^\p{L}\p{N}_.-]+/u).flatMap((word) => view.folded(word)?.op ?? []);
  const named = mentioned.filter((op) => view.isListed(op));
  const paths = [
    ...named,
    ...(meant === undefined ? [] : [meant]),
    ...near.filter(({ rank }) => rank <= MISTYPED).map((candidate) => candidate.path),
    ...byWords.map(({ tool }) => tool.op),
    ...near.map((candidate) => candidate.path),
  ];
  return [...new Set(paths)].slice(0, MAX_SUGGESTIONS);
}

/**
 * Whether an op is about the same thing as a path: its title or its name has one of the words, or the name one that stands for it, or
 * the caller or a person who reviewed its words calls it by one.
 * Descriptions mention other things, too. Verbs and packs count if the path has no other words: `delete_user` is not like `task.delete`.
 */
function alikeTo(
  view: RegistryView,
  path: string,
  meanings: FoundOps["meant"],
  { own }: SuggestOptions,
): (tool: Tool) => boolean {
  const words = textWords(path);
  const nouns = words.filter((word) => verbsLike(word).length === 0);
  const things = nouns.filter((word) => view.prefix(word) === undefined);
  const stems = stemsOf([things, nouns, words].find((some) => stemsOf(some).length > 0) ?? []);
  return (tool) => {
    const named = new Set(stemsOf(textWords(`${tool.group} ${toolNames(tool)}`)));
    const said = new Set(stemsOf(textWords(titleOf(tool))));
    const learned = learnedWords(tool);
    return stems.some(
      (one) =>
        said.has(one) ||
        named.has(one) ||
        own?.(one).has(tool.op) ||
        learned.has(one) ||
        meanings(one).some((other) => named.has(other)),
    );
  };
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
