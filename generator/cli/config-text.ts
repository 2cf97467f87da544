/** Carries changes of the console into the text of `toolwright.yaml`; comments and layout of the rest stay. */

import { type Document, isMap, isScalar, type YAMLMap } from "yaml";
import type { ConfigChange } from "../../runtime/contract/config-change.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { addConfigEntry, editedYaml } from "./servers-text.js";

/** A value of the configuration: the keys that lead to it, and what it becomes; undefined takes it out. */
export interface Assignment {
  readonly path: readonly [string, string, ...string[]];
  readonly value: unknown;
}

/** Changes that are one value. */
export type ValueChange = Exclude<ConfigChange, { readonly kind: "server" }>;

/** Where the values of a change are. */
export interface Places {
  /** The key of an op under `ops`. */
  readonly keyOf: (op: string) => string;
  /** The digest of the description of an op, which a pinned policy names. */
  readonly hashOf: (op: string) => string;
}

/** The value that a change sets. */
export function assignmentOf(change: ValueChange, { keyOf, hashOf }: Places): Assignment {
  switch (change.kind) {
    case "alias":
      return { path: ["aliases", change.name], value: change.target ?? undefined };
    case "hidden":
      return { path: ["ops", keyOf(change.op), "hidden"], value: change.hidden || undefined };
    case "policy": {
      const { op, policy } = change;
      const lists = Object.entries(policy ?? {}).filter(([, lines]) => lines.length > 0);
      const value = policy ? { ...Object.fromEntries(lists), source_hash: hashOf(op) } : undefined;
      return { path: ["policies", op], value };
    }
    case "enabled":
      return { path: ["servers", change.name, "enabled"], value: change.enabled ? undefined : false };
  }
}

/** The text with a value set or taken out. @throws UsageError for a text that cannot be edited */
export const withValue = (text: string, { path, value }: Assignment): Promise<string> =>
  editedYaml(text, (document) => {
    try {
      if (value === undefined) takeOut(document, path);
      else put(document, path, value);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new UsageError(`${path.join(".")} cannot be edited here (${error.message}): edit toolwright.yaml yourself`);
    }
  });

function put(document: Document, [section, key, ...rest]: Assignment["path"], value: unknown): void {
  const there = document.getIn([section, key, ...rest], true);
  // A value of its own line keeps its comment.
  if (isScalar(there) && (typeof value === "string" || typeof value === "boolean")) {
    there.value = value;
    return;
  }
  const map = document.get(section);
  const [member] = rest;
  if (isMap(map) && map.items.length > 0 && (member === undefined || map.has(key)))
    document.setIn([section, key, ...rest], document.createNode(value));
  else addConfigEntry(document, section, () => key, member === undefined ? value : { [member]: value });
}

/** Takes a value out, with the maps around it that are empty then. */
function takeOut(document: Document, path: Assignment["path"]): void {
  for (let end = path.length; end > 0; end--) {
    const keys = path.slice(0, end);
    const node = document.getIn(keys, true);
    const isWanted = end === path.length;
    if (!isWanted && !(isMap(node) && (node as YAMLMap).items.length === 0)) return;
    if (node !== undefined) document.deleteIn(keys);
  }
}

/** Plain values with a value set or taken out, as {@link withValue} does it. */
export function valuesWith(values: object, { path, value }: Assignment): object {
  const [key = "", ...rest] = path as readonly string[];
  const before: Readonly<Record<string, unknown>> = { ...values };
  if (rest.length === 0) return without(before, key, value);
  const inner = before[key];
  const below = typeof inner === "object" && inner !== null ? inner : {};
  const after = valuesWith(below, { path: rest as unknown as Assignment["path"], value });
  return without(before, key, Object.keys(after).length === 0 ? undefined : after);
}

const without = (values: Readonly<Record<string, unknown>>, key: string, value: unknown): object => {
  const { [key]: _, ...others } = values;
  return value === undefined ? others : { ...others, [key]: value };
};
