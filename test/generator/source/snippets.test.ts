/** Snippets as the help index lists them; faults of the file are diagnostics. */

import { expect, test } from "vitest";
import { FEATURES } from "../../../features/list.js";
import { formatDiagnostic, Report } from "../../../generator/core/diagnostic.js";
import { readSnippets } from "../../../generator/source/snippets.js";
import { templateFault } from "../../../runtime/run/snippet-template.js";
import { buildProject, jsonProject, tool } from "../../support/generator-host.js";

const read = async (text: string | undefined) => {
  const report = new Report();
  const snippets = await readSnippets({ read: () => text, templateFault }, report);
  return { snippets, said: report.sorted().map(formatDiagnostic) };
};

test("name, description and parameters, as declared, with the body; sorted by name", async () => {
  const text = "zip: { body: a }\nhi:\n  description: Say hi\n  params: { name: {}, n: { default: 3 } }\n  body: b\n";
  expect(await read(text)).toEqual({
    snippets: [
      { name: "hi", description: "Say hi", params: [{ name: "name" }, { name: "n", default: 3 }], body: "b" },
      { name: "zip", description: "", params: [], body: "a" },
    ],
    said: [],
  });
  expect(await read(undefined)).toEqual({ snippets: [], said: [] });
});

test.each([
  ["a: [", /^definitions\/snippets\.yaml:\d+:\d+ error yaml-invalid /],
  ["a: *b\n", /^definitions\/snippets\.yaml:1:\d+ error yaml-invalid /],
])("%j is a diagnostic, not a crash", async (text, says) => {
  const { snippets, said } = await read(text);
  expect(snippets).toEqual([]);
  expect(said[0]).toMatch(says);
});

test("all faults are found at once, each at its place", async () => {
  const text = [
    "odd: 1",
    "my-hi: { body: x }",
    "hi:",
    "  parms: {}",
    "  params:",
    "    a b: {}",
    "    n: { default: [3], requird: true }",
    "loop: { body: '{% for a in b %}' }",
    "load: { body: '{% include \"x\" %}' }",
    "open: { body: '{{ name' }",
    "filter: { body: '{{ name | uper }}' }",
    "fine: { body: '{{ name | upper }} {% raw %}{{{% endraw %}' }",
  ].join("\n");
  const { said } = await read(text);
  expect(said.map((line) => line.replace("definitions/snippets.yaml:", "").replace(/; .*/, ""))).toEqual([
    "1:1 error config-invalid  odd must be a map, got 1",
    '2:1 error config-invalid  the name of a snippet must be made of letters, digits and underscores, got "my-hi"',
    "3:1 error config-invalid  hi.body must be set, got nothing",
    "4:3 error config-unknown-key  unknown key 'hi.parms' (did you mean 'params'?)",
    '6:5 error config-invalid  the name of a parameter of hi must be made of letters, digits and underscores, got "a b"',
    "7:10 error config-invalid  hi.params.n.default must be a text or a number or true or false, got a list",
    "7:24 error config-unknown-key  unknown key 'hi.params.n.requird' (did you mean 'required'?)",
    expect.stringMatching(/^8:9 error snippet-invalid {2}the template of snippet loop does not compile: ./),
    "9:9 error snippet-invalid  the template of snippet load does not compile: include, import and extends are not available",
    expect.stringMatching(/^10:9 error snippet-invalid {2}the template of snippet open does not compile: ./),
    "11:11 error snippet-invalid  the template of snippet filter does not compile: there is no filter uper",
  ]);
});

test("a language is one of those of programs, and said to be missing where none run in it", async () => {
  const text =
    "a: { body: x, language: typescript }\nb: { body: x, language: ruby }\nc: { body: x, language: python }\nd: { body: x }\n";
  const said = async (languages?: readonly string[]) => {
    const report = new Report();
    const all = await readSnippets({ read: () => text, templateFault }, report, languages, FEATURES);
    expect(all.map(({ language }) => language)).toEqual(["typescript", "ruby", "python", undefined]);
    return report.sorted().map((one) => formatDiagnostic(one).replace("definitions/snippets.yaml:", ""));
  };
  const ruby = '2:15 error config-invalid  b.language must be one of python, typescript, got "ruby"; correct the value';
  const missing = (place: string, name: string, language: string) =>
    expect.stringContaining(`${place} warning snippet-language  snippet ${name} is written in ${language}, which`);
  expect(await said(["python", "typescript"])).toEqual([ruby]);
  expect(await said()).toEqual([missing("1:15", "a", "typescript"), ruby]);
  expect(await said([])).toEqual(await said());
  expect(await said(["typescript"])).toEqual([ruby, missing("3:15", "c", "python"), missing("4:1", "d", "python")]);
});

test("help/index.json lists them", async () => {
  const project = { ...jsonProject([tool("get_a")]), "snippets.yaml": "hi: { params: { name: {} }, body: x }\n" };
  const { files } = await buildProject(project);
  const index = JSON.parse(files.find((one) => one.path === "help/index.json")?.text ?? "{}");
  expect(index.snippets).toEqual([{ name: "hi", description: "", params: [{ name: "name" }], body: "x" }]);
});
