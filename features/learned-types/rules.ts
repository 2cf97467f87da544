/**
 * What a summary allows to claim about the results of an op: its schema, and whether the schema is `locked` or a `hint`.
 *
 * A claim that later results contradict is worse than a claim that is not made. So each needs a number of calls, no
 * schema is closed, and a type is locked only if a further call is unlikely to show anything new.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { JsonObject, JsonSchema, LearnedResult } from "../../runtime/contract/registry.js";
import { misfitOfNode, misfitText } from "./fit.js";
import type { JudgedOp } from "./learned-file.js";
import { ANY, mergedVariants, type OpSummary } from "./op-summary.js";
import type { OpRow } from "./store.js";
import {
  BOUNDS,
  DATA_KEYS,
  type Fact,
  FORMATS,
  type JsonType,
  type Key,
  type Members,
  type Node,
  oneValue,
  TYPES,
} from "./summary.js";

/** Name of these rules, in files. */
const RULES = "R1";

/** Calls with a value before its type is claimed. */
const MIN_TYPE_CALLS = 5;
/** Calls with the object before a key is required, and values before null is ruled out. */
const MIN_CERTAIN = 30;
/** Calls with different arguments before a type is locked. */
const MIN_LOCKED_CALLS = 30;
/** Share of calls that showed something which no other call did. */
const MAX_NEWS = 0.1;
/** The same, for drift that fails a check. */
const MAX_GATED_NEWS = 0.01;
/** Largest share of one caller in the calls of a locked type. */
const MAX_CALLER_SHARE = 0.5;
/** Objects are maps if more than this share of their keys looks like data: the others are likely to be data that does not. */
const DATA_SHARE = 0.5;
/** Objects are maps if they have this many keys, each in at most this share of the objects. */
const MIN_MAP_KEYS = 12;
const MAX_MAP_SHARE = 0.25;

/** What keeps a type from being locked, and the figures behind it. */
export interface Judged {
  readonly result: Omit<LearnedResult, "stale" | "pinned">;
  /** What would make the type locked, a sentence each; empty if it is. */
  readonly lacks: readonly string[];
}

/** Lower ends of the bands in which calls are counted, so that a file changes only when its meaning does. */
const BANDS = [1, 3, 10, 30, 100, 300, 1000] as const;

/** `30+`: the band of a number of calls. */
const bandOf = (calls: number): string => `${BANDS.filter((least) => calls >= least).at(-1) ?? 0}+`;

/** Applies the rules; undefined if the results of the op have no type to learn. */
export function judge(op: OpSummary): Judged | undefined {
  const { root } = mergedVariants(op.variants);
  if (isTextAndData(root)) return undefined;
  const facts: Facts = { single: 0 };
  const schema = schemaOf(root, facts, op.calls);
  if (Object.keys(schema).length === 0) return undefined;
  const calls = op.args.length;
  const news = calls === 0 ? 1 : facts.single / calls;
  const lacks = lacksOf(op, facts.single);
  const variants = [...op.variants.keys()].filter((name) => name !== ANY && name !== "").sort(byCodeUnit);
  return {
    lacks,
    result: {
      calls: bandOf(calls),
      news: news <= MAX_GATED_NEWS ? "≤1%" : news <= MAX_NEWS ? "≤10%" : ">10%",
      level: lacks.length === 0 ? "locked" : "hint",
      ...(variants.length > 1 ? { variants } : {}),
      schema,
    },
  };
}

/** Sometimes text, sometimes data: a server says errors or empty results as text. */
const isTextAndData = ({ types }: Node): boolean => Boolean(types.string && (types.object || types.array));

/** What is known of each op: its entry, or why its results have no type to learn. */
export const judgedOps = (rows: readonly OpRow[]): readonly JudgedOp[] =>
  rows.map(({ op, digest, summary }) => {
    const judged = judge(summary);
    const calls = bandOf(summary.args.length);
    const against = (schema: JsonSchema) => againstOf(summary, schema);
    if (!judged) return { op, digest, calls, lacks: [whyNone(summary)], against };
    return { op, digest, calls, entry: { ...judged.result, digest, rules: RULES }, lacks: judged.lacks, against };
  });

function againstOf({ variants }: OpSummary, schema: JsonSchema): string | undefined {
  const misfit = misfitOfNode(mergedVariants(variants).root, schema);
  return misfit && misfitText(misfit);
}

function whyNone({ variants, args }: OpSummary): string {
  const { root } = mergedVariants(variants);
  if (isTextAndData(root)) return "results that are always data: some calls answered with text";
  const types = TYPES.filter((type) => type !== "null" && root.types[type]);
  if (types.length > 1) return `results of one type: they were ${types.join(", ")}`;
  const wanted = MIN_TYPE_CALLS - args.length;
  return wanted > 0
    ? `${wanted} more calls with other arguments, or in other hours if it takes none`
    : "results with a value";
}

function lacksOf({ args, days, callers, calls }: OpSummary, single: number): readonly string[] {
  const most = Math.max(0, ...callers.values());
  const wanted = MIN_LOCKED_CALLS - args.length;
  return [
    ...(wanted > 0
      ? [
          `${wanted} more calls with other arguments, or in other hours if it takes none (${args.length} of ${MIN_LOCKED_CALLS})`,
        ]
      : []),
    ...(single > args.length * MAX_NEWS
      ? [`fewer facts that only one call showed: now ${single} in ${args.length} calls, at most 1 in 10`]
      : []),
    ...(days[0] === days[1] ? ["calls on a second day"] : []),
    ...(most > calls * MAX_CALLER_SHARE ? ["calls by others: one caller made more than half of them"] : []),
  ];
}

/** Counts what exactly one call showed (Good–Turing). */
interface Facts {
  single: number;
}

const isSingle = ({ seen }: Pick<Fact, "seen">): boolean => seen !== "many" && seen.length === 1;

const note = (facts: Facts, fact: Pick<Fact, "seen"> | undefined): void => {
  if (fact && isSingle(fact)) facts.single++;
};

/** @param most calls of all; the keys of a map are counted together, and a call may have several of them */
function schemaOf(node: Node, facts: Facts, most: number): JsonSchema {
  const present = TYPES.filter((type) => type !== "null" && node.types[type]);
  for (const type of TYPES) note(facts, node.types[type]);
  // What is inside counts as news even where the type is not claimed.
  const parts = new Map<JsonType, JsonSchema>();
  if (node.types.object) parts.set("object", node.members ? membersSchema(node, node.members, facts, most) : {});
  if (node.types.array) parts.set("array", itemsSchema(node, facts, most));
  const known = present.map((type) => node.types[type] as Fact);
  const calls = Math.min(
    most,
    known.reduce((sum, fact) => sum + fact.calls, 0),
  );
  const n = known.reduce((sum, fact) => sum + fact.n, 0);
  const isUnsure = calls < MIN_TYPE_CALLS || present.length > 2 || (present.length === 2 && known.some(isSingle));
  if (isUnsure) return {};
  const mayBeNull = node.types.null !== undefined || n < MIN_CERTAIN;
  const types = [...present, ...(mayBeNull ? ["null"] : [])];
  const formats = node.types.string ? FORMATS.filter((_, i) => node.formats & (1 << i)) : [];
  return {
    type: types.length === 1 ? (types[0] as string) : types,
    ...(formats[0] ? { description: formats[0][0] } : {}),
    ...Object.assign({}, ...parts.values()),
  };
}

function itemsSchema({ items }: Node, facts: Facts, most: number): JsonSchema {
  const schema = items ? schemaOf(items, facts, most) : {};
  return Object.keys(schema).length > 0 ? { items: schema as JsonObject } : {};
}

function membersSchema(node: Node, members: Members, facts: Facts, most: number): JsonSchema {
  const objects = node.types.object as Fact;
  const calls = Math.min(most, objects.calls);
  if (members.kind === "map" || isMap(members.keys, objects)) {
    const value = oneValue(members, BOUNDS);
    const schema = value ? schemaOf(value, facts, calls) : {};
    return { additionalProperties: Object.keys(schema).length > 0 ? (schema as JsonObject) : true };
  }
  const properties: Record<string, JsonObject> = {};
  const required: string[] = [];
  const named = [...members.keys]
    .flatMap(([id, key]) => (id === DATA_KEYS ? [] : [key]))
    .sort((a, b) => byCodeUnit(a.name ?? "", b.name ?? ""));
  for (const key of named) {
    note(facts, key.absent);
    const schema = schemaOf(key.node, facts, calls);
    if (key.name === undefined) continue;
    properties[key.name] = schema as JsonObject;
    if (key.absent.calls === 0 && calls >= MIN_CERTAIN) required.push(key.name);
  }
  // A key of fewer than three calls was there all the same, so programs may use it; keys that are data are told by their form.
  const hasOthers = named.some(({ name }) => name === undefined);
  return {
    ...(named.length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(hasOthers ? { additionalProperties: true } : {}),
  };
}

function isMap(keys: ReadonlyMap<string, Key>, objects: Fact): boolean {
  const all = [...keys.values()];
  const data = keys.get(DATA_KEYS);
  if (data && countOf(data.node) > all.reduce((sum, key) => sum + countOf(key.node), 0) * DATA_SHARE) return true;
  if (keys.size < MIN_MAP_KEYS) return false;
  const types = new Set(all.flatMap(({ node }) => TYPES.filter((type) => type !== "null" && node.types[type])));
  return types.size === 1 && all.every((key) => countOf(key.node) <= objects.n * MAX_MAP_SHARE);
}

const countOf = ({ types }: Node): number => TYPES.reduce((sum, type) => sum + (types[type]?.n ?? 0), 0);
