/**
 * Resolves the edge for a pair of kinds and a word: containment, a semantic relation, or the default of the pair. Pure.
 */

import {
  CONTAINMENT,
  CONTAINMENT_ALIASES,
  type EdgeKind,
  type Ends,
  PAIR_DEFAULTS,
  RELATION_DEFAULT,
  RELATIONS,
  type Relation,
} from "./model.js";
import { foldWord } from "./values.js";

/** An edge between two kinds, as it is stored. */
export interface Resolved {
  /** `undefined`: membership of the project, which is not stored. */
  readonly rel: string | undefined;
  readonly containment: boolean;
  /** The ends are swapped when stored. */
  readonly flip: boolean;
  /** The unusable word, kept in props. */
  readonly original?: string;
  readonly warnings: readonly string[];
}

const PARENTS: Readonly<Partial<Record<EdgeKind, { rel: string; parents: readonly EdgeKind[] }>>> = CONTAINMENT;
const SEMANTIC: ReadonlyMap<string, Relation> = new Map<string, Relation>(Object.entries(RELATIONS));
const HAS = new Map(Object.entries(CONTAINMENT).map(([child, { rel }]) => [rel as string, child as EdgeKind]));
const SAME: readonly string[] = CONTAINMENT_ALIASES.same;
const FLIP: readonly string[] = CONTAINMENT_ALIASES.flip;

/** Rels of containment edges. */
export const CONTAINMENT_RELS: readonly string[] = [...HAS.keys()];

/** Kinds that may contain a kind, nearest first; the project last. */
export const parentsOf = (child: EdgeKind): readonly EdgeKind[] => PARENTS[child]?.parents ?? [];

/** Whether a kind may contain another. */
export const mayContain = (parent: EdgeKind, child: EdgeKind): boolean => parentsOf(child).includes(parent);

/** The rel of the edge from a parent to a child of this kind. */
export const containmentRel = (child: EdgeKind): string | undefined => PARENTS[child]?.rel;

/** Whether an edge is containment rather than a relation. */
export const isContainment = (rel: string): boolean => HAS.has(rel);

const fits = ({ from, to }: Ends, src: EdgeKind, dst: EdgeKind): boolean => from.includes(src) && to.includes(dst);

const legal = ({ ends, same_kind }: Relation, src: EdgeKind, dst: EdgeKind): boolean =>
  (same_kind === true && src === dst) || ends.some((pair) => fits(pair, src, dst));

const swapped = (rel: string): string => `ends_swapped: ${rel} reads the other way round; the ends were swapped`;

/** Containment between two ends; `undefined` if neither may contain the other. `child` is the child kind of the rel. */
function contain(src: EdgeKind, dst: EdgeKind, reversed: boolean, child?: EdgeKind): Resolved | undefined {
  const readings = reversed ? [true, false] : [false, true];
  for (const flip of readings) {
    const [parent, held] = flip ? [dst, src] : [src, dst];
    if (!mayContain(parent, held) || (child !== undefined && child !== held)) continue;
    const rel = containmentRel(held) ?? "";
    const warnings = flip === reversed ? [] : [swapped(rel)];
    if (parent === "project") return { rel: undefined, containment: true, flip, warnings: [...warnings, MEMBERSHIP] };
    return { rel, containment: true, flip, warnings };
  }
  return undefined;
}

const MEMBERSHIP = "project_membership: an entity belongs to its project by project_id; no edge is stored";

function relate(name: string, src: EdgeKind, dst: EdgeKind, reversed: boolean): Resolved | undefined {
  const relation = SEMANTIC.get(name);
  if (!relation) return undefined;
  const [first, second] = reversed ? [dst, src] : [src, dst];
  if (legal(relation, first, second)) return { rel: name, containment: false, flip: reversed, warnings: [] };
  if (legal(relation, second, first))
    return { rel: name, containment: false, flip: !reversed, warnings: [swapped(name)] };
  return undefined;
}

/** Words for relations: their rel, and whether they are reversed. */
const WORDS = new Map<string, { readonly name: string; readonly reversed: boolean }>(
  [...SEMANTIC].flatMap(([name, { aliases, flips }]) => [
    ...[name, ...aliases].map((word) => [word, { name, reversed: false }] as const),
    ...flips.map((word) => [word, { name, reversed: true }] as const),
  ]),
);

/** The default edge of a pair. */
export function defaultRel(src: EdgeKind, dst: EdgeKind): Resolved {
  if (src === "project" && mayContain("project", dst))
    return { rel: undefined, containment: true, flip: false, warnings: [MEMBERSHIP] };
  const row = PAIR_DEFAULTS.find((pair) => fits(pair, src, dst));
  return { rel: row?.rel ?? RELATION_DEFAULT, containment: false, flip: false, warnings: [] };
}

/** Whether the table of defaults contains the pair. */
export const hasDefault = (src: EdgeKind, dst: EdgeKind): boolean => PAIR_DEFAULTS.some((pair) => fits(pair, src, dst));

function known(word: string, src: EdgeKind, dst: EdgeKind): Resolved | undefined {
  const child = HAS.get(word);
  if (child) return contain(src, dst, false, child);
  if (SAME.includes(word)) return contain(src, dst, false);
  if (FLIP.includes(word)) return contain(src, dst, true);
  const meaning = WORDS.get(word);
  return meaning && relate(meaning.name, src, dst, meaning.reversed);
}

/**
 * The edge for a word and a pair: synonyms are resolved, ends are swapped if only that is legal, otherwise the default
 * of the pair.
 */
export function resolveRel(word: string, src: EdgeKind, dst: EdgeKind): Resolved {
  const folded = foldWord(word);
  const resolved = known(folded, src, dst);
  if (resolved) return resolved;
  const fallback = defaultRel(src, dst);
  if (fallback.rel === undefined) return fallback;
  const warning = `rel_default: "${word.slice(0, 60)}" is no relation of ${src} and ${dst}; ${fallback.rel} is stored`;
  return { ...fallback, original: word, warnings: [warning] };
}

/** The edge of a pair without a word: containment, the default of the pair, or reversed containment. */
export function resolvePair(src: EdgeKind, dst: EdgeKind): Resolved {
  const held = mayContain(src, dst) || !hasDefault(src, dst) ? contain(src, dst, false) : undefined;
  return held ?? defaultRel(src, dst);
}
