/** The ranking of the search without anything that makes it fast: every text is read for every word. The measure of ours. */

import { type RankedEntry, rankingOf } from "../../../runtime/catalog/ranking.js";
import type { SearchedIndex } from "../../../runtime/catalog/terms.js";
import { editDistance } from "../../../runtime/contract/closest.js";
import { firstVerb, type Synonyms, verbRelation, withoutPhrases } from "../../../runtime/contract/search/synonyms.js";
import {
  isStopWord,
  stemsOf,
  textWords,
  type WordFields,
  withoutTags,
} from "../../../runtime/contract/search/tool-words.js";
import { withoutPlural } from "../../../runtime/contract/typo.js";

/** Scores of the entries that a query finds, by number, the best first. */
export type Scoring = (query: string) => ReadonlyMap<number, number>;

/** Our own ranking. */
export function scoringOf(
  searched: readonly SearchedIndex[],
  entries: readonly RankedEntry[],
  synonyms: Synonyms,
): Scoring {
  const rank = rankingOf(searched, entries, synonyms);
  return (query) => {
    const { count, best } = rank(query, Number.POSITIVE_INFINITY);
    if (count !== best.length) throw new Error(`${count} are counted, ${best.length} are found`);
    return new Map(best.map(({ number, score }) => [number, score]));
  };
}

/** The texts of an entry as the ranking wants them. */
export const entryOf = (name: string, fields: WordFields): RankedEntry => ({
  name,
  title: fields.title,
  names: fields.name,
});

const FIELDS: readonly (readonly [keyof WordFields, weight: number, share: number, reference: number])[] = [
  ["title", 3, 0.3, 5],
  ["name", 3, 0.3, 5],
  ["description", 1, 0.6, 40],
  ["args", 1.2, 0.7, 40],
  ["values", 1.5, 0.8, 12],
];

const terms = (text: string): readonly string[] => stemsOf(textWords(text));

function countsOf(stems: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** What each stem counts in a text; with `exact`, not rounded to 255 steps. */
function impactsOf(fields: WordFields, exact: boolean): ReadonlyMap<string, number> {
  const all = FIELDS.map(([name]) => countsOf(terms(fields[name])));
  const impact = (stem: string): number => {
    let x = 0;
    FIELDS.forEach(([, weight, share, reference], at) => {
      const { size = 0 } = all[at] ?? {};
      x += (weight * Math.min(all[at]?.get(stem) ?? 0, 4)) / (1 - share + (share * size) / reference);
    });
    return exact ? x / (1.2 + x) : Math.max(1, Math.round((255 * x) / (1.2 + x))) / 255;
  };
  return new Map(all.flatMap((counts) => [...counts.keys()]).map((stem) => [stem, impact(stem)]));
}

/** Words by which stems are known, of names and titles without the ending of a plural, with their stems; stems are such words, too. */
function spellings(texts: readonly RankedEntry[], stems: Iterable<string>): ReadonlyMap<string, string> {
  const words = texts.flatMap(({ name, title, names }) => textWords(`${name} ${title} ${names}`));
  return new Map([
    ...words.map((word) => [withoutPlural(word), terms(word)[0] ?? ""] as const),
    ...[...stems].map((stem) => [stem, stem] as const),
  ]);
}

/** The stems that a mistyped word may mean, and what each counts. */
function meantBy(word: string, spelled: ReadonlyMap<string, string>): readonly (readonly [string, number])[] {
  const [stem = ""] = terms(word);
  const near = [...new Set([stem, withoutPlural(word)])].flatMap((one) => {
    const most = one.length < 8 ? 1 : 2;
    if (one.length < 4 || one.length > 40 || /\p{N}/u.test(one)) return [];
    return [...spelled.keys()].flatMap((other) => {
      const edits = editDistance(one, other);
      const less = (1.2 * edits) / one.length + (one[0] === other[0] ? 0 : 0.15);
      return edits > most ? [] : [[other, 0.8 * (1 - less)] as const];
    });
  });
  const sorted = near.sort(([one, a], [two, b]) => b - a || (one < two ? -1 : 1));
  const best = new Map<string, number>();
  for (const [other, weight] of sorted)
    best.set(spelled.get(other) ?? "", best.get(spelled.get(other) ?? "") ?? weight);
  best.delete("");
  return [...best].slice(0, 4);
}

/** What stands for a word of a query, and what it counts. */
function standsFor(
  word: string,
  known: ReadonlySet<string>,
  synonyms: Synonyms,
  spelled: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> {
  const all = new Map<string, number>();
  const add = (word: string, weight: number): void => {
    for (const [one, share] of [...(synonyms.get(word) ?? []), [word, 1] as const])
      if (known.has(one)) all.set(one, Math.max(all.get(one) ?? 0, weight * share));
  };
  const [stem = ""] = terms(word);
  add(stem, 1);
  if (!known.has(stem)) for (const [other, weight] of meantBy(word, spelled)) add(other, weight);
  return all;
}

/** How like a query a title is, by their stems. */
function likeness(title: readonly string[], query: readonly Asked[], rarity: (stem: string) => number): number {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const matched = title.map((stem) => {
    const weights = query.map(({ meant }) => meant.get(stem) ?? 0);
    const weight = Math.max(0, ...weights);
    return { stem, weight, owner: weights.indexOf(weight) };
  });
  const held = sum(matched.map(({ stem, weight }) => rarity(stem) * weight));
  const asked = query.map((one, at) => {
    const own = matched.filter(({ owner }) => owner === at).map(({ weight }) => weight);
    return one.rarity * Math.max(0, ...own);
  });
  const [ofTitle, ofQuery] = [held / sum(title.map(rarity)), sum(asked) / sum(query.map((one) => one.rarity))];
  return held > 0 ? (2 * ofTitle * ofQuery) / (ofTitle + ofQuery) : 0;
}

interface Asked {
  readonly rarity: number;
  readonly meant: ReadonlyMap<string, number>;
}

const compared = (text: string): readonly string[] =>
  textWords(text).filter((word) => word === "all" || !isStopWord(word));

/** The share of equal words and neighbours. */
function order(query: readonly string[], title: readonly string[]): number {
  const place = (word: string | undefined): number => (word === undefined ? -1 : query.lastIndexOf(word));
  const same = title.filter((word) => place(word) >= 0).length;
  const pairs = title.filter(
    (word, at) => at > 0 && place(title[at - 1]) >= 0 && place(word) === place(title[at - 1]) + 1,
  );
  return title.length === 0 ? 0 : (same + pairs.length) / (new Set(query).size + title.length);
}

const isCompound = (text: string): boolean => /[a-z0-9][._-][a-z0-9]|[a-z][A-Z]/.test(text);

/** Whether a name, or its last part, differs in one letter from another, or in two of twelve. */
function isNearName(name: string, full: string): boolean {
  const [wanted, ...own] = [name, full.toLowerCase(), full.toLowerCase().split(".").at(-1) ?? ""].map((one) =>
    one.replaceAll(/[._-]/g, ""),
  );
  const length = wanted?.length ?? 0;
  return length >= 8 && own.some((one) => editDistance(wanted ?? "", one) <= (length < 12 ? 1 : 2));
}

/** Ranks texts by their number, those alone for which `isSeen` is true. */
export function plainScoringOf(
  texts: readonly (RankedEntry & { readonly fields: WordFields })[],
  isSeen: (text: number) => boolean,
  synonyms: Synonyms,
  exact = false,
): Scoring {
  const seen = texts.flatMap((text, number) =>
    isSeen(number) ? [{ ...text, number, impacts: impactsOf(text.fields, exact) }] : [],
  );
  const known = new Set(seen.flatMap(({ impacts }) => [...impacts.keys()]));
  const spelled = spellings(seen, known);
  const rarities = new Map<string, number>();
  for (const stem of known) {
    const holding = seen.filter(({ impacts }) => impacts.has(stem)).length;
    rarities.set(stem, Math.log(1 + (seen.length - holding + 0.5) / (holding + 0.5)));
  }
  const rarity = (stem: string): number => rarities.get(stem) ?? Number.NaN;
  return (asks) => {
    const query = withoutTags(asks.trim());
    const words = withoutPhrases(textWords(query).join(" "));
    const stems = [...new Set(terms(words))].slice(0, 100);
    const asked = stems.map((stem): Asked => {
      const word = textWords(words).find((one) => terms(one)[0] === stem) ?? "";
      const meant = standsFor(word, known, synonyms, spelled);
      const least = known.has(stem) ? rarity(stem) : Math.min(...[...meant.keys()].map(rarity));
      return { meant, rarity: meant.size > 0 ? least : 1 };
    });
    const total = asked.reduce((sum, one) => sum + one.rarity, 0);
    const name = /\s/.test(asks.trim()) || asks.trim() === "" ? undefined : asks.trim().toLowerCase();
    const first = seen.map((one) => {
      let [sum, covered] = [0, 0];
      for (const { rarity: rare, meant } of asked) {
        const impact = Math.max(0, ...[...meant].map(([stem, weight]) => weight * (one.impacts.get(stem) ?? 0)));
        sum += rare * impact;
        covered += rare * Math.min(1, impact / 0.7);
      }
      const score = sum === 0 ? 0 : (sum / total) * (0.35 + (1 - 0.35) * Math.min(1, covered / total));
      return { ...one, score: score + (name !== undefined && one.name.toLowerCase().includes(name) ? 0.02 : 0) };
    });
    const found = first.filter(({ score }) => score > 0).sort((a, b) => b.score - a.score || a.number - b.number);
    const verb = firstVerb(stems.slice(0, 4));
    const isEqual = (title: string): boolean =>
      textWords(title).join(" ") === textWords(query).join(" ") && textWords(title).length > 0;
    const isNamed = (full: string): boolean =>
      isEqual(full) ||
      (name !== undefined && [full, full.split(".").at(-1)].some((one) => one?.toLowerCase() === name));
    const isHeld = seen.some((one) => name !== undefined && one.name.toLowerCase().includes(name));
    const isName = name !== undefined && name.length <= 64 && /^[\w.-]+$/.test(name) && isCompound(asks.trim());
    const isNear = (full: string): boolean => isName && !isHeld && found.length > 0 && isNearName(name, full);
    const isOften = (one: RankedEntry): boolean => isEqual(one.title) || isNamed(one.name) || isNear(one.name);
    const best = new Set([...found.slice(0, 60), ...first.filter(isOften)]);
    const ranked = [...best].map((one) => {
      const own = firstVerb([...terms(one.title).slice(0, 1), ...terms(one.names)]);
      const relation = verb === undefined || own === undefined ? 0 : verbRelation(verb, own) * 0.25 || -0.12;
      const like =
        0.6 * likeness([...new Set(terms(one.title))], asked, rarity) + relation * Math.min(1, 2 * one.score);
      const short = Math.min(1, 7 / stems.length);
      const bonus = isNamed(one.name) ? 3 : isEqual(one.title) ? 2 : isNear(one.name) ? 1.5 : 0;
      return [
        one.number,
        one.score + short * (like + 0.2 * order(compared(words), compared(one.title))) + bonus,
      ] as const;
    });
    const rest = found.filter((one) => !best.has(one)).map(({ number, score }) => [number, 0.001 * score] as const);
    return new Map([...ranked.sort(([a, one], [b, two]) => two - one || a - b), ...rest]);
  };
}
