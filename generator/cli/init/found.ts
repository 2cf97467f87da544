/** Finds files in `definitions/` that can be sources of a new project. */

import { readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import type { SourceEntry } from "../../config/values.js";

/** A kind of definition, with the entries of `sources` for the files that were found. */
export interface FoundSource {
  readonly kind: "chat-tools" | "functions" | "mcp" | "openapi";
  readonly label: string;
  readonly entries: readonly SourceEntry[];
}

interface Rule {
  readonly kind: FoundSource["kind"];
  readonly label: string;
  /** Folders below `definitions/` that are searched. */
  readonly folders: readonly string[];
  readonly isOne: (name: string, text: string) => boolean;
  readonly entry: (file: string) => SourceEntry;
  /** One entry for the folder instead of one per file. */
  readonly pattern?: string;
}

/** Text of a function tool in TypeScript or JSON. */
export const FUNCTION_TOOL = /["']?\btype["']?\s*:\s*["']function["']/;
/** The version at the head of a Swagger 2.0 or OpenAPI 3 description. */
const OPENAPI = /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\b/m;
/** Largest file that is considered, in bytes: definitions written by people are smaller. */
const MAX_FILE_BYTES = 4_000_000;

const RULES: readonly Rule[] = [
  {
    kind: "chat-tools",
    label: "Function tools (TypeScript or JSON)",
    folders: ["", "*"],
    isOne: (name, text) =>
      /\.(?:ts|json)$/.test(name) && !/\.d\.ts$|^handlers\.ts$/.test(name) && FUNCTION_TOOL.test(text),
    entry: (file) => ({ "chat-tools": file }),
  },
  {
    kind: "functions",
    label: "Functions (TypeScript)",
    folders: ["packs"],
    isOne: (name, text) => /\.ts$/.test(name) && !/\.d\.ts$/.test(name) && /\bexport\b/.test(text),
    entry: (file) => ({ functions: file }),
    pattern: "packs/*.ts",
  },
  {
    kind: "mcp",
    label: "Snapshots of MCP servers",
    folders: ["servers"],
    isOne: (name, text) => /\.json$/.test(name) && /"tools"\s*:/.test(text),
    entry: (file) => ({ mcp: file }),
    pattern: "servers/*.json",
  },
  {
    kind: "openapi",
    label: "OpenAPI documents",
    folders: ["apis", "", "*"],
    isOne: (name, text) => /\.(?:ya?ml|json)$/.test(name) && OPENAPI.test(text),
    entry: (file) => ({ openapi: file }),
  },
];

/** The entry that reads every snapshot. */
export const SNAPSHOTS: SourceEntry = { mcp: "servers/*.json" };

/** Looks for definitions under a root. */
export function findSources(root: string): readonly FoundSource[] {
  const folder = join(root, "definitions");
  return RULES.flatMap((rule) => {
    const files = rule.folders.flatMap((one) => filesIn(folder, one)).filter((file) => isOne(folder, file, rule));
    if (files.length === 0) return [];
    const entries = rule.pattern === undefined ? files.map(rule.entry) : [rule.entry(rule.pattern)];
    return [{ kind: rule.kind, label: rule.label, entries }];
  });
}

/** Files of a folder below `definitions/`; `*` for those of every folder that no other kind has. */
function filesIn(base: string, folder: string): readonly string[] {
  const others = RULES.flatMap((one) => one.folders);
  if (folder === "*") {
    const folders = entriesOf(base).filter((one) => !others.includes(one) && isFolder(join(base, one)));
    return folders.flatMap((one) => filesIn(base, one));
  }
  return entriesOf(join(base, folder)).map((name) => (folder === "" ? name : `${folder}/${name}`));
}

/** Stats of a path; undefined if it does not exist or cannot be read. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;

const entriesOf = (folder: string): readonly string[] =>
  isFolder(folder)
    ? readdirSync(folder)
        .filter((one) => !one.startsWith("."))
        .sort(byCodeUnit)
    : [];

/** Whether a file is a definition of a kind; false if it cannot be read. */
function isOne(base: string, file: string, rule: Rule): boolean {
  const path = join(base, file);
  const stats = statsOf(path);
  if (!stats?.isFile() || stats.size > MAX_FILE_BYTES) return false;
  try {
    return rule.isOne(file.slice(file.lastIndexOf("/") + 1), readFileSync(path, "utf8"));
  } catch {
    return false;
  }
}
