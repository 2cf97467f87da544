/** Builds the search index; `site/search.js` queries it in the browser with the same settings. */

import MiniSearch, { type AsPlainObject } from "minisearch";
import { jsLiteral, textBeginning } from "../../generator/core/printer.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { pageFile } from "./addresses.js";
import type { Guide } from "./guide-text.js";
import type { Site } from "./site-model.js";
import { withVisibleMarks } from "./text.js";

/** Searched fields, and fields that a hit shows; `site/search.js` has the same lists. */
const FIELDS = { fields: ["name", "words", "text"], storeFields: ["name", "about", "file", "kind"] };

/** Characters of a description that are indexed: enough to find an op, while the index stays small. */
const MAX_TEXT_LENGTH = 1_500;

/** Characters of a hit's text. */
const MAX_ABOUT_LENGTH = 200;

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
    ...site.guides.flatMap(guideEntries),
  ];
  const search = new PackedSearch(FIELDS);
  search.addAll(entries.map((one, id) => ({ ...one, id })));
  return `globalThis.toolSearch = ${jsLiteral(packed(search, entries))};\n`;
}

/** An entry for each part of a guide. */
const guideEntries = ({ title, folder, sections }: Guide): readonly Omit<Entry, "id">[] =>
  sections
    .filter((one) => one.title !== "" || one.text !== "")
    .map((one) => ({
      ...entry(one.level < 2 ? title : `${title}: ${one.title}`, one.text, folder, "guide"),
      file: `${pageFile(folder)}${one.level < 2 ? "" : `#${encodeURIComponent(one.id)}`}`,
      text: textBeginning(one.text, MAX_TEXT_LENGTH),
    }));

/** An index whose words are read one by one: `toJSON` makes an object for each of them, 80 MB for 2,600 ops. */
class PackedSearch extends MiniSearch<Entry> {
  /** For each word, the documents by field, and how often they have it. */
  get words(): Iterable<readonly [word: string, fields: Fields]> {
    return this._index;
  }
  /** What else `toJSON` gives. */
  get rest(): Omit<AsPlainObject, "index"> {
    const index = this._index;
    this._index = new PackedSearch(FIELDS)._index;
    const { index: _none, ...rest } = this.toJSON();
    this._index = index;
    return rest;
  }
}

/** How often each document has a word. */
type Documents = ReadonlyMap<number, number>;
type Fields = ReadonlyMap<number, Documents>;

/**
 * The index in a form of a quarter of the size, which `site/search.js` unpacks: words in one text, and for each word and field the
 * documents as distances in base 36, with the number of occurrences if the word occurs more than once.
 */
function packed(search: PackedSearch, entries: readonly Omit<Entry, "id">[]): object {
  const { documentIds: _ids, storedFields: _stored, ...rest } = search.rest;
  const words = [...search.words].sort(([a], [b]) => byCodeUnit(a, b));
  return {
    ...rest,
    terms: words.map(([term]) => term).join(" "),
    places: words
      .map(([, fields]) => FIELDS.fields.map((_, field) => documentList(fields.get(field))).join(","))
      .join(";"),
    entries: entries.map(({ name, about, file, kind }) => [name, about, file, kind]),
  };
}

function documentList(documents: Documents | undefined): string {
  if (!documents) return "";
  let last = 0;
  const steps = [...documents].map(([id, times]) => {
    const step = id - last;
    last = id;
    return `${step.toString(36)}${times === 1 ? "" : `*${times.toString(36)}`}`;
  });
  return steps.join(" ");
}

const entry = (name: string, about: string, folder: string, kind: string): Omit<Entry, "id"> => ({
  name: withVisibleMarks(name),
  words: split(name),
  text: about,
  about: withVisibleMarks(textBeginning(about, MAX_ABOUT_LENGTH)),
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
    text: textBeginning(`${tool.summary} ${description}`, MAX_TEXT_LENGTH),
  };
}

/** `getUserById` as words. */
const split = (name: string): string => name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[._-]/g, " ");
