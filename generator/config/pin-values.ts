/** Adds values to entries of `ops` in the text of `toolwright.yaml`; comments and layout of everything else stay. */

import { isMap, isPair, isScalar, LineCounter, type Pair, stringify, type YAMLMap } from "yaml";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { parseYamlText } from "../core/yaml-text.js";

/** Values by key of `ops`, and key of the entry. */
export type Pins = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * The text with the values added. Keys of an entry must be new.
 *
 * @param text a configuration file without faults
 * @throws UsageError if the text is written in a form that cannot be added to, naming the entry
 */
export function withPins(text: string, pins: Pins): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const body = text.slice(mark.length);
  const root = rootOf(body);
  const at = root.items.find((pair) => isKey(pair, "ops"));
  const insertions = at ? intoOps(at, body, pins) : [{ at: body.length, text: newOps(body, pins) }];
  const sorted = insertions.filter((one) => one.text !== "").sort((a, b) => b.at - a.at);
  const pinned = sorted.reduce((whole, one) => whole.slice(0, one.at) + one.text + whole.slice(one.at), body);
  return mark + (body.includes("\r\n") ? pinned.replace(/\r?\n/g, "\r\n") : pinned);
}

function rootOf(body: string): YAMLMap {
  const parsed = parseYamlText(body, new LineCounter());
  const root = "faults" in parsed ? undefined : parsed.document.contents;
  if (isMap(root) && !root.flow) return root;
  throw new UsageError(
    "toolwright.yaml has its keys in braces: put each on a line of its own, or write the entries of `ops` yourself",
  );
}

const isKey = ({ key }: Pair, name: string): boolean => isScalar(key) && String(key.value) === name;
const startOf = ({ key }: Pair): number => (isScalar(key) ? (key.range?.[0] ?? 0) : 0);
const flowOf = (values: object): string => stringify(values, { collectionStyle: "flow", lineWidth: 0 }).trim();
const entryOf = (key: string, values: object): string => `${stringify(key).trim()}: ${flowOf(values)}`;

const newOps = (body: string, pins: Pins): string => {
  const lines = [...pins].map(([key, values]) => `  ${entryOf(key, values)}\n`).join("");
  return `${body === "" || body.endsWith("\n") ? "" : "\n"}\nops:\n${lines}`;
};

function intoOps(ops: Pair, body: string, pins: Pins): readonly Insertion[] {
  const { value } = ops;
  if (isScalar(value) && value.value === null) {
    const lines = [...pins].map(([key, values]) => `\n  ${entryOf(key, values)}`).join("");
    return [{ at: endOfLine(body, startOf(ops)), text: lines }];
  }
  if (!isMap(value)) throw new UsageError("`ops` in toolwright.yaml is an alias: write its entries yourself");
  const found = (key: string) => value.items.find((pair) => isPair(pair) && isKey(pair, key));
  const fresh = [...pins].filter(([key]) => !found(key)).map(([key, values]) => entryOf(key, values));
  const changed = [...pins].flatMap(([key, values]) => {
    const entry = found(key);
    return entry ? [intoEntry(key, entry, values, body)] : [];
  });
  return [...changed, value.flow ? intoFlow(value, fresh) : behind(value, fresh, body)];
}

/** Adds values to the beginning of an entry that is there. */
function intoEntry(key: string, { value }: Pair, values: object, body: string): Insertion {
  if (!isMap(value))
    throw new UsageError(`ops.${key} in toolwright.yaml is no map: add ${flowOf(values)} to it yourself`);
  const [first] = value.items;
  const members = Object.entries(values).map(([name, one]) => `${name}: ${flowOf(one as object)}`);
  if (value.flow || !first)
    return { at: (value.range?.[0] ?? 0) + 1, text: ` ${members.join(", ")}${first ? "," : " "}` };
  const at = startOf(first);
  return { at, text: members.map((one) => `${one}\n${indentAt(body, at)}`).join("") };
}

/** Adds entries to the end of a map in braces. */
function intoFlow({ range, items }: YAMLMap, entries: readonly string[]): Insertion {
  const text = entries.join(", ");
  const at = (range?.[1] ?? 1) - 1;
  return { at, text: text === "" ? "" : `${items.length > 0 ? ", " : " "}${text} ` };
}

/** Adds entries below the last one of a map, before the comments that follow it. */
function behind(map: YAMLMap, entries: readonly string[], body: string): Insertion {
  const [first] = map.items;
  const indent = indentAt(body, first ? startOf(first) : 0);
  const end = endOf(map);
  const at = body[end - 1] === "\n" ? end - 1 : endOfLine(body, end);
  return { at, text: entries.map((one) => `\n${indent}${one}`).join("") };
}

/** Where the last value of a map ends. */
function endOf({ items, range }: YAMLMap): number {
  const last = items.at(-1);
  if (!last) return range?.[1] ?? 0;
  const { value } = last;
  if (isMap(value) && !value.flow) return endOf(value);
  const node = value as { readonly range?: readonly number[] } | null;
  return node?.range?.[1] ?? startOf(last);
}

function endOfLine(body: string, from: number): number {
  const end = body.indexOf("\n", from);
  return end === -1 ? body.length : body[end - 1] === "\r" ? end - 1 : end;
}

const indentAt = (body: string, at: number): string => " ".repeat(at - body.lastIndexOf("\n", at - 1) - 1);
