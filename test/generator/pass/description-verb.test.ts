/** The read verb that begins a description. */

import { expect, test } from "vitest";
import { readVerbOf } from "../../../generator/pass/description-verb.js";
import { verbs } from "../../../generator/pass/verbs.js";

const VERBS = verbs();

test.each([
  ["Get the zone.", "get"],
  ["GET the zone", "get"],
  ["gets the zone", "get"],
  ["Searches zones", "search"],
  ["Retrieves a zone", "retrieve"],
  ["Queries the index", "query"],
  ["Returns a zone", "return"],
  ["Return a zone", "return"],
  ["This tool gets a zone", "get"],
  ["The function lists zones", "list"],
  ["A method gets a zone", "get"],
  ["This endpoint quickly reads a zone", "read"],
  ["Use this to search zones", "search"],
  ["Use this tool to search zones", "search"],
  ["Quickly read a zone", "read"],
  ["  Read a zone", "read"],
  ["Read and list zones", "read"],
  ["Read a zone. And delete nothing", "read"],
  ["Read a zone: and delete nothing", "read"],
  ["Read a zone; and delete nothing", "read"],
  ["Read a zone\nand delete nothing", "read"],
  ["Read the delete list", "read"],
  ["Read a zone and thendelete", "read"],
  [`Read ${"x".repeat(500)} and delete`, "read"],
  [`${" ".repeat(396)}read a zone`, "read"],
])("%j begins with %s", (description, verb) => expect(readVerbOf(description, VERBS)).toBe(verb));

test.each([
  "",
  "Zones of a place",
  "Delete a zone",
  "Adds a zone",
  "That gets a zone",
  "This thing gets a zone",
  "Quickly, read a zone",
  "7 zones to read",
  "Read or replace a zone",
  "Read and replace a zone",
  "Read, replace a zone",
  "Read/replace a zone",
  "Read & replace a zone",
  "Read then replace a zone",
  "Read, then replace a zone",
  "Reads or replaces a zone",
  "Return and delete a zone",
  "Read v1.2 and delete it",
  "Read a zone, list it or delete it",
  `${" ".repeat(398)}read a zone`,
])("%j does not", (description) => expect(readVerbOf(description, VERBS)).toBeUndefined());

test("configured verbs count", () => {
  expect(readVerbOf("Ponders a zone", verbs({ ponder: "read" }))).toBe("ponder");
  expect(readVerbOf("List zones", verbs({ list: "write" }))).toBeUndefined();
});
