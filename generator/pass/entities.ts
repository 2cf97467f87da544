/** Finds the entities and topics of a pack: nouns that recur in the names of its tools. */

import { singular } from "../core/names.js";
import { type NameParts, PREPOSITIONS } from "./name-parts.js";

/** A noun with the tools that name it. */
export interface Noun {
  /** Its segment in ops. */
  readonly name: string;
  readonly tools: readonly string[];
  /** The words behind it in each tool, joined by `_`. */
  readonly facets: ReadonlySet<string>;
}

/** Nouns of a pack. */
export interface Nouns {
  /** Entities by their singular form: several words are joined by `_`. */
  readonly entities: ReadonlyMap<string, Noun>;
  /** Nouns, as they are written, that are only ever read with `get` or have no verb. */
  readonly topics: ReadonlyMap<string, Noun>;
}

/** Words that qualify a noun, so that no entity begins with them. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  (
    "a active all an any available batch bulk closed current custom default existing first full global last latest local many multiple my " +
    "new next old one open own previous public private random raw recent selected single some that the this top"
  ).split(" "),
);

/** Whether a word may be an entity: no number, preposition, adjective or participle (`linked`). */
const isNoun = (word: string): boolean =>
  word.length > 1 && !/^v?\d+$|.{3}ed$/.test(word) && !QUALIFIERS.has(word) && !PREPOSITIONS.has(word);

interface Use {
  readonly tool: string;
  readonly verb: string;
  readonly word: string;
  /** The words behind the noun. */
  readonly rest: readonly string[];
  readonly isPrefixed: boolean;
  readonly isVerbFirst: boolean;
}

type Uses = readonly (readonly [noun: string, uses: readonly Use[]])[];

/** Verbs of collections: what one of them alone is done to is an entity in a pack that has others. */
const PLAIN_VERBS: ReadonlySet<string> = new Set(
  "add create delete edit fetch find get list modify read remove retrieve search set update".split(" "),
);

/** Finds the nouns of a pack. `given` are configured entities. */
export function nounsOf(names: readonly NameParts[], given: ReadonlySet<string>): Nouns {
  const grouped = usesOf(names, singular).map(([noun, all]) =>
    given.has(noun) ? ([noun, all] as const) : wholeNoun(noun, all),
  );
  const first = (noun: string): string => noun.split("_")[0] ?? "";
  const recurring = grouped.filter(([noun, all]) => given.has(noun) || (isNoun(first(noun)) && recurs(noun, all)));
  const single = new Set(recurring.map(([noun]) => noun));
  // `saved_view` is an entity if there is no `view`; otherwise `saved` says which views.
  const qualified = grouped.filter(
    ([noun, all]) =>
      !isNoun(first(noun)) &&
      !PREPOSITIONS.has(first(noun)) &&
      !single.has(last(noun)) &&
      noun !== last(noun) &&
      recurs(noun, all),
  );
  const entities = [...recurring, ...qualified, ...plainNouns(names, recurring)];
  const known = new Set(entities.map(([noun]) => noun));
  const words = usesOf(names, (word) => word).filter(([word]) => isNoun(word) && !known.has(singular(word)));
  const topics = words.filter(([, all]) => isTopic(all));
  return { entities: described(entities), topics: described(topics) };
}

const last = (noun: string): string => noun.split("_").at(-1) ?? "";

const described = (found: Uses): ReadonlyMap<string, Noun> =>
  new Map(
    found.map(([noun, all]) => {
      const facets = new Set(all.map(({ rest }) => rest.join("_").replace(/_details?$/, "")));
      return [noun, { name: written(noun, all), tools: all.map((one) => one.tool), facets }];
    }),
  );

/** The singular. A noun that leads all its names, and is always written alike, stays as it is: `maps_search`, `aks_node_get`. */
function written(noun: string, uses: readonly Use[]): string {
  const [word, other] = new Set(uses.map((one) => one.word));
  const isLeading = uses.every((one) => !one.isVerbFirst);
  return word !== undefined && other === undefined && isLeading && noun === singular(word) ? word : noun;
}

/** The names by their first noun. */
function usesOf(names: readonly NameParts[], keyOf: (word: string) => string): Uses {
  const uses = new Map<string, Use[]>();
  for (const { tool, verb, nouns, prefix, isVerbFirst } of names) {
    const [noun, ...rest] = nouns;
    if (noun === undefined) continue;
    const before = uses.get(keyOf(noun)) ?? [];
    uses.set(keyOf(noun), before);
    before.push({ tool, verb, word: noun, rest, isPrefixed: prefix !== "", isVerbFirst });
  }
  return [...uses];
}

/** A noun with the word that always stands behind it: `pull` is `pull_request` if it is never anything else. */
function wholeNoun(noun: string, uses: readonly Use[]): readonly [noun: string, uses: readonly Use[]] {
  const [next, other] = new Set(uses.map(({ rest: [first = ""] }) => singular(first)));
  if (next === undefined || next === "" || other !== undefined) return [noun, uses];
  return wholeNoun(
    `${noun}_${next}`,
    uses.map((one) => ({ ...one, rest: one.rest.slice(1) })),
  );
}

const isAlone = ({ rest }: Use): boolean => /^(?:details?)?$/.test(rest.join("_"));

/**
 * Whether a noun is an entity: two verbs, alone or before different words. One verb suffices for a noun that leads its names
 * (`cluster_node_get`), and for a single word that stands alone behind a prefix.
 */
function recurs(noun: string, uses: readonly Use[]): boolean {
  const acted = uses.filter((one) => one.verb !== "");
  if (!noun.includes("_") && acted.some((one) => one.isPrefixed && isAlone(one))) return true;
  const verbs = new Set(acted.map((one) => one.verb));
  const rests = new Set(uses.map((one) => one.rest.join("_")));
  const leading = acted.filter((one) => !one.isVerbFirst);
  return (verbs.size > 1 || leading.length > 1) && (uses.some(isAlone) || rests.size > 1);
}

/** Whether a noun is a topic: it stands before different words, without a verb or behind `get` only. */
function isTopic(uses: readonly Use[]): boolean {
  const isRead = uses.every(({ verb, rest }) => (verb === "" || verb === "get") && rest.length > 0);
  return isRead && new Set(uses.map((one) => one.rest.join("_"))).size > 1;
}

/**
 * Nouns of plain verbs, of one word or two, if at least half of the pack's tools have an entity: `list_milestones` and
 * `list_calendar_items` beside tasks.
 */
function plainNouns(names: readonly NameParts[], entities: Uses): Uses {
  const matched = new Set(entities.flatMap(([, all]) => all.map((one) => one.tool)));
  if (matched.size < names.length / 2) return [];
  const known = new Set(entities.map(([noun]) => noun));
  const plain = names
    .filter(
      ({ tool, verb, tail, isVerbFirst }) =>
        isVerbFirst && PLAIN_VERBS.has(verb) && tail.length + +matched.has(tool) === 0,
    )
    .map((one) => ({ ...one, nouns: one.nouns.filter((word, i) => i === 0 || !/^details?$/.test(word)) }))
    .filter(({ nouns }) => nouns.length < 3 && nouns.every((word) => isNoun(word) && !PLAIN_VERBS.has(word)));
  const grouped = usesOf(plain, singular).map(([noun, all]) => wholeNoun(noun, all));
  // `overdue_task` is no entity beside `task`: `overdue` says which tasks.
  return grouped.filter(([noun]) => !known.has(last(noun)));
}
