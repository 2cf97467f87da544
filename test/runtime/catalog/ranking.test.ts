/** Words of a query: the entries that hold them, and their order. */

import { expect, test } from "vitest";
import { synonymsOf } from "../../../runtime/catalog/op-search.js";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { entryOf, scoringOf } from "./plain-ranking.js";

const field = (name: string, title: string, description = title, args = "", values = "") => ({
  ...{ name, title, description, args, values },
});

const FIELDS = [
  field("web.fetch", "Gets a page.", "Gets a page.", "url"),
  field("web.fetch_batch", "Gets several pages.", "Gets several pages.", "urls"),
  field("report.render", "Renders a chart.", "Renders a chart.", "format", "png svg"),
  field("getHTTPUrl", "Says where a service is."),
];

const NONE = synonymsOf(new Map());
const entriesOf = (fields: typeof FIELDS) => fields.map((one) => entryOf(one.name, one));
const whole = (fields: typeof FIELDS, synonyms = NONE) =>
  scoringOf([{ index: indexWords(fields), entries: Int32Array.from(fields.keys()) }], entriesOf(fields), synonyms);

const search = whole(FIELDS);

test.each([
  ["a part of a name in camel case", "http", [3]],
  ["another form of a word", "rendering", [2]],
  ["an argument", "format", [2]],
  ["a value", "svg", [2]],
  ["a word with a letter too many", "rendeer", [2]],
  ["two letters swapped in a word of four", "pgae", [0, 1]],
  ["a noun that means the same", "diagram graph", [2]],
  ["words that say nothing", "how do I", []],
  ["no word", "?", []],
])("a search by %s finds what fits: %s", (_, query, found) => {
  expect([...search(query).keys()].sort()).toEqual(found);
});

test.each([
  ["animels", [0]],
  ["animlas", [0]],
  ["bookngs", [1]],
  ["vaccinaton", [2]],
  ["vaccinatons", [2]],
  ["documant", [3]],
  ["wormings", []],
])("a wrong letter may stand in the ending that a stem lacks: %s", (query, found) => {
  const tools = [
    field("kennel.list_animals", "List animals."),
    field("kennel.add_booking", "Add a booking."),
    field("kennel.list_vaccinations", "List vaccinations."),
    field("kennel.document", "Get a document."),
  ];
  expect([...whole(tools)(query).keys()]).toEqual(found);
});

test("verbs of a class stand for each other", () => {
  const tools = [
    field("a.remove", "Remove a label."),
    field("a.list", "List labels."),
    field("a.rename", "Rename a label."),
  ];
  for (const query of ["delete a label", "get rid of a label", "erase label"])
    expect([...whole(tools)(query).keys()][0], query).toBe(0);
  for (const query of ["show all labels", "enumerate labels"])
    expect([...whole(tools)(query).keys()][0], query).toBe(1);
});

test("a project's synonyms do too", () => {
  const tools = [field("a.task_add", "Add a task."), field("a.note_add", "Add a note.")];
  expect([...whole(tools, synonymsOf(new Map([["chore", "task"]])))("new chore").keys()][0]).toBe(0);
});

test("an equal title is first, whatever else has more of the words", () => {
  const tools = [
    field("a.get_all", "Get a page.", "Get all pages. Pages, pages of every page."),
    field("a.pages", "Get pages."),
    field("a.page", "Get all pages.", "Nothing."),
  ];
  expect([...whole(tools)("get all pages").keys()][0]).toBe(2);
  expect([...whole(tools)("Get pages").keys()][0]).toBe(1);
});

test("an equal name is before an equal title, and a name that is mistyped counts if no word is found", () => {
  const tools = [field("b.sync", "Copies."), field("b.copies", "Sync.")];
  expect([...whole(tools)("sync").keys()]).toEqual([0, 1]);
  expect([...whole([field("x.qqzzqq", "Goes."), field("x.other", "Goes.")])("qqzyqq").keys()]).toEqual([0]);
});

test("an entry with every word is before one with some, and forms of a word count once", () => {
  const scores = search("fetch several pages");
  expect([...scores.keys()][0]).toBe(1);
  const forms = search("fetch fetching fetched page pages");
  expect([...forms.keys()]).toEqual([...search("fetch page").keys()]);
});

test("of a very long query the first words are looked up", () => {
  const words = Array.from({ length: 20_000 }, (_, i) => `unheard${i}`);
  expect(search(["svg", ...words].join(" ")).has(2)).toBe(true);
  expect(search([...words, "svg"].join(" ")).has(2)).toBe(false);
  // Few words take long too, if there are megabytes of them.
  expect(search(`${"rendering ".repeat(1000)}http`).has(3)).toBe(false);
});

const QUERIES = ["fetch several pages", "rendeer", "urls", "http", "chart of a service"];

test.each(QUERIES)("entries may have their texts in several indexes: %s", (query) => {
  const both = [
    { index: indexWords(FIELDS.toReversed().slice(0, 3)), entries: Int32Array.of(3, 2, 1) },
    { index: indexWords(FIELDS.slice(0, 1)), entries: Int32Array.of(0) },
  ];
  expect(search(query).size).toBeGreaterThan(0);
  expect(scoringOf(both, entriesOf(FIELDS), NONE)(query)).toEqual(search(query));
});

test.each(QUERIES)("texts that are not searched change nothing: %s", (query) => {
  const some = [FIELDS[0], FIELDS[2]].flatMap((one) => one ?? []);
  const seen = scoringOf([{ index: indexWords(FIELDS), entries: Int32Array.of(0, -1, 1, -1) }], entriesOf(some), NONE);
  expect(seen(query)).toEqual(whole(some)(query));
});

test("a word that only texts have that are not searched is treated as mistyped", () => {
  const texts = [field("a.calculate", "Adds."), field("b.calcualte", "Adds.")];
  const entries = entriesOf(texts.slice(0, 1));
  const seen = scoringOf([{ index: indexWords(texts), entries: Int32Array.of(0, -1) }], entries, NONE);
  expect([...seen("calcualte").keys()]).toEqual([0]);
});

test("no entries: nothing is found", () => {
  expect(scoringOf([], [], NONE)("fetch several pages").size).toBe(0);
  expect(whole([])("fetch several pages").size).toBe(0);
});

test("words that came before count the same", () => {
  const texts = Array.from({ length: 50 }, (_, at) =>
    field(`item${at % 7}`, at % 2 === 0 ? "Reads a page." : "Reads."),
  );
  const queries = ["read", "page", "read page item3", "item3", "raed page", "read"];
  const known = whole(texts);
  for (const query of [...queries, ...queries]) expect(known(query)).toEqual(whole(texts)(query));
});
