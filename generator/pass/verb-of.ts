/**
 * Finds the word of a tool name that decides its kind. Names in any style are read as English.
 *
 * The first verb after the prefix decides, unless it may be a noun and a surer verb follows: `user_list_delete` deletes,
 * `order_get` gets, but `get_order` and `get_update` get. If two readings remain, the write is chosen.
 */

import { nameWords } from "../core/names.js";
import {
  type Grade,
  INFORMATION,
  OPERATIONS,
  PICTURES,
  READ_THINGS,
  READERS,
  STATEMENTS,
  STORED_AT,
  THINGS,
  type Verb,
} from "./verbs.js";

/** The deciding word. */
export interface FoundVerb {
  /** How it was found: as a verb, as a write joined by `and`, `or` or `then`, or as a noun in a name without a verb. */
  readonly by: "verb" | "joint" | "noun";
  readonly word: string;
  readonly verb: Verb;
  /** For `explain`: `verb list, the second word, behind browser`. */
  readonly because: string;
}

interface Spot {
  readonly word: string;
  readonly verb: Verb;
  readonly at: number;
}

interface Name {
  readonly words: readonly string[];
  /** All words that the vocabulary knows, in order. */
  readonly known: readonly Spot[];
  /** Those in the position of a verb, after the prefix. */
  readonly spots: readonly Spot[];
  /** Index of the first word after the prefix. */
  readonly start: number;
  /** Index of the last significant word: before a preposition, a version, a number, or the word tool. */
  readonly end: number;
}

type Vocabulary = ReadonlyMap<string, Verb>;
type Rule = (name: Name, vocabulary: Vocabulary) => FoundVerb | undefined;

const set = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const JOINTS = set("and or then");
const PREPOSITIONS = set(
  "about across along as at by for from in into near of on per since to using via with within without",
);
const REQUESTS = set("merge pull");
const PREDICATES = set("are can does has how is what when where which who why");
const READ: Verb = { kind: "read", grade: "sure", idempotent: true };
const WRITE: Verb = { kind: "write", grade: "sure" };
const RANK: Readonly<Record<Grade, number>> = { either: 0, likely: 1, sure: 2 };

/** The deciding word of a name; undefined without a known verb. Leading words of the pack are its prefix. */
export function verbIn(name: string, vocabulary: Vocabulary, pack = ""): FoundVerb | undefined {
  // Non-Latin letters split words, and some only look like Latin ones, so no result would be reliable.
  if (/[^\P{L}A-Za-z]/u.test(name)) return undefined;
  const read = reading(name, nameWords(pack), vocabulary);
  for (const rule of read.known.some((one) => one.verb.given) ? PLAIN : RULES) {
    const found = rule(read, vocabulary);
    if (found) return guarded(found, [...read.words, ...nameWords(pack)]);
  }
  return undefined;
}

function reading(name: string, pack: readonly string[], vocabulary: Vocabulary): Name {
  const words = nameWords(name);
  const known = words.flatMap((word, at) => {
    if (isRequest(words, at) || isRequest(words, at - 1)) return [];
    const verb = vocabulary.get(word) ?? derived(word, vocabulary);
    return verb ? [{ word, verb, at }] : [];
  });
  const cut = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const body = cut === -1 ? words : words.slice(0, cut);
  const end = body.findLastIndex((word) => !/^(?:v?\d+|tool)$/.test(word));
  const group = groupOf(name, vocabulary);
  const start = group ?? prefixOf(name, words, known, pack, vocabulary);
  const isSpot = (one: Spot) => (group === undefined ? one.at >= start && inPlace(one, start, end) : one.at === start);
  return { words, known, spots: known.filter(isSpot), start, end };
}

/** Whether two words form a noun: `pull_request`. */
const isRequest = (words: readonly string[], at: number): boolean =>
  REQUESTS.has(words[at] ?? "") && /^requests?$/.test(words[at + 1] ?? "");

/** Whether a word is in the position of a verb. An `either` word must be first, after one word of prefix, or last. */
const inPlace = ({ verb, at }: Spot, start: number, end: number): boolean =>
  verb.grade !== "either" || at <= start + 1 || at === end;

/** Words that only look like a verb behind `de`. */
const NOUNS = set("design designs");

/** The verb behind `re`, or behind what takes it back: `republish`, `unpublish` and `depublish` are writes like `publish`. */
function derived(word: string, vocabulary: Vocabulary): Verb | undefined {
  const stem = NOUNS.has(word) ? undefined : /^(?:re|un|de|dis)(.{3,})$/.exec(word)?.[1];
  return stem !== undefined && vocabulary.get(stem)?.kind === "write" ? { kind: "write", grade: "likely" } : undefined;
}

/**
 * Number of words in the prefix: those of the pack, and in a name of two styles (`mail_listAliases`) those before the camel-case
 * part. A word that is most likely a verb is never part of it, and at least one verb remains.
 */
function prefixOf(
  name: string,
  words: readonly string[],
  known: readonly Spot[],
  pack: readonly string[],
  vocabulary: Vocabulary,
): number {
  const own = words.findIndex((word) => !pack.includes(word));
  const parts = name.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  const hump = parts.findIndex((part) => /[a-z][A-Z]/.test(part));
  const mixed = hump > 0 ? nameWords(parts.slice(0, hump).join("_")).length : 0;
  const humped = vocabulary.has(words[mixed] ?? "") ? mixed : 0;
  const verb = known.find((one) => one.verb.grade !== "either")?.at ?? words.length;
  const length = Math.min(Math.max(own, humped), verb);
  return known.some((one) => one.at >= length) ? length : 0;
}

/** `ConnectLog_GetConnectLogs`, as .NET tools name operations: a group, then a verb with its object. */
const GROUPED = /^([A-Z][A-Za-z0-9]*)_([A-Z][a-z]+)(?=[A-Z])/;

/** Number of words in the group before the verb: `Connect_GetUsers` gets, but `Delete_ListItems` deletes. */
function groupOf(name: string, vocabulary: Vocabulary): number | undefined {
  const [, group = "", action = ""] = GROUPED.exec(name) ?? [];
  const [first = "", ...rest] = nameWords(group);
  const grade = vocabulary.get(action.toLowerCase())?.grade;
  return grade === "sure" || (grade === "likely" && !vocabulary.has(first)) ? 1 + rest.length : undefined;
}

/** A joined write: `find_and_remove` is a write like `remove`, and `peek_and_frob` may be one. */
const joined: Rule = ({ known, words, start, end }) => {
  const spot = known.find((one) => one.verb.kind === "write" && JOINTS.has(words[one.at - 1] ?? ""));
  if (spot) return { ...spot, by: "joint", because: `verb ${spot.word}, behind ${words[spot.at - 1]}` };
  const [joint = "", word = ""] = words.slice(start + 1);
  const isUnknownVerb = JOINTS.has(joint) && word !== "" && end >= start + 2 && !known.some((one) => one.at > start);
  return isUnknownVerb && known.some((one) => one.at === start)
    ? { by: "joint", word, verb: WRITE, because: `${word}, which is no known verb, behind ${joint}` }
    : undefined;
};

/** Verbs that act together with the word behind them: `check_in` does not check, `get_rid_of` removes. */
const PHRASES = new Set([
  "check in",
  "check out",
  "get rid",
  "ping hook",
  "ping hooks",
  "ping webhook",
  "ping webhooks",
]);

const phrase: Rule = ({ words, start }) => {
  const word = words.slice(start, start + 2).join(" ");
  return PHRASES.has(word) ? { by: "verb", word, verb: WRITE, because: `verb ${word}` } : undefined;
};

/** Predicates: `is_member`, `has_access`. */
const predicate: Rule = ({ words, start }) => {
  const word = words[start] ?? "";
  return PREDICATES.has(word) ? { by: "verb", word, verb: READ, because: `${word} asks` } : undefined;
};

/** `generate_chart`: returns a picture and stores nothing. */
const picture: Rule = ({ words, start, end }) => {
  const [verb, thing] = [words[start] ?? "", words[end] ?? ""];
  if ((verb !== "generate" && verb !== "render") || !PICTURES.has(thing)) return undefined;
  return { by: "verb", word: verb, verb: READ, because: `verb ${verb}: a ${thing} is only given` };
};

/** `read_write_file`: two adjacent verbs, one of them a write. */
const paired: Rule = ({ spots, start, end }) => {
  const [first, second] = spots;
  if (!first || !second || second.at !== start + 1 || second.at === end) return undefined;
  const plain = first.verb.kind === "read" && first.verb.grade === "likely" && second.verb.grade === "sure";
  return plain && second.verb.kind === "write"
    ? { ...second, by: "verb", because: `verb ${second.word}, beside ${first.word}` }
    : undefined;
};

/** The first verb, or the later verb that overrides it. */
const leading: Rule = (name) => {
  const [lead] = name.spots;
  if (!lead) return undefined;
  const winner = (lead.verb.kind === "read" ? overRead : overWrite)(name, lead);
  if (winner)
    return { ...winner, by: "verb", because: `verb ${winner.word}, ${place(winner, name)}, outweighs ${lead.word}` };
  const prefix = name.words.slice(0, lead.at).join(" ");
  const where = prefix === "" ? "" : `, ${place(lead, name)}, behind ${prefix}`;
  return { ...lead, by: "verb", because: `verb ${lead.word}${where}` };
};

/** A write that overrides a read verb before it: it ends the name, or it is sure and the read verb does not begin the name. */
function overRead({ spots, start, end }: Name, lead: Spot): Spot | undefined {
  const begins = lead.at === start;
  const least: Grade = lead.verb.grade === "sure" ? "sure" : begins ? "likely" : "either";
  return spots.find(({ at, verb }) => {
    if (at <= lead.at || verb.kind !== "write") return false;
    if (at === end) return RANK[verb.grade] >= RANK[least];
    return !begins && lead.verb.grade !== "sure" && verb.grade === "sure";
  });
}

/** A verb that overrides a write that is more likely a noun: `order_get`, `comment_delete`, `order_list`, but not `empty_list`. */
function overWrite({ spots, words, end }: Name, lead: Spot): Spot | undefined {
  const isNoun = (one: Spot) => lead.verb.grade === "likely" && READ_THINGS.has(one.word);
  const surer = spots.filter((one) => one.at > lead.at && RANK[one.verb.grade] > RANK[lead.verb.grade] && !isNoun(one));
  const write = surer.find((one) => one.verb.kind === "write");
  if (write || words.some((word) => JOINTS.has(word))) return write;
  const behind = (one: Spot) => one.at === lead.at + 1 && lead.verb.grade === "either";
  const listed = THINGS.has(lead.word) ? surer.find((one) => one.word === "list" && one.at === end) : undefined;
  if (listed) return listed;
  return surer.find((one) => one.verb.grade === "sure" && (one.at === end || behind(one)));
}

/** Makes a query a write if it is in a language whose statements may write, and `git fetch`, which stores what it fetches. */
function guarded(found: FoundVerb, words: readonly string[]): FoundVerb {
  const writers = found.verb.given ? undefined : WRITERS.get(found.word);
  const writer = words.find((word) => writers?.has(word));
  return writer === undefined ? found : { ...found, verb: WRITE, because: `${found.because}: ${writer} may write` };
}

const WRITERS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["query", STATEMENTS],
  ["fetch", set("git")],
]);

/** `lists_tasks`, `searching_tasks`, if no word is a plain verb. At the start of longer names, a form in `-ing` is an adjective. */
const inflected: Rule = ({ words, start, known }, vocabulary) => {
  const word = words[start] ?? "";
  const stem = stemsOf(word).find((one) => (vocabulary.get(one)?.grade ?? "either") !== "either");
  const verb = vocabulary.get(stem ?? "");
  if (stem === undefined || !verb || known.length > 0 || (word.endsWith("ing") && words.length > 2)) return undefined;
  return { by: "verb", word: stem, verb, because: `verb ${stem}, in ${word}` };
};

/** Possible base forms of a word: `lists`, `searches`, `listing`, `creating`, `getting`. */
function stemsOf(word: string): readonly string[] {
  const stem = /^(.{2,})(?:s|ing)$/.exec(word)?.[1];
  if (stem === undefined) return [];
  const double = stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : [];
  return word.endsWith("s") ? [stem, stem.replace(/e$/, ""), stem.replace(/ie$/, "y")] : [stem, `${stem}e`, ...double];
}

/** `queue_details`: a name without a verb that ends in a word for information. */
const information: Rule = ({ words, end, known }) => {
  const word = words[end] ?? "";
  const verbal = words.slice(0, end).some((one) => /(?:ate|ify|ise|ize)$/.test(one));
  return end > 0 && INFORMATION.has(word) && !verbal && known.every((one) => one.at === end)
    ? { by: "noun", word, verb: READ, because: `no verb, but ${word} of something` }
    : undefined;
};

/** `pdf-reader`: a name without a verb that ends in a word for what reads. */
const reader: Rule = ({ words, end, known }) => {
  const word = words[end] ?? "";
  return end > 0 && READERS.has(word) && known.length === 0
    ? { by: "noun", word, verb: READ, because: `no verb, but a ${word}` }
    : undefined;
};

/** An argument, with the texts that its schema lists. */
export interface NamedArgument {
  readonly name: string;
  readonly values: readonly string[];
}

/**
 * The deciding word, given the arguments: a download that is told where to store something is a write, and so is a read
 * whose argument chooses between operations, with a write among them.
 */
export function withArguments(
  found: FoundVerb | undefined,
  args: readonly NamedArgument[],
  vocabulary: Vocabulary,
): FoundVerb | undefined {
  if (!found || found.verb.given || found.verb.kind === "write") return found;
  const storing = found.word === "download" ? args.find(({ name }) => namesAny(name, STORED_AT)) : undefined;
  if (storing)
    return { ...found, verb: WRITE, because: `${found.because}: argument ${storing.name} may say where it is stored` };
  for (const { name, values } of args.filter((one) => namesAny(one.name, OPERATIONS))) {
    const written = values.find((value) => vocabulary.get(value.toLowerCase())?.kind === "write");
    if (written !== undefined)
      return { ...found, verb: WRITE, because: `${found.because}: argument ${name} may be ${written}` };
  }
  return found;
}

const namesAny = (name: string, words: ReadonlySet<string>): boolean => nameWords(name).some((word) => words.has(word));

/** Rules for names with a configured verb. */
const PLAIN: readonly Rule[] = [joined, leading];
const RULES: readonly Rule[] = [joined, paired, phrase, predicate, picture, inflected, information, reader, leading];

const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"] as const;

const place = ({ at }: Spot, { end }: Name): string =>
  at === end ? "the last word" : `the ${ORDINALS[at] ?? `${at + 1}th`} word`;
