/**
 * Snapshots of upstream servers: reads `tools/list` within limits and writes `definitions/servers/<name>.json`, the
 * same bytes for the same list. The tools stay as the server sent them; the generator reports what is wrong with them.
 */

import { byCodeUnit, canonicalJson } from "../contract/canonical.js";
import type { Upstream } from "./client.js";
import type { UpstreamServer } from "./servers.js";
import { isUpstreamError, UpstreamError } from "./upstream-error.js";

/** What one server lists about itself. */
export interface Snapshot {
  readonly serverInfo: { readonly name: string; readonly version: string };
  readonly protocolVersion: string;
  readonly instructions?: string;
  /** Sorted by name; each as the server sent it. */
  readonly tools: readonly unknown[];
}

/** Limits of one list. */
export interface ListLimits {
  readonly pages: number;
  readonly tools: number;
  /** Of all pages together, as JSON. */
  readonly bytes: number;
  readonly depth: number;
  /** Attempts to read a list that changes while it is read. */
  readonly readings: number;
}

/** Default limits. */
export const LIST_LIMITS: ListLimits = { pages: 1_000, tools: 10_000, bytes: 32_000_000, depth: 128, readings: 4 };

/**
 * Reads the tools of a server.
 *
 * @throws UpstreamError if the list is too large, never ends, or keeps changing
 */
export async function readSnapshot(
  server: UpstreamServer,
  upstream: Upstream,
  signal?: AbortSignal,
  limits: ListLimits = LIST_LIMITS,
): Promise<Snapshot> {
  try {
    const tools = await steadyList(upstream, signal, limits).catch((error: unknown) => {
      if (offersTools(upstream) || isUpstreamError(error)) throw error;
      return [];
    });
    const { info, instructions, protocolVersion } = upstream;
    const { name, version } = info;
    const whole = {
      serverInfo: { name, version },
      protocolVersion,
      ...(instructions === undefined ? {} : { instructions }),
      tools,
    };
    return withoutSecrets(whole, server.secrets) as Snapshot;
  } catch (error) {
    throw upstream.explain(error);
  }
}

/**
 * Whether the server declares tools. One that does not is asked anyway, since some only omit the declaration; it may
 * refuse.
 */
const offersTools = ({ client }: Upstream): boolean => client.getServerCapabilities()?.tools !== undefined;

interface Reading {
  readonly tools: readonly unknown[];
  /** Whether the list may have changed between two of its pages. */
  readonly doubtful: boolean;
}

/** The sorted list. A reading that may mix two states is repeated until one is consistent or two agree. */
async function steadyList(
  upstream: Upstream,
  signal: AbortSignal | undefined,
  limits: ListLimits,
): Promise<readonly unknown[]> {
  let last = "";
  for (let reading = 0; reading < limits.readings; reading++) {
    const before = upstream.listChanges();
    const { tools, doubtful } = await readPages(upstream, signal, limits);
    const sorted = sortTools(tools);
    const text = canonicalJson(sorted);
    if ((!doubtful && upstream.listChanges() === before) || text === last) return sorted;
    last = text;
  }
  throw refused(
    `its list of tools changed while it was read, ${limits.readings} times`,
    "run the command again when the server has settled",
  );
}

async function readPages(upstream: Upstream, signal: AbortSignal | undefined, limits: ListLimits): Promise<Reading> {
  const list = gather(limits);
  const cursors = new Set<string>();
  for (let page = 1, cursor: string | undefined; page <= limits.pages; page++) {
    const answer = await upstream.request("tools/list", cursor === undefined ? {} : { cursor }, { signal });
    list.add(answer["tools"], page);
    cursor = nextCursor(answer["nextCursor"], cursors);
    if (cursor === undefined) return list.reading();
  }
  throw refused(`its list of tools has more than ${limits.pages} pages`);
}

/** Collects pages within the limits. */
function gather(limits: ListLimits): { add(page: unknown, number: number): void; reading(): Reading } {
  const tools: unknown[] = [];
  const pageOf = new Map<string, number>();
  let bytes = 0;
  let doubtful = false;
  return {
    add: (page, number) => {
      if (!Array.isArray(page)) throw refused("its answer to tools/list holds no list of tools");
      for (const tool of page) {
        if (isDeeper(tool, limits.depth)) throw refused(`a tool nests deeper than ${limits.depth} levels`);
        bytes += JSON.stringify(tool).length;
        const name = nameOf(tool) ?? "";
        doubtful ||= (pageOf.get(name) ?? number) !== number;
        pageOf.set(name, number);
        tools.push(tool);
      }
      if (tools.length > limits.tools) throw refused(`it lists more than ${limits.tools} tools`);
      if (bytes > limits.bytes) throw refused(`its list of tools has more than ${limits.bytes} bytes`);
    },
    reading: () => ({ tools, doubtful }),
  };
}

/** The cursor of the next page; `undefined` at the end. */
function nextCursor(next: unknown, seen: Set<string>): string | undefined {
  if (next === undefined || next === null || next === "") return undefined;
  if (typeof next !== "string") throw refused("its list of tools goes on at a cursor that is no text");
  if (seen.has(next)) throw refused("its list of tools goes round in a circle: a cursor came twice");
  seen.add(next);
  return next;
}

const PAGING = "report this to the maintainers of the server; nothing was written";

const refused = (message: string, remedy: string = PAGING): UpstreamError =>
  new UpstreamError("UNAVAILABLE", message, remedy);

const nameOf = (tool: unknown): string | undefined =>
  typeof tool === "object" && tool !== null && "name" in tool && typeof tool.name === "string" ? tool.name : undefined;

/** Sorted by name, then by content, so that the server's order does not matter. */
function sortTools(tools: readonly unknown[]): readonly unknown[] {
  const keyed = tools.map((tool) => ({ tool, name: nameOf(tool) ?? "", text: canonicalJson(tool) }));
  return keyed.sort((a, b) => byCodeUnit(a.name, b.name) || byCodeUnit(a.text, b.text)).map(({ tool }) => tool);
}

/** Whether a value nests deeper than `depth`; without recursion, since the value may be hostile. */
function isDeeper(value: unknown, depth: number): boolean {
  let level: readonly unknown[] = [value];
  for (let at = 0; level.length > 0; at++) {
    if (at > depth) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Shorter values are not treated as secrets, since they occur everywhere. */
const SHORTEST_SECRET = 8;

/** A copy in which the values of variables are replaced by `${NAME}`, wherever the server repeats them. */
function withoutSecrets(value: unknown, secrets: ReadonlyMap<string, string>): unknown {
  const found = [...secrets]
    .filter(([, secret]) => secret.trim().length >= SHORTEST_SECRET)
    .sort(([a, one], [b, other]) => other.length - one.length || byCodeUnit(a, b));
  if (found.length === 0) return value;
  const clean = (text: string): string =>
    found.reduce((rest, [name, secret]) => rest.replaceAll(secret, () => `\${${name}}`), text);
  const walk = (one: unknown): unknown => {
    if (typeof one === "string") return clean(one);
    if (Array.isArray(one)) return one.map(walk);
    if (typeof one !== "object" || one === null) return one;
    return Object.fromEntries(Object.entries(one).map(([key, member]) => [clean(key), walk(member)]));
  };
  return walk(value);
}

/** The text of a snapshot, one member per line for readable diffs. */
export const snapshotText = (snapshot: Snapshot): string => `${JSON.stringify(snapshot, null, 2)}\n`;

/** Parses a snapshot; `undefined` for any other text. */
export function snapshotIn(text: string): Snapshot | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isOne = typeof value === "object" && value !== null && "tools" in value && Array.isArray(value.tools);
    return isOne ? (value as Snapshot) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two snapshots are equal regardless of member order, which some servers change each time. */
export function sameSnapshot(before: string, after: Snapshot): boolean {
  const old = snapshotIn(before);
  return old !== undefined && canonicalJson({ ...old, tools: sortTools(old.tools) }) === canonicalJson(after);
}
