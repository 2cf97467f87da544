/** Snippets as the help index lists them; what is wrong with the file is a diagnostic. */

import { expect, test } from "vitest";
import { formatDiagnostic, Report } from "../../generator/diagnostic.js";
import { readSnippets } from "../../generator/source/snippets.js";
import { buildProject, jsonProject, tool } from "../support/generator-host.js";

const read = (text: string | undefined) => {
  const report = new Report();
  return { snippets: readSnippets(() => text, report), said: report.sorted().map(formatDiagnostic) };
};

test("name, description and parameters, sorted by name; bodies are left out", () => {
  const text =
    "zip: { body: a }\nhi:\n  description: Say hi\n  params: { name: {}, n: { default: 3 } }\n  body: b\nodd: 1\n";
  expect(read(text)).toEqual({
    snippets: [
      { name: "hi", description: "Say hi", params: ["name", "n"] },
      { name: "zip", description: "", params: [] },
    ],
    said: [],
  });
  expect(read(undefined)).toEqual({ snippets: [], said: [] });
});

test.each([
  ["a: [", /^definitions\/snippets\.yaml:\d+:\d+ error yaml-invalid /],
  ["a: *b\n", /^definitions\/snippets\.yaml:1:\d+ error yaml-invalid /],
])("%j is a diagnostic, not a crash", (text, says) => {
  const { snippets, said } = read(text);
  expect(snippets).toEqual([]);
  expect(said[0]).toMatch(says);
});

test("help/index.json lists them", async () => {
  const project = { ...jsonProject([tool("get_a")]), "snippets.yaml": "hi: { params: { name: {} }, body: x }\n" };
  const { files } = await buildProject(project);
  const index = JSON.parse(files.find((one) => one.path === "help/index.json")?.text ?? "{}");
  expect(index.snippets).toEqual([{ name: "hi", description: "", params: ["name"] }]);
});
