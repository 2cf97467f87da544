/** Builds the index of signatures in the description of `run`, as detailed as a token budget allows. */

import { acceptedNames, OTHERS } from "./accepted-names.js";
import type { Tool } from "./registry.js";

/** The parts of a tool that an index entry uses. */
export type IndexedTool = Pick<Tool, "op" | "group" | "parameters" | "parameters_schema"> & {
  readonly tokens?: Tool["tokens"];
  readonly source?: Pick<Tool["source"], "shipped">;
};

/** Default token budget of the index (`expose.signatures`). */
export const INDEX_TOKENS = 1900;

/** Types that add nothing to the name of an argument. */
const PLAIN_TEXT = /^(?:string|id<\w+>)(?: \| null)?$/;
/** Longest type that the index shows. */
const MAX_TYPE_LENGTH = 80;

/**
 * `onto.task.list(project_id?, state_key?: todo|done, limit?: integer 1..50)`: the types of strings and long types
 * are left out. An op that declares no argument and takes any has `**arguments`.
 */
export function signatureLine(tool: Pick<Tool, "op" | "parameters" | "parameters_schema">): string {
  const { op, parameters } = tool;
  if (parameters.length === 0) return `${op}(${acceptedNames(tool.parameters_schema).open ? OTHERS : ""})`;
  const list = parameters.map(({ name, required, type }) => {
    const isSaid = PLAIN_TEXT.test(type) || type.length > MAX_TYPE_LENGTH;
    return `${name}${required ? "" : "?"}${isSaid ? "" : `: ${type}`}`;
  });
  return `${op}(${list.join(", ")})`;
}

/**
 * Characters per token for uncounted names: fewer than measured for any server, so that the estimate is an upper
 * bound.
 */
const SHORTEST_TOKEN = 2.7;

const estimated = (text: string): number => Math.ceil(text.length / SHORTEST_TOKEN);

/** A pack at one level of detail. The text is made only if it is shown, since it reads the parameters of every op. */
interface Detail {
  readonly text: () => string;
  readonly tokens: number;
}

/** From the least to the most detail: number of ops, their names, their signatures. */
type Details = readonly [count: Detail, names: Detail, signatures: Detail];

/** A pack of the index. */
interface IndexedPack {
  readonly details: Details;
  /** Whether it comes with the package. */
  readonly isShipped: boolean;
}

/**
 * The index of all packs: with signatures if the budget allows, those of the project before shipped ones and smaller packs first, then
 * with names, then with the number of ops.
 *
 * @param budget o200k tokens; the index never costs more, and is empty if no pack fits
 */
export const signatureIndex = (tools: readonly IndexedTool[], budget: number): string => indexOf(tools, budget).text();

/** o200k tokens of the index; an upper bound where tokens were not counted. */
export const signatureTokens = (tools: readonly IndexedTool[], budget: number): number => indexOf(tools, budget).tokens;

function indexOf(tools: readonly IndexedTool[], budget: number): Detail {
  const packs = [...groupBy(tools, ({ group }) => group)].map(([pack, ops]) => packOf(pack, ops));
  const level = new Map<IndexedPack, 0 | 1 | 2>();
  let left = budget - REST.tokens;
  for (const pack of packs) {
    if (pack.details[0].tokens > left) continue;
    left -= pack.details[0].tokens;
    level.set(pack, 0);
  }
  for (const to of [1, 2] as const) {
    const inOrder = [...level.keys()].sort(
      (a, b) => Number(a.isShipped) - Number(b.isShipped) || a.details[to].tokens - b.details[to].tokens,
    );
    for (const pack of inOrder) {
      const more = pack.details[to].tokens - pack.details[level.get(pack) ?? 0].tokens;
      if (more > left) continue;
      left -= more;
      level.set(pack, to);
    }
  }
  if (level.size === 0) return { text: () => "", tokens: 0 };
  const isWhole = level.size === packs.length && [...level.values()].every((one) => one === 2);
  const shown = [...[...level].map(([{ details }, at]) => details[at]), ...(isWhole ? [] : [REST])];
  const text = (): string => shown.map((one) => one.text()).join("\n");
  return { text, tokens: budget - left - (isWhole ? REST.tokens : 0) };
}

const REST: Detail = { text: () => "tool_help shows the rest.", tokens: 10 };

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

function packOf(pack: string, ops: readonly IndexedTool[]): IndexedPack {
  const counted = (text: string): Detail => ({ text: () => text, tokens: estimated(`${text}\n`) });
  const under = groupBy(ops, ({ op }) => op.slice(0, op.lastIndexOf(".")));
  const names = [...under].map(([path, members]) => {
    return `${path}: ${members.map(({ op }) => op.slice(path.length + 1)).join(", ")}`;
  });
  const tokensOf = (one: IndexedTool): number => one.tokens?.signature ?? estimated(`${signatureLine(one)}\n`);
  const details: Details = [
    counted(`${pack}: ${ops.length} ${ops.length === 1 ? "op" : "ops"}`),
    counted(names.join("\n")),
    { text: () => ops.map(signatureLine).join("\n"), tokens: ops.reduce((sum, one) => sum + tokensOf(one), 0) },
  ];
  return { details, isShipped: ops.every(({ source }) => source?.shipped === true) };
}
