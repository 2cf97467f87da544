/** Groups of ops: those that paths of ops have, and, where a level is long, those made from topics and words of names. */

import { byCodeUnit } from "./canonical.js";
import type { Tool } from "./registry.js";
import { VERBS_OF } from "./search/verbs.js";
import { wordsIn } from "./typo.js";

/** Ops that one level lists; a longer level is grouped. */
const MAX_LISTED_OPS = 40;
/** Ops of the smallest group that is made. */
const MIN_GROUP_OPS = 3;

/** Longest path of a group that is made, in characters. */
const MAX_PATH_LENGTH = 400;

/** The paths and names that ops have: no group that is made may have one of them. */
export interface OpPaths {
  /** The prefix of ops in its own letter case. */
  prefix(path: string): string | undefined;
  /** The op with exactly this path. */
  exact(op: string): Tool | undefined;
  /** The op with this path when letter case is ignored. */
  folded(op: string): Tool | undefined;
  /** Whether a tool or an alias has exactly this name. */
  isName(name: string): boolean;
}

/** Paths with the ops below each prefix. */
interface PathsBelow extends OpPaths {
  below(prefix: string): readonly Tool[] | undefined;
}

/** A level of the catalogue: its path and the ops below it. */
export interface HelpLevel {
  readonly path: string;
  readonly tools: readonly Tool[];
}

/** A level taken apart. Each op is in one group, or stands alone. */
export interface LevelParts {
  readonly groups: readonly HelpLevel[];
  readonly alone: readonly Tool[];
}

/** Whether a level is too long to be listed. */
export const isLong = ({ tools }: HelpLevel): boolean => tools.length > MAX_LISTED_OPS;

/** The level at a path: a prefix of ops, else a group from {@link levelParts}. */
export function levelAt(view: PathsBelow, path: string): HelpLevel | undefined {
  const prefix = view.prefix(path);
  if (prefix !== undefined) return { path: prefix, tools: view.below(prefix) ?? [] };
  const end = path.length > MAX_PATH_LENGTH ? -1 : path.lastIndexOf(".");
  const above = end > 0 ? levelAt(view, path.slice(0, end)) : undefined;
  if (!above || !isLong(above)) return undefined;
  const wanted = path.slice(end + 1).toLowerCase();
  return madeGroups(view, above).groups.find((one) => one.path.slice(above.path.length + 1) === wanted);
}

/** The groups of a long level. */
export function levelParts(view: OpPaths, level: HelpLevel): LevelParts {
  const segments = by(level.tools, (tool) => segmentOf(tool, level.path));
  const direct = segments.get("") ?? [];
  const real = [...segments].filter(([name]) => name !== "").map(([name, tools]) => levelOf(level.path, name, tools));
  if (!isLong({ path: level.path, tools: direct })) return { groups: real.sort(inOrder), alone: direct };
  const made = madeGroups(view, level);
  return { groups: [...real, ...made.groups].sort(bySize), alone: made.alone };
}

/**
 * The groups of a pack in the order of its directories, each with the ops that are in no group below it. The first one, with the path
 * of the pack, has those in no group.
 *
 * @example
 * groupsIn(view, { path: "api", tools }).map(({ path, tools }) => `${path} ${tools.length}`); // ["api 12", "api.repos 58", "api.repos.tag 5"]
 */
export function groupsIn(view: OpPaths, pack: HelpLevel): readonly HelpLevel[] {
  const { groups, alone } = levelParts(view, pack);
  const below = groups.flatMap((one) => (isLong(one) ? groupsIn(view, one) : [one]));
  return alone.length === 0 ? below : [{ path: pack.path, tools: alone }, ...below];
}

const levelOf = (path: string, name: string, tools: readonly Tool[]): HelpLevel => ({
  path: path === "" ? name : `${path}.${name}`,
  tools,
});

const inOrder = (a: HelpLevel, b: HelpLevel): number => byCodeUnit(a.path, b.path);
const bySize = (a: HelpLevel, b: HelpLevel): number => b.tools.length - a.tools.length || inOrder(a, b);

/** The groups of ops that have no further segment, unless a prefix or an op has the path of the group. */
function madeGroups(view: OpPaths, { path, tools }: HelpLevel): LevelParts {
  const direct = tools.filter((tool) => segmentOf(tool, path) === "");
  const found = by(direct, (tool) => keyOf(tool, path));
  const isGroup = ([key, members]: readonly [string, readonly Tool[]]): boolean =>
    key !== "" && members.length >= MIN_GROUP_OPS && isFree(view, `${path}.${key}`);
  const groups = [...found].filter(isGroup).map(([key, members]) => levelOf(path, key, members));
  const inGroups = new Set(groups.flatMap((one) => one.tools));
  return { groups: groups.sort(bySize), alone: direct.filter((tool) => !inGroups.has(tool)) };
}

const isFree = (view: OpPaths, path: string): boolean =>
  view.prefix(path) === undefined &&
  view.folded(path) === undefined &&
  view.exact(path) === undefined &&
  !view.isName(path);

function by(tools: readonly Tool[], keyOfTool: (tool: Tool) => string): ReadonlyMap<string, readonly Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const members = groups.get(keyOfTool(tool));
    if (members) members.push(tool);
    else groups.set(keyOfTool(tool), [tool]);
  }
  return groups;
}

/** The segment after a prefix, if others follow it; at the root the pack. */
function segmentOf({ op }: Tool, path: string): string {
  if (path !== "" && !op.startsWith(`${path}.`)) return "";
  const start = path === "" ? 0 : path.length + 1;
  const end = op.indexOf(".", start);
  return end < 0 ? "" : op.slice(start, end);
}

/** Verbs that are as often things. */
const NOUNS: ReadonlySet<string> = new Set(["display", "filter", "fork", "index"]);
/** Words that name no thing: verbs, those in no class too, and words between them. */
const NO_THINGS: ReadonlySet<string> = new Set([
  ...[...VERBS_OF.values()].flat().filter((verb) => !NOUNS.has(verb)),
  ...(
    "a all and archive batch block bulk by complete convert finish for from grant in invite is join leave mark of on open or " +
    "pause release render request rerun reset resolve resume revoke rotate save self star subscribe suspend sync to unarchive " +
    "unassign unblock unstar unsubscribe upsert use watch with write"
  ).split(" "),
]);

/** Names that a group cannot have: they end a path of a kind. */
const KINDS: ReadonlySet<string> = new Set(["read", "write"]);

/** The group of an op in a level: its topic, else the first word of its name that is no verb and not in the path yet. */
function keyOf({ op, topic }: Tool, path: string): string {
  const isNew = newIn(path);
  if (topic !== undefined && !KINDS.has(topic) && wordsIn(topic).some(isNew)) return topic;
  return (
    wordsIn(lastName(op))
      .map(nounOf)
      .find((word) => !KINDS.has(word) && !NO_THINGS.has(word) && isNew(word)) ?? ""
  );
}

/** The singular of a noun, as a word that people read: `releases` is `release`, and `status` stays. */
function nounOf(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|ias)$/.test(word)) return word;
  return word.replace(/ies$/, "y").replace(/((?:ch|sh|x|ss|us|ias))es$|s$/, "$1");
}

/** Whether a word is not in a path, in the singular or the plural. */
function newIn(path: string): (word: string) => boolean {
  const said = new Set(path.split(".").flatMap(wordsIn).map(nounOf));
  return (word) => !said.has(nounOf(word));
}

const lastName = (op: string): string => op.slice(op.lastIndexOf(".") + 1);

/** Characters of the words in a group. */
const MAX_HOLDS_LENGTH = 60;

/** What a group has, frequent things first: `branches releases commits …`. */
export function holdsOf({ path, tools }: HelpLevel): string {
  const labels = by(tools, (tool) => segmentOf(tool, path) || keyOf(tool, path) || restOf(tool, path));
  const sorted = [...labels].sort(([a, of], [b, others]) => others.length - of.length || byCodeUnit(a, b));
  let text = "";
  for (const [name] of sorted.filter(([one]) => one !== "")) {
    if (text.length + name.length > MAX_HOLDS_LENGTH) return `${text} …`.trimStart();
    text = text === "" ? name : `${text} ${name}`;
  }
  return text;
}

/** The name of an op without the words of the path. */
const restOf = ({ op }: Tool, path: string): string => wordsIn(lastName(op)).filter(newIn(path)).join("_");
