/**
 * Infers ops from the names of all tools of a pack, without configuration: `list_onto_tasks` is `onto.task.list`, since `task`
 * recurs after verbs. The result does not depend on the order of the tools.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { PackEntry } from "../core/ir.js";
import { isPlural, nameWords, safeName, singular } from "../core/names.js";
import { type Noun, type Nouns, nounsOf } from "./entities.js";
import { type NameParts, PREPOSITIONS, partsOfNames } from "./name-parts.js";
import type { OpPath } from "./op-path.js";
import type { Verb } from "./verbs.js";

/** Names of one pack. */
export interface PackNames {
  readonly pack: string;
  /** All names that are evidence, those with a fixed op too. */
  readonly tools: readonly string[];
  /** Names that need an op. */
  readonly open: readonly string[];
  /** Ops of other tools, which no inferred op may touch. */
  readonly taken: readonly string[];
  /** Configuration of the pack, whose entities are known in advance. */
  readonly entry: PackEntry;
}

/** An inferred op: pack, entity, facet and verb. Without `noun`, it is the pack and the name of the tool. */
export interface InferredOp extends OpPath {
  /** The entity or topic. */
  readonly noun?: string;
}

/** Fewest tools of a pack from which nouns are inferred; names of smaller packs stay as they are. */
export const MIN_PACK_TOOLS = 4;

/** Infers the op of every open name. */
export function inferNames(names: PackNames, vocabulary: ReadonlyMap<string, Verb>): ReadonlyMap<string, InferredOp> {
  const { pack, open, entry } = names;
  const tools = [...new Set(names.tools)].sort(byCodeUnit);
  const isLarge = tools.length >= MIN_PACK_TOOLS;
  const all = partsOfNames(tools, pack, vocabulary);
  // The pack's own name between verb and noun is enough evidence, however few tools there are.
  const parts = isLarge ? all : all.filter((one) => one.isVerbFirst && one.prefix !== "");
  const given = new Set(Object.keys(entry.entities ?? {}));
  const nouns = nounsOf(parts, given);
  const byTool = new Map(parts.map((one) => [one.tool, one]));
  const choices = open.map((tool) => {
    const one = byTool.get(tool);
    return { tool, ops: [...(one ? candidates(one, pack, nouns) : []), flat(tool, pack)], at: 0 };
  });
  settle(choices, names.taken);
  return new Map(choices.map((one) => [one.tool, settled(one, pack)]));
}

/** The op of a choice; a name that is left as it is says which op it would have had. */
function settled({ tool, ops, at }: Choice, pack: string): InferredOp {
  const { isLoose: _, ...op }: Candidate = ops[at] ?? flat(tool, pack);
  const wanted = ops.slice(0, at).find((one) => !one.isLoose) ?? ops[0];
  const isLeft = op.noun === undefined && at > 0 && wanted !== undefined;
  return isLeft ? { ...op, because: `${op.because}, since ${wanted.op} is not free` } : op;
}

const flat = (tool: string, pack: string): InferredOp => ({
  op: `${pack}.${safeName(tool)}`,
  because: "pack and safe name",
});

/** An op beside those that follow it if it is taken; `isLoose` if another tool has a better claim to it. */
interface Candidate extends InferredOp {
  readonly isLoose?: boolean;
}

/** Participles before an entity that stand for its relations: `get_linked_tasks` gets the links of a task. */
const RELATIONS: ReadonlyMap<string, string> = new Map([
  ["attached", "attachments"],
  ["connected", "connections"],
  ["linked", "links"],
  ["related", "relations"],
]);

interface Reading {
  readonly noun: string;
  readonly facet: readonly string[];
  readonly isPlural: boolean;
  /** Set if the facet keeps its number. */
  readonly isWritten?: boolean;
}

/** Ops for a name, the best first. */
function candidates(one: NameParts, pack: string, nouns: Nouns): readonly Candidate[] {
  const topic = topicOf(one, nouns);
  if (topic) return [opOf(one, pack, topic, nouns, "")];
  const whole = readingOf(one.nouns, one.isVerbFirst, pack, nouns);
  const rest = /^details?$/.test(one.nouns.at(-1) ?? "") && one.isVerbFirst ? one.nouns.slice(0, -1) : undefined;
  const bare = rest && readingOf(rest, false, pack, nouns);
  const found = [
    ...(bare ? [{ ...opOf(one, pack, bare, nouns, one.verb), isLoose: true }] : []),
    ...(whole ? [opOf(one, pack, whole, nouns, one.verb)] : []),
    ...(whole && isNumbered(whole, nouns) ? [opOf(one, pack, { ...whole, isWritten: true }, nouns, one.verb)] : []),
  ];
  const isListed = whole && one.verb === "get" && one.isVerbFirst && one.tail.length === 0 && isMany(whole, nouns);
  return isListed ? [{ ...opOf(one, pack, whole, nouns, "list"), isLoose: true }, ...found] : found;
}

/** Whether a reading names several things: a plural, of the entity or of a facet that is a thing itself. */
const isMany = (reading: Reading, nouns: Nouns): boolean =>
  reading.facet.length === 0 ? reading.isPlural : isNumbered(reading, nouns);

const isNumbered = ({ facet, noun }: Reading, nouns: Nouns): boolean => numbered(facet, noun, nouns) !== facet;

/** A facet in the singular if it is an entity, or if other tools of its entity have the singular; else the words as they are. */
function numbered(facet: readonly string[], noun: string, { entities }: Nouns): readonly string[] {
  const last = facet.at(-1) ?? "";
  if (!isPlural(last)) return facet;
  const one = [...facet.slice(0, -1), singular(last)];
  const isEntity = one.length === 1 && entities.has(singular(last));
  return isEntity || entities.get(noun)?.facets.has(one.join("_")) ? one : facet;
}

/** A topic without its verb: `get_billing_status` is `billing.status`. */
function topicOf(
  { nouns: [noun = "", ...facet], tail, verb, isVerbFirst }: NameParts,
  { topics }: Nouns,
): Reading | undefined {
  const isRead = verb === "" || (verb === "get" && isVerbFirst);
  if (!topics.has(noun) || facet.length === 0 || !isRead || tail.length > 0) return undefined;
  return { noun, facet, isPlural: false };
}

/** Reads nouns as an entity with a facet behind it, or else, if `mayEnd`, before it; undefined if they name no entity. */
function readingOf(words: readonly string[], mayEnd: boolean, pack: string, { entities }: Nouns): Reading | undefined {
  const [first] = words;
  if (first === undefined) return undefined;
  const isWholePack = words.length === 1 && isPackInFull(first, pack) && !recurs(entities.get(singular(first)));
  if (isWholePack) return { noun: "", facet: [], isPlural: isPlural(first) };
  for (const [i, word] of words.entries()) {
    const noun = [...words.slice(0, i), word].map(singular).join("_");
    if (entities.has(noun)) return { noun, facet: words.slice(i + 1), isPlural: isPlural(word) };
  }
  const last = words.at(-1) ?? "";
  if (!mayEnd || PREPOSITIONS.has(first) || !entities.has(singular(last))) return undefined;
  const facet = words.slice(0, -1).map((one) => RELATIONS.get(one) ?? one);
  return { noun: singular(last), facet, isPlural: isPlural(last) };
}

const recurs = (noun: Noun | undefined): boolean => noun !== undefined && noun.tools.length > 1;

/** Fewest letters of a pack that a longer word may begin with: `ontology` is `onto`. */
const MIN_ABBREVIATION = 4;

/** Whether a noun is the pack in full: `ontology` in the pack `onto`. */
const isPackInFull = (noun: string, pack: string): boolean =>
  pack.length >= MIN_ABBREVIATION && noun.startsWith(pack.toLowerCase()) && !isPack(noun, pack);

const isPack = (noun: string, pack: string): boolean => singular(noun) === singular(nameWords(pack).join("_"));

function opOf(one: NameParts, pack: string, reading: Reading, nouns: Nouns, verb: string): InferredOp {
  const { noun, facet, isWritten } = reading;
  const [preposition = "", ...place] = one.tail;
  const words = [...facet, ...(preposition === "in" ? place : one.tail)];
  const named = isWritten ? words : numbered(words, noun, nouns);
  const known = nouns.entities.get(noun) ?? nouns.topics.get(noun);
  const entity = known && !isPack(noun, pack) ? known.name : "";
  const segments = [entity, named.join("_"), verb].filter((part) => part !== "");
  return {
    op: [pack, ...segments.map(safeName)].join("."),
    verb,
    because: `inferred: ${reasons({ one, pack, verb, facet: named.join("_"), known, isTopic: nouns.topics.has(noun) })}`,
    noun: known?.name ?? "",
  };
}

interface Reason {
  readonly one: NameParts;
  readonly pack: string;
  readonly verb: string;
  readonly facet: string;
  readonly known: Noun | undefined;
  readonly isTopic: boolean;
}

/** `verb list, entity task (in 12 tools), prefix onto`. */
function reasons({ one, pack, verb, facet, known, isTopic }: Reason): string {
  const since = verb === one.verb ? "" : `, since ${one.verb} has a plural`;
  return [
    ...(verb === "" ? [] : [`verb ${verb}${since}`]),
    known ? `${isTopic ? "topic" : "entity"} ${known.name}${inTools(known)}` : `it means the pack ${pack}`,
    ...(facet === "" ? [] : [`facet ${facet}`]),
    ...(one.prefix === "" ? [] : [`prefix ${one.prefix}`]),
  ].join(", ");
}

const inTools = ({ tools }: Noun): string => (tools.length > 1 ? ` (in ${tools.length} tools)` : "");

interface Choice {
  readonly tool: string;
  readonly ops: readonly Candidate[];
  at: number;
}

/** Moves names on to their next op until no op is taken twice or begins another one. */
function settle(choices: readonly Choice[], taken: readonly string[]): void {
  for (;;) {
    const losers = new Set([...sharing(choices, taken), ...behind(choices, taken)].filter(isMovable));
    if (losers.size === 0) return;
    for (const one of losers) one.at++;
  }
}

const isMovable = ({ ops, at }: Choice): boolean => at < ops.length - 1;
const opNow = ({ ops, at }: Choice): string => ops[at]?.op.toLowerCase() ?? "";

/** Names with an op that another one has too: only the loose ones, if there are any. */
function sharing(choices: readonly Choice[], taken: readonly string[]): readonly Choice[] {
  // Exposed tools have `_` for dots.
  const keyOf = (op: string): string => op.replaceAll(".", "_");
  const fixed = new Set(taken.map((op) => keyOf(op.toLowerCase())));
  const byKey = new Map<string, Choice[]>();
  for (const one of choices) {
    const same = byKey.get(keyOf(opNow(one))) ?? [];
    byKey.set(keyOf(opNow(one)), same);
    same.push(one);
  }
  return [...byKey].flatMap(([key, same]) => {
    if (fixed.has(key)) return same;
    const loose = same.filter((one) => isMovable(one) && one.ops[one.at]?.isLoose);
    return same.length === 1 ? [] : loose.length > 0 ? loose : same;
  });
}

/** Names whose op begins with another op. */
function behind(choices: readonly Choice[], taken: readonly string[]): readonly Choice[] {
  const paths = new Set([...taken.map((op) => op.toLowerCase()), ...choices.map(opNow)]);
  return choices.filter((one) => {
    const parts = opNow(one).split(".");
    return parts.some((_, i) => i > 1 && paths.has(parts.slice(0, i).join(".")));
  });
}
