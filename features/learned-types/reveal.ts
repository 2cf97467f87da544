/** Stores the name of a key once it is unlikely to be data: after three different calls had it. */

import type { OpSummary } from "./op-summary.js";
import { DATA_KEYS, type Key, type Members, type Node, TYPES } from "./summary.js";

/** The summary with the names of keys that three different calls had. */
export const revealed = (op: OpSummary, nameOf: (id: string) => string | undefined): OpSummary => ({
  ...op,
  variants: new Map([...op.variants].map(([name, one]) => [name, { ...one, root: nodeOf(one.root, nameOf) }])),
});

type NameOf = (id: string) => string | undefined;

function nodeOf(node: Node, nameOf: NameOf): Node {
  const { members, items } = node;
  return {
    ...node,
    ...(members ? { members: membersOf(members, nameOf) } : {}),
    ...(items ? { items: nodeOf(items, nameOf) } : {}),
  };
}

function membersOf(members: Members, nameOf: NameOf): Members {
  if (members.kind === "map") return { kind: "map", value: nodeOf(members.value, nameOf) };
  return { kind: "record", keys: new Map([...members.keys].map(([id, key]) => [id, keyOf(id, key, nameOf)])) };
}

function keyOf(id: string, key: Key, nameOf: NameOf): Key {
  const node = nodeOf(key.node, nameOf);
  const isKnown = id !== DATA_KEYS && isSeenByMany(key.node);
  const name = key.name ?? (isKnown ? nameOf(id) : undefined);
  return { ...(name === undefined ? {} : { name }), absent: key.absent, node };
}

/** Whether three different calls had a value here. */
function isSeenByMany({ types }: Node): boolean {
  const seen = new Set<string>();
  for (const type of TYPES) {
    const calls = types[type]?.seen ?? [];
    if (calls === "many") return true;
    for (const call of calls) seen.add(call);
  }
  return seen.size > 2;
}
