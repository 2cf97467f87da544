/** The four list ops of the pack `ot`: entries that match the pattern, at the requested level of detail. */

import type { JsonValue } from "../../contract/registry.js";
import type { HostContext } from "../host.js";
import { type Catalogue, type CataloguePack, catalogueOf, shownLanguage } from "./catalogue.js";
import { anyContains, type Info, infoOf } from "./info.js";
import { aliasEntry, snippetEntry } from "./names.js";
import { toolEntry } from "./tools.js";

/** Lists the entries that match a pattern. */
export type Listing = (pattern: string, info: string, ctx: HostContext) => Promise<JsonValue[]>;

/** Creates a list op: the entries of one kind, the texts that the pattern is matched with, and their presentation. */
function listing<T>(
  entriesOf: (catalogue: Catalogue) => readonly T[],
  textsOf: (entry: T) => readonly string[],
  show: (entry: T, info: Info, ctx: HostContext) => JsonValue | Promise<JsonValue>,
): Listing {
  return async (pattern, level, ctx) => {
    const info = infoOf(level);
    const entries = entriesOf(await catalogueOf(ctx)).filter((entry) => anyContains(pattern, ...textsOf(entry)));
    return Promise.all(entries.map((entry) => show(entry, info, ctx)));
  };
}

/** `ot.tools` */
export const toolsListing: Listing = listing(
  ({ tools }) => tools,
  ({ op }) => [op],
  (tool, info, { host }) => toolEntry(tool, info, shownLanguage(host.project.settings)),
);

/** `ot.packs` */
export const listPacks: Listing = listing(
  ({ packs }) => packs,
  ({ name }) => [name],
  packEntry,
);

/** `ot.aliases` */
export const listAliases: Listing = listing(
  ({ aliases }) => aliases,
  ({ name, target }) => [name, target],
  aliasEntry,
);

/** `ot.snippets` */
export const listSnippets: Listing = listing(
  ({ snippets }) => snippets,
  ({ name, description = "" }) => [name, description],
  (snippet, info, { host }) => snippetEntry(snippet, info, host.project.settings.run),
);

/** A pack at a level of detail. */
export function packEntry(pack: CataloguePack, info: Info): JsonValue {
  if (info === "list") return pack.name;
  if (info === "full") return packText(pack);
  return { name: pack.name, source: pack.source, tool_count: pack.tools.length };
}

/** A pack with its instructions and its tools. */
export function packText({ name, source, instructions, tools }: CataloguePack): string {
  return [
    `# ${name} pack`,
    `Source: ${source}`,
    ...(instructions === undefined ? [] : [instructions]),
    "## Tools",
    ...tools.map(({ op, summary }) => `- **${op}**: ${summary}`),
  ].join("\n");
}
