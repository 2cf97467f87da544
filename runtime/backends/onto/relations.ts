/** Which edge a pair of kinds and a word make: containment, semantic relation, default of the pair. Pure. */

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

/** An edge between a source kind and a target kind, as it is to be stored. */
export interface Resolved {
  /** Undefined: membership of the project, which is not stored. */
  readonly rel: string | undefined;
  readonly containment: boolean;
  /** The ends are stored the other way round. */
  readonly flip: boolean;
  /** The word that was not usable, kept in props. */
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

/** Whether an edge holds its target rather than relates to it. */
export const isContainment = (rel: string): boolean => HAS.has(rel);

const fits = ({ from, to }: Ends, src: EdgeKind, dst: EdgeKind): boolean => from.includes(src) && to.includes(dst);

const legal = ({ ends, same_kind }: Relation, src: EdgeKind, dst: EdgeKind): boolean =>
  (same_kind === true && src === dst) || ends.some((pair) => fits(pair, src, dst));

const swapped = (rel: string): string => `ends_swapped: ${rel} reads the other way round; the ends were swapped`;

/** Containment of one end by the other; undefined where neither may hold the other. `child` is the rel's own child kind. */
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

/** Words for relations: the rel they stand for, and whether they read from the other end. */
const WORDS = new Map<string, { readonly name: string; readonly reversed: boolean }>(
  [...SEMANTIC].flatMap(([name, { aliases, flips }]) => [
    ...[name, ...aliases].map((word) => [word, { name, reversed: false }] as const),
    ...flips.map((word) => [word, { name, reversed: true }] as const),
  ]),
);

/** The edge of a pair without a usable rel. */
export function defaultRel(src: EdgeKind, dst: EdgeKind): Resolved {
  if (src === "project" && mayContain("project", dst))
    return { rel: undefined, containment: true, flip: false, warnings: [MEMBERSHIP] };
  const row = PAIR_DEFAULTS.find((pair) => fits(pair, src, dst));
  return { rel: row?.rel ?? RELATION_DEFAULT, containment: false, flip: false, warnings: [] };
}

/** Whether the table of defaults names the pair. */
export const hasDefault = (src: EdgeKind, dst: EdgeKind): boolean => PAIR_DEFAULTS.some((pair) => fits(pair, src, dst));

function known(word: string, src: EdgeKind, dst: EdgeKind): Resolved | undefined {
  const child = HAS.get(word);
  if (child) return contain(src, dst, false, child);
  if (SAME.includes(word)) return contain(src, dst, false);
  if (FLIP.includes(word)) return contain(src, dst, true);
  const meaning = WORDS.get(word);
  return meaning && relate(meaning.name, src, dst, meaning.reversed);
}

/** The edge that a word makes of a pair: aliases applied, ends swapped if only that is legal, else the default of the pair. */
export function resolveRel(word: string, src: EdgeKind, dst: EdgeKind): Resolved {
  const folded = foldWord(word);
  const resolved = known(folded, src, dst);
  if (resolved) return resolved;
  const fallback = defaultRel(src, dst);
  if (fallback.rel === undefined) return fallback;
  const warning = `rel_default: "${word.slice(0, 60)}" is no relation of ${src} and ${dst}; ${fallback.rel} is stored`;
  return { ...fallback, original: word, warnings: [warning] };
}

/** The edge of a pair that came without a word: containment, the default of the pair, containment the other way round. */
export function resolvePair(src: EdgeKind, dst: EdgeKind): Resolved {
  const held = mayContain(src, dst) || !hasDefault(src, dst) ? contain(src, dst, false) : undefined;
  return held ?? defaultRel(src, dst);
}
