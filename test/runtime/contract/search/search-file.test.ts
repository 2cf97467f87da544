/** The file with the index of all tools. */

import { expect, test } from "vitest";
import { digest } from "../../../../runtime/contract/canonical.js";
import { SEARCH_VERSION, searchFile } from "../../../../runtime/contract/search/search-file.js";
import { indexWords, readNumbers } from "../../../../runtime/contract/search/word-index.js";
import { completeTool } from "../../../support/partial-registry.js";

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
      2,
      "b842e320cc48bdcb6e640a7764956b636bca9764a8ff0f8bd7c7183016470609",
    ]
  `);
});

test("a registry without tools", () => {
  expect(searchFile({ registry_version: "", tools: [] })).toMatchObject({
    stems: "",
    sizes: "",
    postings: "",
    titles: "",
  });
});

test("numbers of several bytes are read as they were written", () => {
  const words = Array.from({ length: 300 }, (_, at) => `word${at}x`);
  const field = { title: words.join(" "), name: "", description: "", args: "", values: "" };
  const last = { ...field, title: "last" };
  const { stems, sizes, postings, titles } = indexWords([field, ...Array(200).fill({ ...field, title: "" }), last]);
  expect(stems.length).toBe(301);
  expect([...readNumbers(titles).slice(0, 3)]).toEqual([300, 0, 1]);
  expect([...readNumbers(titles).slice(-2)]).toEqual([1, 300]);
  const ends = [...readNumbers(sizes)];
  expect(ends.reduce((sum, size) => sum + size)).toBe(postings.length);
  expect([...readNumbers(postings.subarray(-(ends.at(-1) ?? 0)))][0]).toBe(201);
});
