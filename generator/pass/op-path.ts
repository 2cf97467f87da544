/** Derives an op from a tool name by name rules. Rules are a table, tried in order; names are data. */

import { closest } from "../../runtime/contract/closest.js";
import type { PackEntry } from "../core/ir.js";
import { nameWords, safeName } from "../core/names.js";

/** An op and its derivation. */
export interface OpPath {
  readonly op: string;
  /** The verb that the rule found, if any. */
  readonly verb?: string;
  /** For `explain`: the rule in words. */
  readonly because: string;
}

interface Name {
  readonly text: string;
  readonly pack: string;
  /** Longest first, so that the longest declared entity wins. Plurals come with their entity. */
  readonly entities: readonly { readonly word: string; readonly entity: string }[];
  readonly topics: readonly string[];
}

interface NameRule {
  readonly label: string;
  readonly match: (name: Name) => OpPath | undefined;
}

/** Splits `<verb>_<rest>`. */
function verbAndRest(text: string): { readonly verb: string; readonly rest: string } | undefined {
  const cut = text.indexOf("_");
  return cut > 0 && cut < text.length - 1 ? { verb: text.slice(0, cut), rest: text.slice(cut + 1) } : undefined;
}

const found = (op: readonly string[], verb: string, label: string): OpPath => ({
  op: op.map(safeName).join("."),
  verb,
  because: label,
});

function packEntity({ text, pack, entities }: Name): OpPath | undefined {
  const split = verbAndRest(text);
  if (!split?.rest.startsWith(`${pack}_`)) return undefined;
  const rest = split.rest.slice(pack.length + 1).replace(/_details$/, "");
  const hit = entities.find((one) => one.word === rest);
  return hit && found([pack, hit.entity, split.verb], split.verb, `verb ${split.verb}, entity ${hit.entity}`);
}

function packEntityFacet({ text, pack, entities }: Name): OpPath | undefined {
  const split = verbAndRest(text);
  if (!split?.rest.startsWith(`${pack}_`)) return undefined;
  return entityFacet(split.verb, split.rest.slice(pack.length + 1), pack, entities, "_");
}

function entityFacet(
  verb: string,
  rest: string,
  pack: string,
  entities: Name["entities"],
  join: string,
): OpPath | undefined {
  const hit = entities.find((one) => rest.startsWith(`${one.word}${join}`));
  const facet = hit && rest.slice(hit.word.length + join.length);
  return hit && facet
    ? found([pack, hit.entity, facet, verb], verb, `verb ${verb}, entity ${hit.entity}, facet ${facet}`)
    : undefined;
}

const bareEntityFacet =
  (join: string) =>
  ({ text, pack, entities }: Name): OpPath | undefined => {
    const split = verbAndRest(text);
    return split && entityFacet(split.verb, split.rest, pack, entities, join);
  };

function topicVerb({ text, pack, topics }: Name): OpPath | undefined {
  const topic = topics.find((one) => text.startsWith(`${one}_`));
  const verb = topic && text.slice(topic.length + 1);
  return topic && verb ? found([pack, topic, verb], verb, `topic ${topic}, verb ${verb}`) : undefined;
}

function getTopic({ text, pack, topics }: Name): OpPath | undefined {
  const topic = topics.find((one) => text.startsWith(`get_${one}_`));
  const rest = topic && text.slice(`get_${topic}_`.length);
  return topic && rest ? { ...found([pack, topic, rest], "", `topic ${topic}, ${rest}`), verb: "" } : undefined;
}

function bareEntity({ text, pack, entities }: Name): OpPath | undefined {
  const split = verbAndRest(text);
  const hit = entities.find((one) => one.word === split?.rest);
  return split && hit && found([pack, hit.entity, split.verb], split.verb, `verb ${split.verb}, entity ${hit.entity}`);
}

function qualifiedEntity({ text, pack, entities }: Name): OpPath | undefined {
  const split = verbAndRest(text);
  const hit = entities.find((one) => split?.rest.endsWith(`_${one.word}`));
  const facet = hit && split?.rest.slice(0, -hit.word.length - 1);
  return split && hit && facet
    ? found(
        [pack, hit.entity, facet, split.verb],
        split.verb,
        `verb ${split.verb}, entity ${hit.entity}, facet ${facet}`,
      )
    : undefined;
}

/** Rules in the order in which they are tried. Packs that declare neither entities nor topics have none. */
const RULES: readonly NameRule[] = [
  { label: "<verb>_<pack>_<entity>", match: packEntity },
  { label: "<verb>_<pack>_<entity>_<facet>", match: packEntityFacet },
  { label: "<verb>_<entity>_in_<facet>", match: bareEntityFacet("_in_") },
  { label: "<verb>_<entity>_<facet>", match: bareEntityFacet("_") },
  { label: "<topic>_<verb>", match: topicVerb },
  { label: "get_<topic>_<rest>", match: getTopic },
  { label: "<verb>_<entity>", match: bareEntity },
  { label: "<verb>_<qualifier>_<entity>", match: qualifiedEntity },
];

/** Result of the rules: an op, or why no rule matches. */
export type Derived = OpPath | { readonly op: undefined; readonly tried: string; readonly nearest: string | undefined };

/** Derives the op of a tool name in a pack. */
export function deriveOp(text: string, pack: string, entry: PackEntry = {}): Derived {
  const entities = Object.entries(entry.entities ?? {})
    .flatMap(([entity, plural]) => [entity, plural].map((word) => ({ word, entity })))
    .sort((a, b) => b.word.length - a.word.length);
  const topics = entry.topics ?? [];
  if (entities.length === 0 && topics.length === 0)
    return { op: `${pack}.${safeName(text)}`, because: "pack and safe name" };
  const name: Name = { text: text.includes("_") ? text : nameWords(text).join("_"), pack, entities, topics };
  for (const { label, match } of RULES) {
    const hit = match(name);
    if (hit) return { ...hit, because: `rule ${label}: ${hit.because}` };
  }
  const words = entities.map((one) => one.word);
  const nearest = nameWords(text)
    .map((word) => closest(word, words))
    .find((one) => one !== undefined);
  return { op: undefined, tried: RULES.map((one) => one.label).join(", "), nearest };
}
