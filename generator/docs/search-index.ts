/** The index of the search, made ahead; `site/search.js` asks it in the browser with the same settings. */

import MiniSearch from "minisearch";
import type { Tool } from "toolwright/codegen";
import { beginning, jsString } from "../emit/printer.js";
import { pageFile } from "./addresses.js";
import type { Site } from "./site.js";
import { visible } from "./text.js";

/** Fields that are searched, and what a hit shows; `site/search.js` names the same ones. */
const FIELDS = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };

/** Letters of a description that are searched: enough to find an op by it, and the index stays small. */
const MOST_TEXT = 1_500;

interface Entry {
  readonly id: number;
  readonly name: string;
  /** Other names of it, and names of arguments, in single words too. */
  readonly words: string;
  readonly text: string;
  readonly about: string;
  readonly file: string;
  readonly kind: string;
}

/** A script that holds the index as a text; a script, because a page on a disk may load nothing else. */
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
    text: beginning(`${tool.summary} ${description}`, MOST_TEXT),
  };
}

/** `getUserById` as words. */
const split = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._-]/g, " ");
