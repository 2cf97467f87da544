/** Finds files in `definitions/` that can be sources of a new project. */

import { accessSync, constants, readdirSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { byCodeUnit } from "../../../runtime/contract/canonical.js";
import type { SourceEntry } from "../../../runtime/contract/settings/entries.js";
import { FUNCTION_TOOL, isToolModule } from "../tool-file.js";

/** A kind of definition, with the entries of `sources` for the files that were found. */
export interface FoundSource {
  readonly kind: "chat-tools" | "functions" | "graphql" | "mcp" | "module" | "openapi";
  readonly label: string;
  /** What is said of a source that is added only if the user chooses it. */
  readonly means?: string;
  readonly entries: readonly SourceEntry[];
}

interface Rule {
  readonly kind: FoundSource["kind"];
  readonly label: string;
  readonly means?: string;
  /** Folders below `definitions/` that are searched. */
  readonly folders: readonly string[];
  readonly isOne: (name: string, text: string) => boolean;
  readonly entry: (file: string) => SourceEntry;
  /** One entry for the folder instead of one per file. */
  readonly pattern?: string;
}

/** The version at the head of a Swagger 2.0 or OpenAPI 3 description. */
export const OPENAPI_TEXT = /(?:^|[{,])\s*["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\b/m;
/** The query type in SDL, or its name in the JSON of an introspection. */
export const GRAPHQL_TEXT = {
  sdl: /^\s*(?:(?:extend\s+)?type\s+Query\b|schema\s*[{@])/m,
  json: /"__schema"\s*:/,
} as const;
/** Largest file that is considered, in bytes. The largest descriptions of APIs that are published have 40 MB. */
const MAX_FILE_BYTES = 64_000_000;

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
    isOne: (name, text) => /\.(?:ya?ml|json)$/.test(name) && OPENAPI_TEXT.test(text),
    entry: (file) => ({ openapi: file }),
  },
  {
    kind: "graphql",
    label: "GraphQL schemas",
    folders: ["apis", "", "*"],
    isOne: (name, text) =>
      (/\.(?:graphqls?|gql)$/.test(name) && GRAPHQL_TEXT.sdl.test(text)) ||
      (/\.json$/.test(name) && GRAPHQL_TEXT.json.test(text)),
    entry: (file) => ({ graphql: file, url: `\${${urlVariable(file)}}` }),
  },
  {
    kind: "module",
    label: "Modules of tools (schema libraries, agent SDKs)",
    means: "its code is run by generate",
    folders: ["", "*"],
    isOne: (name, text) => /\.ts$/.test(name) && !/\.d\.ts$|^handlers\.ts$/.test(name) && isToolModule(text),
    entry: (file) => ({ module: file }),
  },
];

/** The variable for the address of an API, which its schema does not hold: SHOP_URL for shop.graphql. */
function urlVariable(file: string): string {
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "");
  return `${name.replace(/[^A-Za-z0-9]+/g, "_").replace(/^_|_$/g, "") || "API"}_URL`
    .toUpperCase()
    .replace(/^(?=\d)/, "_");
}

/** The entry that reads every snapshot. */
export const SNAPSHOTS: SourceEntry = { mcp: "servers/*.json" };

/** Looks for definitions under a root. */
export function findSources(root: string): readonly FoundSource[] {
  const folder = join(root, "definitions");
  return RULES.flatMap((rule) => {
    const files = rule.folders.flatMap((one) => filesIn(folder, one)).filter((file) => isOne(folder, file, rule));
    if (files.length === 0) return [];
    const entries = rule.pattern === undefined ? files.map(rule.entry) : [rule.entry(rule.pattern)];
    const means = rule.means === undefined ? {} : { means: rule.means };
    return [{ kind: rule.kind, label: rule.label, ...means, entries }];
  });
}

/**
 * The files that may be definitions and are not read: a line each, with the reason.
 *
 * @param chosen the entries of the new project
 */
export function findLeftOut(root: string, chosen: readonly SourceEntry[] = []): readonly string[] {
  return [...unreadIn(root), ...unchosenIn(root, chosen)];
}

/** Modules of tools that were not chosen. */
const unchosenIn = (root: string, chosen: readonly SourceEntry[]): readonly string[] =>
  findSources(root).flatMap(({ means, entries }) =>
    entries.flatMap(({ module }) =>
      means === undefined || module === undefined || chosen.some((one) => one.module === module)
        ? []
        : [
            `definitions/${module}: it is a module of tools, and ${means}; if you trust it, add it to \`sources\` yourself: - module: ${module}`,
          ],
    ),
  );

function unreadIn(root: string): readonly string[] {
  const folder = join(root, "definitions");
  const files = new Set(RULES.flatMap((rule) => rule.folders.flatMap((one) => filesIn(folder, one))));
  return [...files].flatMap((file) => {
    const stats = statsOf(join(folder, file));
    if (!stats?.isFile() || !/\.(?:ts|json|ya?ml|graphqls?|gql)$/.test(file)) return [];
    const size = `it has ${Math.round(stats.size / 1e6)} MB, more than ${MAX_FILE_BYTES / 1e6} MB`;
    const reason = stats.size > MAX_FILE_BYTES ? size : readingFault(join(folder, file));
    return reason === undefined ? [] : [`definitions/${file}: ${reason}; add it to \`sources\` yourself`];
  });
}

/** Why a file cannot be read, if so. */
function readingFault(path: string): string | undefined {
  try {
    accessSync(path, constants.R_OK);
    return undefined;
  } catch {
    return "it cannot be read";
  }
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
