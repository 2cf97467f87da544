/** Adds entries to `servers` and `sources` in the text of `toolwright.yaml`, and takes them out; comments and layout of the rest stay. */

import { isDeepStrictEqual } from "node:util";
import { type Document, isCollection, isMap, isScalar, isSeq, LineCounter } from "yaml";
import type { ServerEntry, SourceEntry } from "../../runtime/contract/settings/entries.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { parseYamlText } from "../core/yaml-text.js";
import { styled } from "./init/project.js";

/** What is added. */
export interface Additions {
  readonly servers: Readonly<Record<string, ServerEntry>>;
  /** An entry of `sources`, if none reads the snapshots. */
  readonly source?: SourceEntry | undefined;
}

/** The text with servers added. @throws UsageError for a text that cannot be edited */
export const withServers = (text: string, { servers, source }: Additions): Promise<string> =>
  editedYaml(text, (document) => {
    if (source) addConfigEntry(document, "sources", (list) => list.length, source);
    for (const [name, entry] of Object.entries(servers)) addConfigEntry(document, "servers", () => name, entry);
  });

/** The text without a server and without the sources for which `isGone` holds. @throws UsageError as {@link withServers} */
export const withoutServer = (text: string, name: string, isGone: (source: SourceEntry) => boolean): Promise<string> =>
  editedYaml(text, (document) => {
    document.deleteIn(["servers", name]);
    const servers = document.get("servers");
    if (isMap(servers) && servers.items.length === 0) document.delete("servers");
    const sources = document.get("sources");
    if (!isSeq(sources)) return;
    sources.items = sources.items.filter((one) => !isCollection(one) || !isGone(one.toJSON() as SourceEntry));
    if (sources.items.length === 0) sources.flow = true;
  });

/** Adds a value under a key of `servers` or at the end of `sources`, which is created if it is missing or empty. */
export function addConfigEntry(
  document: Document,
  member: string,
  keyOf: (list: readonly unknown[]) => string | number,
  value: unknown,
): void {
  const there = document.get(member);
  const node = document.createNode(value);
  styled(node);
  if (isCollection(there) && there.items.length > 0) {
    there.set(keyOf(there.items), node);
    return;
  }
  const key = keyOf([]);
  const pair = document.createPair(member, typeof key === "number" ? [node] : { [key]: node });
  if (isScalar(pair.key)) pair.key.spaceBefore = true;
  const root = isMap(document.contents) ? document.contents : document.createNode({});
  document.contents = root;
  root.delete(member);
  root.add(pair);
}

/** The indents of a text, the first one first: its sections may differ. */
function indentsOf(text: string): readonly number[] {
  const found = [...text.matchAll(/^( {2,8})[^\s#-]/gm)].map(([, spaces = ""]) => spaces.length);
  return [...new Set([...found, 2])].slice(0, MAX_INDENTS);
}

/** Most indents that are tried. */
const MAX_INDENTS = 4;

/** The layout of a text, as far as the library can write it. */
function layoutOf(text: string, indent: number) {
  return {
    lineWidth: 0,
    flowCollectionPadding: false,
    indent,
    indentSeq: !/^[\w-]+:[^\n]*\n(?:\s*#.*\n)*- /m.test(text),
  };
}

/**
 * Changes a document. The library writes the whole text in a layout of its own, so the lines that the change adds and removes
 * there are added to and removed from the given text; where that gives other values, the text of the library is used.
 *
 * @throws UsageError for a text that cannot be edited
 */
export async function editedYaml(text: string, change: (document: Document) => void): Promise<string> {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const isDos = text.includes("\r\n");
  const body = text
    .slice(mark.length)
    .replaceAll("\r\n", "\n")
    .replace(/(?<=[^\n])$/, "\n");
  const { diffArrays } = await import("diff");
  const tried = (indent: number): Tried => {
    const { document } = parsed(body);
    const before = document.toString(layoutOf(body, indent));
    change(document);
    const wanted = document.toString(layoutOf(body, indent));
    const placed = merged({ body, before, wanted }, diffArrays);
    return { wanted, isKept: isDeepStrictEqual(valueIn(placed), parsed(wanted).value), placed };
  };
  const [indent = 2, ...others] = indentsOf(body);
  const first = tried(indent);
  let best = first;
  for (const other of others) if (!best.isKept) best = tried(other);
  const after = best.isKept ? best.placed : first.wanted;
  return mark + (isDos ? after.replaceAll("\n", "\r\n") : after);
}

interface Tried {
  /** The text in the layout of the library. */
  readonly wanted: string;
  /** The text in its own layout, and whether it has the same values. */
  readonly placed: string;
  readonly isKept: boolean;
}

interface Texts {
  readonly body: string;
  readonly before: string;
  readonly wanted: string;
}

/** Carries the step from `before` to `wanted` over to `body`, which differs from `before` in layout. */
function merged({ body, before, wanted }: Texts, diffArrays: typeof import("diff").diffArrays): string {
  const lines = body.split("\n");
  const places = placesOf(before.split("\n"), lines, diffArrays);
  const removed = new Set<number | undefined>();
  const added = new Map<number, readonly string[]>();
  const addedBehind = (place: number): readonly string[] => added.get(place) ?? [];
  let at = 0;
  for (const chunk of diffArrays(before.split("\n"), wanted.split("\n"))) {
    const end = chunk.added ? at : at + chunk.count;
    const behind = places.slice(0, at).findLast((one) => one !== undefined) ?? -1;
    if (chunk.added) added.set(behind, [...addedBehind(behind), ...chunk.value]);
    if (chunk.removed) for (const place of places.slice(at, end)) removed.add(place);
    at = end;
  }
  const kept = lines.flatMap((line, i) => [...(removed.has(i) ? [] : [line]), ...addedBehind(i)]);
  return [...addedBehind(-1), ...kept].join("\n");
}

/** The line of `lines` for each line of `before`, if there is one that differs in blanks and quotes only. */
function placesOf(
  before: readonly string[],
  lines: readonly string[],
  diffArrays: typeof import("diff").diffArrays,
): readonly (number | undefined)[] {
  const bare = (line: string): string => line.replace(/[\s'"]/g, "");
  const places: (number | undefined)[] = [];
  let at = 0;
  for (const { added, removed, count } of diffArrays(before.map(bare), lines.map(bare))) {
    if (!added) for (let i = 0; i < count; i++) places.push(removed ? undefined : at + i);
    if (!removed) at += count;
  }
  return places;
}

/** The value of a text; `undefined` if it is no YAML. */
function valueIn(text: string): unknown {
  const read = parseYamlText(text, new LineCounter());
  return "faults" in read ? undefined : read.value;
}

function parsed(text: string) {
  const read = parseYamlText(text, new LineCounter());
  if (!("faults" in read)) return read;
  throw new UsageError(`toolwright.yaml is no YAML that can be edited: ${read.faults[0]?.reason}`);
}
