/** The file with the index of all tools. */

import { expect, test } from "vitest";
import { digest } from "../../../../runtime/contract/canonical.js";
import { SEARCH_VERSION, searchFile } from "../../../../runtime/contract/search/search-file.js";
import { indexWords, readNumbers } from "../../../../runtime/contract/search/word-index.js";
import { completeTool } from "../../../support/breaking.js";

const TEXT =
  "getHTTPUrls web_fetch2 generalizations of Ärger, the hopping PONIES; naïve ΑΒΓ x1y2 searches agreed ".repeat(150);

test("words that are read otherwise need another version of the file", () => {
  const parameters_schema = {
    type: "object",
    description: "not of an argument",
    properties: { mode: { enum: ["fast", "slow"], description: "How to read." } },
  } as const;
  const tools = [
    completeTool({ op: "p.thing.get", description: TEXT }),
    completeTool({
      op: "q.url.read",
      tool_name: "getHTTPUrl2",
      aliases: ["read_url"],
      description: "",
      parameters_schema,
    }),
  ];
  const { search_version, ...file } = searchFile({ registry_version: "", tools });
  expect(search_version).toBe(SEARCH_VERSION);
  expect([SEARCH_VERSION, digest(file)]).toMatchInlineSnapshot(`
    [
      1,
      "e299232e2047c4cd611007e2ea0d8f300881fde9ca91ffeef207fb0764c958f1",
    ]
  `);
});

test("a registry without tools", () => {
  expect(searchFile({ registry_version: "", tools: [] })).toMatchObject({ stems: "", lengths: "", postings: "" });
});

test("numbers of several bytes are read as they were written", () => {
  const words = Array.from({ length: 300 }, (_, at) => `word${at}x`);
  const field = { name: "", description: words.join(" "), args: "again ".repeat(20_000), values: "" };
  const { lengths, sizes, postings } = indexWords(Array(100).fill(field));
  expect([...readNumbers(lengths).slice(0, 4)]).toEqual([0, 300, 1, 0]);
  const ends = [...readNumbers(sizes)];
  expect(ends.reduce((sum, size) => sum + size)).toBe(postings.length);
  expect([...readNumbers(postings.subarray(-(ends.at(-1) ?? 0))).slice(0, 4)]).toEqual([2, 20_000, 4, 20_000]);
});
