/** Summaries as JSON, for rows of the state database. The same summary gives the same bytes. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { OpSummary } from "./op-summary.js";
import { type Fact, type Key, type Members, type Node, type Seen, type Summary, TYPES } from "./summary.js";

/** Version of the form. A row of another version is not read. */
const VERSION = 1;

const sorted = <T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] =>
  [...map].sort(([a], [b]) => byCodeUnit(a, b));

/** Writes a summary. */
export function encode({ calls, args, days, callers, variants }: OpSummary): string {
  const written = sorted(variants).map(([name, { depth, root }]) => [name, depth, nodeOut(root)]);
  return JSON.stringify({ v: VERSION, calls, args, days, callers: sorted(callers), variants: written });
}

const seenOut = (seen: Seen): unknown => (seen === "many" ? 1 : seen);

function nodeOut({ types, formats, members, items }: Node): unknown {
  const facts = TYPES.flatMap((type, i) => {
    const fact = types[type];
    return fact ? [[i, fact.n, fact.calls, seenOut(fact.seen)]] : [];
  });
  return {
    ...{ t: facts, f: formats },
    ...(members?.kind === "record" ? { k: sorted(members.keys).map(([id, key]) => [id, ...keyOut(key)]) } : {}),
    ...(members?.kind === "map" ? { m: nodeOut(members.value) } : {}),
    ...(items ? { i: nodeOut(items) } : {}),
  };
}

const keyOut = ({ name, absent, node }: Key): readonly unknown[] => [
  name ?? 0,
  absent.calls,
  seenOut(absent.seen),
  nodeOut(node),
];

/** Reads a summary; undefined if the text is not one of this version. */
export function decode(text: string): OpSummary | undefined {
  try {
    const body = JSON.parse(text) as Readonly<Record<string, never>>;
    if (!isRecord(body) || body["v"] !== VERSION) return undefined;
    const { calls, args, days, callers, variants } = body as unknown as Written;
    return {
      ...{ calls, args, days },
      callers: new Map(callers),
      variants: new Map(
        variants.map(([name, depth, root]): [string, Summary] => [name, { depth, root: nodeIn(root) }]),
      ),
    };
  } catch {
    return undefined;
  }
}

interface Written extends Pick<OpSummary, "calls" | "args" | "days"> {
  readonly callers: readonly (readonly [string, number])[];
  readonly variants: readonly (readonly [name: string, depth: number, root: WrittenNode])[];
}

type WrittenSeen = 1 | readonly string[];

interface WrittenNode {
  readonly t: readonly (readonly [type: number, n: number, calls: number, seen: WrittenSeen])[];
  readonly f: number;
  readonly k?: readonly (readonly [
    id: string,
    name: string | 0,
    absent: number,
    seen: WrittenSeen,
    node: WrittenNode,
  ])[];
  readonly m?: WrittenNode;
  readonly i?: WrittenNode;
}

const seenIn = (seen: WrittenSeen): Seen => (seen === 1 ? "many" : seen);

function nodeIn({ t, f, k, m, i }: WrittenNode): Node {
  const types = t.flatMap(([type, n, calls, seen]): [string, Fact][] => {
    const name = TYPES[type];
    return name ? [[name, { n, calls, seen: seenIn(seen) }]] : [];
  });
  const members: Members | undefined = k
    ? { kind: "record", keys: new Map(k.map(([id, ...key]) => [id, keyIn(key)])) }
    : m && { kind: "map", value: nodeIn(m) };
  return {
    ...{ types: Object.fromEntries(types), formats: f },
    ...(members ? { members } : {}),
    ...(i ? { items: nodeIn(i) } : {}),
  };
}

type WrittenKey = NonNullable<WrittenNode["k"]>[number] extends readonly [string, ...infer Rest] ? Rest : never;

const keyIn = ([name, calls, seen, node]: WrittenKey): Key => ({
  ...(name === 0 ? {} : { name }),
  absent: { calls, seen: seenIn(seen) },
  node: nodeIn(node),
});
