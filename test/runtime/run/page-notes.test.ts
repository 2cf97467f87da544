/** What a note says of the pages that a program reads, by the arguments of its calls and by what their answers say. */

import { expect, test } from "vitest";
import type { JsonObject, JsonValue, Tool } from "../../../runtime/contract/registry.js";
import { newRunNotes } from "../../../runtime/run/notes.js";

/** Parameters of a page, as tools declare them. */
const DECLARED: JsonObject = {
  limit: { type: "integer", default: 20, maximum: 100 },
  offset: { type: "integer", default: 0 },
  page: { type: "integer" },
  zero: { type: "integer", default: 0 },
  cursor: { type: "string" },
};

/** A list op with the named parameters; `zero` is a page that counts from 0. */
function listOp(given: string): Tool {
  const names = given.split(" ").filter((name) => name !== "");
  const named = (name: string): string => (name === "zero" ? "page" : name);
  return {
    op: "a.list",
    group: "a",
    kind: "read",
    parameters: names.map((name) => ({ name: named(name), original: named(name) })),
    parameters_schema: {
      type: "object",
      properties: Object.fromEntries(names.map((name) => [named(name), DECLARED[name] ?? {}])),
    },
  } as unknown as Tool;
}

const items = (count: number): JsonValue => Array.from({ length: count }, (_, at) => at);

/** The notes of a program that makes these calls, in their order. */
function notesOf(parameters: string, calls: readonly (readonly [args: JsonObject, answer: JsonValue])[]) {
  const notes = newRunNotes();
  const tool = listOp(parameters);
  for (const [args, answer] of calls) notes.begins(tool, args)(answer, []);
  return notes.text();
}

const note = (text: string): string => `Note: a.list answered ${text}.`;

test.each<readonly [title: string, parameters: string, args: JsonObject, answer: JsonValue, said: string | undefined]>([
  // The cursor of the answer decides where a call is made by cursor.
  [
    "the last page by cursor",
    "limit cursor",
    { cursor: "60" },
    { items: items(25), total: 85, next_cursor: null },
    undefined,
  ],
  [
    "the last page by cursor, without a member",
    "limit cursor",
    { cursor: "60" },
    { items: items(20), total: 85 },
    undefined,
  ],
  ["an empty cursor", "limit cursor", { cursor: "60" }, { items: items(25), total: 85, next_cursor: "" }, undefined],
  [
    "no next cursor of the first page",
    "limit cursor",
    {},
    { items: items(20), total: 85, next_cursor: null },
    undefined,
  ],
  [
    "the first page by cursor",
    "limit cursor",
    {},
    { items: items(20), total: 85, next_cursor: "20" },
    note("20 of 85; pass cursor=its next_cursor or limit=100"),
  ],
  [
    "a page in the middle, by cursor",
    "limit cursor",
    { cursor: "20" },
    { items: items(20), total: 85, next_cursor: "40" },
    note("20, and there are more; pass cursor=its next_cursor or limit=100"),
  ],
  [
    "a null cursor is none",
    "limit cursor",
    { cursor: null },
    { items: items(20), total: 85 },
    note("20 of 85; pass limit=100"),
  ],
  // What the answer says outright goes before all else.
  ["has_more: false", "limit cursor", {}, { items: items(20), total: 85, has_more: false }, undefined],
  [
    "has_more: true",
    "limit page",
    { page: 2 },
    { items: items(20), has_more: true },
    note("40, and there are more; pass page=3 or limit=100"),
  ],
  [
    "a link to the next page",
    "limit page",
    {},
    { items: items(3), links: '<b>; rel="next"' },
    note("3, and there are more; pass page=2 or limit=100"),
  ],
  [
    "links to other pages only",
    "limit page",
    { page: 5 },
    { items: items(20), links: '<a>; rel="prev", <b>; rel="first"' },
    undefined,
  ],
  [
    "links that are of no page",
    "limit",
    {},
    { items: items(20), total: 85, links: [{ rel: "self" }] },
    note("20 of 85; pass limit=100"),
  ],
  // The total decides where the place of the page is known.
  [
    "the first page by offset",
    "limit offset",
    {},
    { items: items(20), total: 34 },
    note("20 of 34; pass offset=20 or limit=100"),
  ],
  [
    "an op with both",
    "limit offset cursor",
    {},
    { items: items(20), total: 34, next_cursor: null },
    note("20 of 34; pass offset=20 or limit=100"),
  ],
  [
    "a page in the middle, by offset",
    "limit offset",
    { offset: 20 },
    { items: items(20), total: 50 },
    note("40 of 50; pass offset=40 or limit=100"),
  ],
  ["the last page by offset", "limit offset", { offset: 20 }, { items: items(14), total: 34 }, undefined],
  ["a page behind the last one", "limit offset", { offset: 99 }, { items: [], total: 34 }, undefined],
  ["the last page by number", "limit page", { page: 2 }, { items: items(14), total: 34 }, undefined],
  [
    "the first page, counted from 0",
    "limit zero",
    { page: 0 },
    { items: items(20), total: 34 },
    note("20 of 34; pass page=1 or limit=100"),
  ],
  [
    "the first page by default, from 0",
    "limit zero",
    {},
    { items: items(20), total: 34 },
    note("20 of 34; pass page=1 or limit=100"),
  ],
  ["the last page, counted from 0", "limit zero", { page: 1 }, { items: items(14), total: 34 }, undefined],
  // Without any of these, a full page may have others after it.
  ["a full page", "limit", {}, { data: items(20) }, note("20, the size of a page: more may exist; pass limit=100")],
  [
    "a full list",
    "limit page",
    {},
    items(20),
    note("20, the size of a page: more may exist; pass page=2 or limit=100"),
  ],
  [
    "a full page by number",
    "limit page",
    { page: 2 },
    { data: items(20) },
    note("20, the size of a page: more may exist; pass page=3 or limit=100"),
  ],
  ["a page that is not full", "limit", {}, { data: items(19) }, undefined],
  ["a full page that is all there is", "limit", {}, { data: items(20), total: 20 }, undefined],
  ["the greatest page", "limit", { limit: 100 }, { data: items(100) }, note("100, the size of a page: more may exist")],
  // One item, or none, is no page that could be taken for all.
  ["a call for the total", "limit offset", { limit: 1 }, { items: items(1), total: 34 }, undefined],
  ["a call for no items", "limit offset", { limit: 0 }, { items: [], total: 34 }, undefined],
  ["a call for the first one", "limit cursor", { limit: 1 }, { items: items(1), next_cursor: "1" }, undefined],
  ["no list", "limit", {}, { total: 34 }, undefined],
])("a note is made only where more may exist: %s", (_, parameters, args, answer, said) =>
  expect(notesOf(parameters, [[args, answer]])).toBe(said),
);

const first = { items: items(20), total: 34, next_cursor: "20" };
const last = { items: items(14), total: 34, next_cursor: null };

test.each<readonly [title: string, calls: readonly (readonly [JsonObject, JsonValue])[]]>([
  [
    "in their order",
    [
      [{}, first],
      [{ cursor: "20" }, last],
    ],
  ],
  [
    "answered the other way round",
    [
      [{ cursor: "20" }, last],
      [{}, first],
    ],
  ],
  [
    "and the first one again",
    [
      [{}, first],
      [{ cursor: "20" }, last],
      [{}, first],
    ],
  ],
])("all pages, %s", (_, calls) => expect(notesOf("limit cursor", calls)).toBeUndefined());

test("pages of another list do not end this one", () =>
  expect(
    notesOf("limit cursor", [
      [{ state: "a" }, first],
      [{ state: "b", cursor: "20" }, last],
    ]),
  ).toContain("20 of 34"));
