/** Questions made from the titles of tools: a title word for word, and as people write it who do not know it. */

import type { Tool } from "../../../runtime/contract/registry.js";
import { randomOf, shuffled } from "../random.js";
import type { Question, Sought } from "./search-quality.js";

/** Words that mean the same, a set a line. They are not those of the search, but many are in both. */
const SAME = `get fetch retrieve show read
list enumerate browse
search find
create add make
update edit change modify
delete remove erase
enable activate
disable deactivate
start run
stop cancel
repository repo
organization org
environment env
user person
member teammate
comment remark
issue ticket
team crew
file document
project board
customer client
invoice bill
payment charge
database db
server machine
image picture
message note
permission right
token key
information details
configuration settings
domain address
application app
group set
account profile`;

const SAME_WORDS: ReadonlyMap<string, readonly string[]> = new Map(
  SAME.split("\n").flatMap((line) => {
    const words = line.split(" ");
    return words.map((word) => [word, words.filter((other) => other !== word)] as const);
  }),
);

const FRAMES = [
  "How do I T?",
  "I want to T",
  "Can you T for me?",
  "please T",
  "What do I call to T?",
  "we need to T now",
];

/** Titles with fewer words say too little to leave one out. */
const MIN_WORDS = 2;

type Random = () => number;
type Rewrite = (words: readonly string[], random: Random) => readonly string[];

const one = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

/** Leaves out a third of the words, at least one. */
const withoutWords: Rewrite = (words, random) => {
  const out = new Set(shuffled([...words.keys()], random).slice(0, Math.max(1, Math.round(words.length / 3))));
  return words.filter((_, at) => !out.has(at));
};

const synonyms: Rewrite = (words, random) =>
  words.map((word) => {
    const same = SAME_WORDS.get(word.toLowerCase());
    return same ? one(same, random) : word;
  });

/** A letter left out, doubled, replaced or swapped in a word of five letters or more. */
const mistypedWord: Rewrite = (words, random) => {
  const long = [...words.keys()].filter((at) => (words[at] ?? "").length > 4);
  if (long.length === 0) return words;
  const at = one(long, random);
  return words.with(at, withWrongLetter(words[at] ?? "", random));
};

/** A word with one letter left out, doubled, replaced, or swapped with the next. */
function withWrongLetter(word: string, random: Random): string {
  const at = 1 + Math.floor(random() * (word.length - 2));
  const [before, letter = "", after] = [word.slice(0, at), word[at], word.slice(at + 1)];
  const edits = [after, letter + letter + after, `x${after}`, after.slice(0, 1) + letter + after.slice(1)];
  return before + one(edits, random);
}

/** Kinds of questions, in the order of reports. */
const KINDS: readonly (readonly [kind: string, rewrite: Rewrite])[] = [
  ["literal", (words) => words],
  ["words left out", withoutWords],
  ["synonyms", synonyms],
  ["question", (words, random) => [one(FRAMES, random).replace("T", words.join(" "))]],
  ["typing errors", mistypedWord],
  ["other order", shuffled],
];

/** A title as it is asked for. */
const asked = (title: string): string => title.replace(/\.$/, "");

/** Tools by their titles. Tools with equal titles are one to a question. */
export const byTitle = (tools: readonly Tool[]): readonly Sought[] =>
  tools.map((tool) => ({ tool, name: asked(tool.summary), description: tool.description }));

/** So many titles as questions of each kind; a title that a kind leaves as it is counts too. */
export function titleQuestions(
  tools: readonly Tool[],
  count: number,
  seed: number,
): ReadonlyMap<string, readonly Question[]> {
  const titles = [...new Set(tools.map(({ summary }) => asked(summary)))].filter(
    (title) => title.split(" ").length >= MIN_WORDS,
  );
  const chosen = shuffled(titles, randomOf(seed)).slice(0, count);
  return new Map(
    KINDS.map(([kind, rewrite], at) => {
      const random = randomOf(seed + at);
      const ask = (title: string): Question => ({
        text: rewrite(title.split(" "), random).join(" "),
        names: [title],
      });
      return [kind, chosen.map(ask)];
    }),
  );
}
