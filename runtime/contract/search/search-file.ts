/** `generated/help/search.json`: the index of the texts of all tools, so that the first search reads no description. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Registry, Tool } from "../registry.js";
import { toolFields } from "./tool-words.js";
import { indexWords, type WordIndex } from "./word-index.js";

/** Path in `generated/`. */
export const SEARCH_FILE = "help/search.json";

/** Raise it with every change of the words that are read from a tool, or of the form of an index. */
export const SEARCH_VERSION = 2;

/** The index of tools. */
export interface ToolIndex {
  readonly index: WordIndex;
  /** Which text is that of a tool. */
  readonly textOf: ReadonlyMap<Tool, number>;
}

interface SearchFile {
  readonly search_version: number;
  readonly registry_version: string;
  /** With a space between two. */
  readonly stems: string;
  /** In base64, as the others. */
  readonly sizes: string;
  readonly postings: string;
  readonly titles: string;
}

type Indexed = Pick<Registry, "registry_version" | "tools">;

/** The file of a registry. */
export function searchFile({ registry_version, tools }: Indexed): SearchFile {
  const { stems, sizes, postings, titles } = indexWords(tools.map(toolFields));
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
  return {
    search_version: SEARCH_VERSION,
    registry_version,
    stems: stems.join(" "),
    sizes: base64(sizes),
    postings: base64(postings),
    titles: base64(titles),
  };
}

/**
 * Reads the index of a registry; makes it from the tools if the file is missing, of another version or of another registry, or if the lock
 * does not confirm that `generate` wrote it.
 *
 * @param folder `generated/`
 */
export function readToolIndex(folder: string, lock: string | undefined, registry: Indexed): ToolIndex {
  const bytes = bytesIn(join(folder, SEARCH_FILE));
  const read =
    bytes && isConfirmedByLock(lock, SEARCH_FILE, bytes) ? indexIn(bytes.toString("utf8"), registry) : undefined;
  return {
    index: read ?? indexWords(registry.tools.map(toolFields)),
    textOf: new Map(registry.tools.map((tool, text) => [tool, text])),
  };
}

function bytesIn(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whether the lock confirms the content of a file. It has one line per file, so it need not be parsed. */
export const isConfirmedByLock = (lock: string | undefined, file: string, bytes: Buffer): boolean =>
  lock?.includes(`"${file}": "${createHash("sha256").update(bytes).digest("hex")}"`) ?? false;

/** The index in a file that `generate` wrote; undefined if it is not that of the registry. */
function indexIn(text: string, { registry_version, tools }: Indexed): WordIndex | undefined {
  const file: SearchFile = JSON.parse(text);
  if (file.search_version !== SEARCH_VERSION || file.registry_version !== registry_version) return undefined;
  const bytes = (base64: string): Uint8Array => Buffer.from(base64, "base64");
  return {
    texts: tools.length,
    stems: file.stems === "" ? [] : file.stems.split(" "),
    sizes: bytes(file.sizes),
    postings: bytes(file.postings),
    titles: bytes(file.titles),
  };
}
