/** Finds the op that a text means by its words: other separators and wrappers, synonyms of verbs, mistyped words. */

import type { JsonValue, Tool } from "../contract/registry.js";
import { verbsLike } from "../contract/search/verbs.js";
import { typosOf, withoutPlural, wordsIn } from "../contract/typo.js";
import { namesInPacks, type RegistryView } from "./registry.js";

/** Longest text that is taken apart, in characters, and most words of an op. */
const MAX_TEXT_LENGTH = 200;
const MAX_WORDS = 12;

/** Words before an op that say only that it is one. */
const WRAPPERS: ReadonlySet<string> = new Set(
  "functions function tools tool toolwright default api ops op call run exec execute mcp use".split(" "),
);

/** Verbs that an update does by setting a state, and the states that they may mean. */
const STATES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    complete: "done completed complete achieved finished closed",
    finish: "done completed complete achieved finished closed",
    close: "closed done completed",
    start: "in_progress active started",
    begin: "in_progress active started",
    archive: "archived",
    publish: "published",
    cancel: "cancelled canceled",
    block: "blocked",
    pause: "paused",
    activate: "active",
    abandon: "abandoned",
  }).map(([verb, states]) => [verb, states.split(" ")]),
);

/** An op, and the arguments that its name in the call implies. */
export interface MeantOp {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, JsonValue>>;
}

/** Ops by their words. */
interface Words {
  /** All words in order, of the op, the tool's name and aliases. */
  readonly named: ReadonlyMap<string, ReadonlySet<Tool>>;
  /** The op's words in any order and number, with and without those of its pack. */
  readonly loose: ReadonlyMap<string, ReadonlySet<Tool>>;
  /** The same names as {@link named}, in one word. */
  readonly squashed: ReadonlyMap<string, ReadonlySet<Tool>>;
  readonly vocabulary: ReadonlySet<string>;
}

const known = new WeakMap<RegistryView, Words>();

function wordsOf(view: RegistryView): Words {
  const words = known.get(view) ?? index(view.listed);
  known.set(view, words);
  return words;
}

function index(tools: readonly Tool[]): Words {
  const named = new Map<string, Set<Tool>>();
  const loose = new Map<string, Set<Tool>>();
  const squashed = new Map<string, Set<Tool>>();
  const vocabulary = new Set<string>();
  const add = (map: Map<string, Set<Tool>>, key: string, tool: Tool): void => {
    map.set(key, (map.get(key) ?? new Set()).add(tool));
  };
  for (const tool of tools) {
    const words = wordsIn(tool.op);
    for (const word of words) vocabulary.add(word);
    for (const name of [tool.op, tool.tool_name, ...namesInPacks(tool), ...tool.aliases]) {
      add(named, wordsIn(name).join(" "), tool);
      add(squashed, wordsIn(name).join(""), tool);
    }
    const bare = words.slice(wordsIn(tool.group).length);
    for (const some of [words, bare]) add(loose, looseKey(some), tool);
  }
  return { named, loose, squashed, vocabulary };
}

/** The words in any order, each once: `task.list_tasks` is `task.list`. */
const looseKey = (words: readonly string[]): string => [...new Set(words.map(withoutPlural))].sort().join(" ");

/** Words that say how others relate, so that their order has a meaning: `eur_to_usd` is not `usd_to_eur`. */
const RELATIONS: ReadonlySet<string> = new Set("to from into by as over before after than versus vs".split(" "));

/** The words of a text, without those that wrap an op; empty if it is too long to be one. */
function opWords(text: string, { named }: Words): readonly string[] {
  if (text.length > MAX_TEXT_LENGTH) return [];
  const words = wordsIn(text.replace(/^mcp__\w+?__/, ""));
  if (words.length > MAX_WORDS) return [];
  let from = 0;
  while (from < words.length - 1 && WRAPPERS.has(words[from] ?? "") && !named.has(words.slice(from).join(" "))) from++;
  return words.slice(from);
}

const only = (tools: ReadonlySet<Tool> | undefined): Tool | undefined =>
  tools?.size === 1 ? [...tools][0] : undefined;

/** The listed op of exactly these words, whatever stands between them; `list tasks` is `onto.task.list`. */
export function spelledOp(view: RegistryView, text: string): Tool | undefined {
  const words = wordsOf(view);
  const found = opWords(text, words);
  const tool = found.length === 0 ? undefined : byWords(words, found);
  return view.alike(text).every((one) => one === tool) ? tool : undefined;
}

function byWords(words: Words, found: readonly string[]): Tool | undefined {
  const exact = words.named.get(found.join(" "));
  if (exact) return only(exact);
  const squashed = found.length === 1 ? only(words.squashed.get(found[0] ?? "")) : undefined;
  const tool = found.length > 1 ? only(words.loose.get(looseKey(found))) : squashed;
  return tool && isOrdered(tool, found) && agrees(tool, found) ? tool : undefined;
}

/** Whether words that relate others stand between the same ones as in the op. */
function isOrdered(tool: Tool, found: readonly string[]): boolean {
  if (!found.some((word) => RELATIONS.has(word))) return true;
  const asked = found.map(withoutPlural).join(" ");
  return [tool.op, tool.tool_name].some((name) => wordsIn(name).map(withoutPlural).join(" ").endsWith(asked));
}

/** Whether the number of a noun agrees: `get tasks` asks for a list, which `onto.task.get` does not give. */
function agrees(tool: Tool, found: readonly string[]): boolean {
  if (tool.action === "list" || tool.action === "search") return true;
  const own = new Set([...wordsIn(tool.op), ...wordsIn(tool.tool_name)]);
  return found.every((word) => own.has(word));
}

/** The op that a text probably means; it is offered, never called. */
export function meantOp(view: RegistryView, text: string): MeantOp | undefined {
  const words = wordsOf(view);
  const found = opWords(text, words);
  if (view.alike(text).length > 1 || (words.named.get(found.join(" "))?.size ?? 0) > 1) return undefined;
  const spelled = spelledOp(view, text);
  if (spelled) return { tool: spelled, args: {} };
  const loose = looseTool(words, found);
  const listed = found.some((word) => word !== withoutPlural(word))
    ? bySynonym(words, found, listVerbs, byWords)
    : undefined;
  if (listed || loose) return listed ?? (loose && { tool: loose, args: {} });
  return (
    withState(words, found) ??
    bySynonym(words, found, verbsLike, byWords) ??
    bySynonym(words, found, verbsLike, looseTool) ??
    byTyping(words, found)
  );
}

/** The op of these words, even if it is of one thing and the text speaks of several. */
function looseTool(words: Words, found: readonly string[]): Tool | undefined {
  const tool = only(words.loose.get(looseKey(found)));
  return tool && isOrdered(tool, found) ? tool : undefined;
}

const replaced = (words: readonly string[], at: number, by: string): readonly string[] => words.with(at, by);

/** `onto.task.complete` → `onto.task.update` with `state_key: done`. */
function withState(words: Words, found: readonly string[]): MeantOp | undefined {
  for (const [at, word] of found.entries()) {
    const states = STATES.get(word);
    const tool = states && byWords(words, replaced(found, at, "update"));
    const args = tool && stateOf(tool, states);
    if (args) return { tool, args };
  }
  return undefined;
}

function stateOf({ parameters_schema: schema }: Tool, states: readonly string[]): MeantOp["args"] | undefined {
  const properties = Object.entries((schema["properties"] ?? {}) as Readonly<Record<string, JsonValue>>);
  for (const [name, property] of properties) {
    const values = /^(?:state|status)(?:_key)?$/.test(name) ? Object(property)["enum"] : undefined;
    const state = Array.isArray(values) ? states.find((one) => values.includes(one)) : undefined;
    if (state !== undefined) return { [name]: state };
  }
  return undefined;
}

/** What a verb means where the noun is a plural: `get tasks`. */
const listVerbs = (verb: string): readonly string[] =>
  verb === "get" || verbsLike("get").includes(verb) ? ["list"] : [];

function bySynonym(
  words: Words,
  found: readonly string[],
  synonyms: (verb: string) => readonly string[],
  find: typeof byWords,
): MeantOp | undefined {
  for (const [at, word] of found.entries())
    for (const verb of synonyms(word)) {
      const tool = find(words, replaced(found, at, verb));
      if (tool) return { tool, args: {} };
    }
  return undefined;
}

/** Ops that are tried for mistyped words. */
const MAX_COMBINATIONS = 64;

/** Only words that stand for nothing are taken as mistyped: `risk` is no `task`, and `set` no `get`. */
function byTyping(words: Words, found: readonly string[]): MeantOp | undefined {
  const meant = found.map((word) => {
    const isWord = words.vocabulary.has(withoutPlural(word)) || verbsLike(word).length > 0 || STATES.has(word);
    return isWord || words.vocabulary.has(word) ? [word] : typosOf(word, words.vocabulary);
  });
  if (meant.reduce((product, some) => product * some.length, 1) > MAX_COMBINATIONS) return undefined;
  const combinations = meant.reduce<readonly (readonly string[])[]>(
    (all, some) => all.flatMap((start) => some.map((word) => [...start, word])),
    [[]],
  );
  const tools = new Set(combinations.flatMap((one) => byWords(words, one) ?? []));
  const tool = only(tools);
  return tool && { tool, args: {} };
}

/** Strips the characters of a class from both ends of a text; a pattern for both ends takes quadratic time. */
export function withoutEnds(text: string, outer: RegExp): string {
  let [from, to] = [0, text.length];
  while (from < to && outer.test(text.charAt(from))) from++;
  while (to > from && outer.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}
