/** Builds the search index; `site/search.js` queries it in the browser with the same settings. */

import MiniSearch from "minisearch";
import type { Tool } from "../../runtime/contract/registry.js";
import { beginning, jsString } from "../core/printer.js";
import { pageFile } from "./addresses.js";
import type { Site } from "./site-model.js";
import { visible } from "./text.js";

/** Searched fields, and fields that a hit shows; `site/search.js` has the same lists. */
const FIELDS = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };

/** Characters of a description that are indexed: enough to find an op, while the index stays small. */
const MAX_TEXT_LENGTH = 1_500;

interface Entry {
  readonly id: number;
  readonly name: string;
  /** Its other names and the names of its arguments, also split into words. */
  readonly words: string;
  readonly text: string;
  readonly about: string;
  readonly file: string;
  readonly kind: string;
}

/** The index as a script, since a page opened from a disk can load no other file. */
export function searchIndex(site: Site): string {
  const { registry, index, addresses } = site;
  const entries: readonly Omit<Entry, "id">[] = [
    ...registry.tools.map((tool) => toolEntry(site, tool)),
    ...registry.packs.map(({ name, summary }) => entry(name, summary, addresses.pack(name), "pack")),
    ...index.snippets.map(({ name, description }) =>
      entry(`$${name}`, description, addresses.snippet(name), "snippet"),
    ),
    ...index.aliases.map(({ name, target }) => entry(name, `Stands for ${target}.`, addresses.alias(name), "alias")),
  ];
  const search = new MiniSearch<Entry>(FIELDS);
  search.addAll(entries.map((one, id) => ({ ...one, id })));
  return `globalThis.toolSearch = ${jsString(JSON.stringify(search))};\n`;
}

const entry = (name: string, about: string, folder: string, kind: string): Omit<Entry, "id"> => ({
  name: visible(name),
  words: split(name),
  text: about,
  about: visible(beginning(about, 200)),
  file: pageFile(folder),
  kind,
});

function toolEntry({ addresses, index }: Site, tool: Tool): Omit<Entry, "id"> {
  const names = [tool.op, tool.tool_name, ...tool.aliases];
  const words = [...names.map(split), tool.tool_name, ...tool.parameters.map(({ name }) => split(name))];
  const description = index.ops[tool.op]?.description ?? tool.description;
  return {
    ...entry(tool.op, tool.summary, addresses.op(tool.op), tool.kind),
    words: words.join(" "),
    text: beginning(`${tool.summary} ${description}`, MAX_TEXT_LENGTH),
  };
}

/** `getUserById` as words. */
const split = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._-]/g, " ");
