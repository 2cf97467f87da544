/** The forms in which people write function tools: each is read, or refused at its place with the way on. */

import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import { buildProject } from "../../support/generator-host.js";

const SCHEMA = '{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }';
const nested = (name: string) =>
  `{ type: "function", function: { name: "${name}", description: "It.", parameters: ${SCHEMA} } }`;
const flat = (name: string) =>
  `{ type: "function", name: "${name}", description: "It.", parameters: ${SCHEMA}, strict: true }`;
const bare = (key: string) => `{ name: "get_a", description: "It.", ${key}: ${SCHEMA} }`;

async function built(file: string, text: string, entry = "", others: Readonly<Record<string, string>> = {}) {
  const sources = `use: []\nsources: [{ chat-tools: "${file}", pack: p, kind: read${entry} }]\n`;
  const { registry, diagnostics } = await buildProject({
    "toolwright.yaml": sources,
    ...(file.includes("*") ? others : { [file]: text }),
  });
  return {
    tools: (registry?.tools ?? []).map(({ tool_name, parameters }) => [
      tool_name,
      ...parameters.map((one) => one.name),
    ]),
    faults: diagnostics.filter((one) => one.severity === "error").map(formatDiagnostic),
  };
}

describe("are read", () => {
  test.each<readonly [string, string, number]>([
    ["the flat array of the Responses API", `export const t = [${flat("get_a")}];`, 1],
    [
      "input_schema",
      `export const t = [${bare("input_schema")}, { type: "custom", name: "get_b", input_schema: ${SCHEMA} }];`,
      2,
    ],
    ["inputSchema of MCP", `export const t = [${bare("inputSchema")}];`, 1],
    ["functions of before", `export const t = [${bare("parameters")}];`, 1],
    ["declarations", `export const t = [{ functionDeclarations: [${bare("parameters")}] }];`, 1],
    ["toolSpec", `export const t = [{ toolSpec: { name: "get_a", inputSchema: { json: ${SCHEMA} } } }];`, 1],
    ["a default export", `export default [${nested("get_a")}];`, 1],
    ["a name as the default export", `const t = [${nested("get_a")}];\nexport default t;`, 1],
    [
      "an object with the list as the default export",
      `const t = [${nested("get_a")}];\nexport default { tools: t };`,
      1,
    ],
    ["export =", `export = [${nested("get_a")}];`, 1],
    ["let", `export let t = [${nested("get_a")}];`, 1],
    ["var", `export var t = [${nested("get_a")}];`, 1],
    ["an export under another name", `const t = [${nested("get_a")}];\nexport { t as tools, t as default };`, 1],
    ["one tool", `export const getA = ${nested("get_a")};`, 1],
    [
      "tools by name",
      `export const t = { get_a: { description: "It.", parameters: ${SCHEMA} }, b: ${flat("get_b")} };`,
      2,
    ],
    ["lists by name", `export const t = { one: [${nested("get_a")}], two: [${flat("get_b")}] };`, 2],
    ["what a function without parameters returns", `export function t() {\n  return [${nested("get_a")}];\n}`, 1],
    ["an arrow function", `export const t = () => [${nested("get_a")}];`, 1],
    [
      "a call of such a function",
      `const t = () => [${nested("get_a")}];\nexport const tools = [...t(), ${flat("get_b")}];`,
      2,
    ],
    [
      "a function that returns what it takes",
      `const tool = <T,>(t: T): T => t;\nexport const t = [tool(${nested("get_a")})];`,
      1,
    ],
    ["spreads", `const a = [${nested("get_a")}];\nexport const t = [...a, ${flat("get_b")}];`, 2],
    ["satisfies", `export const t = [${nested("get_a")}] as const satisfies readonly object[];`, 1],
    ["Object.freeze", `export const t = Object.freeze([Object.freeze(${nested("get_a")})]);`, 1],
  ])("from %s", async (_form, text, count) => {
    const { tools, faults } = await built("t.ts", text);
    expect({ tools, faults }).toEqual({
      tools: [
        ["get_a", "a"],
        ["get_b", "a"],
      ].slice(0, count),
      faults: [],
    });
  });

  test.each<readonly [string, unknown]>([
    ["a flat array", [{ type: "function", name: "get_a" }]],
    ["inputSchema", [{ name: "get_a", inputSchema: { type: "object" } }]],
    ["input_schema below a key", { tools: [{ name: "get_a", input_schema: { type: "object" } }] }],
    ["one tool", { type: "function", function: { name: "get_a" } }],
    ["tools by name", { get_a: { description: "It.", parameters: { type: "object" } } }],
  ])("from JSON: %s", async (_form, value) => {
    expect(await built("t.json", JSON.stringify(value))).toEqual({ tools: [["get_a"]], faults: [] });
  });

  test("code beside tools that is made from them is no fault", async () => {
    const text = `export const t = [${nested("get_a")}];
      export const names = () => t.map((one) => one.function.name);
      export const flat = (all: any[]) => t.map((one) => ({ type: "function", name: one.function.name, parameters: {} }));
      export const settings = { t, at: Date.now() };
      export const cache: string[] = [];
      cache.push("x");
      export const find = (t: any[]) => { t.push(1); return t; };`;
    expect(await built("t.ts", text)).toEqual({ tools: [["get_a", "a"]], faults: [] });
  });
});

describe("a misspelt member", () => {
  const written = (member: string) => `{ "type": "function", "name": "get_a", "description": "It.", "${member}": {} }`;
  test.each([
    ...["paramaters", "parameter", "PARAMETERS", "input_shema", "inputschema"].flatMap((member) => [
      ["t.json", member, `[\n${written(member)}]`],
      ["t.ts", member, `export const t = [\n${written(member)}];`],
    ]),
    ["t.json", "paramaters", `[{ "type": "function", "function":\n${written("paramaters")} }]`],
  ])("in %s: %s is a warning at its place", async (file = "", member = "", text = "") => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": `use: []\nsources: [{ chat-tools: ${file}, pack: p, kind: read }]\n`,
      [file]: text,
    });
    const found = diagnostics.filter(({ code }) => code === "member-unknown").map(formatDiagnostic);
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`:2:[5-9]\\d warning .*"${member}" that nothing reads; did you`)),
    ]);
  });
});

describe("are refused at their place", () => {
  const REQUIRED = 'require("./definitions/t.ts")';
  const command = (of: string, replacer = "null") =>
    `npx tsx -e 'console.log(JSON.stringify(${of.startsWith("new") ? `new (${REQUIRED}.t)()` : REQUIRED + of}, ${replacer}, 2))' > definitions/t.json`;

  test.each<readonly [string, string, string, string]>([
    ["push", `export const t = [];\nt.push(${nested("get_a")});`, "2:1 a change of t by `push`", ".t"],
    [
      "push in a loop",
      `export const t = [${nested("a")}];\nfor (const b of c) t.push(b);`,
      "2:20 a change of t by `push`",
      ".t",
    ],
    ["another value", `export let t = [${nested("a")}];\nt = [];`, "2:1 a change of t by `=`", ".t"],
    ["another name", `export const t = [${nested("a")}];\nt[0].function.name = "b";`, "2:1 a change of t by `=`", ".t"],
    [
      "a call",
      `import { tool } from "x";\nexport const t = [tool(${bare("parameters")})];`,
      "2:19 a call of tool",
      ".t",
    ],
    [
      "tools by name, made by calls",
      `import { tool } from "x";\nexport const t = { get_a: tool({ description: "It.", parameters: 1 }) };`,
      "2:27 a call of tool",
      ".t",
    ],
    [
      "a function with parameters",
      `export function t(x: string) { return [${nested("a")}]; }`,
      "1:1 what the function t returns",
      ".t()",
    ],
    [
      "a function of several statements",
      `export function t() {\n  const a = [${nested("a")}];\n  return a;\n}`,
      "1:1 what the function t returns",
      ".t()",
    ],
    ["a choice", `export const t = process.env.X ? [${nested("a")}] : [];`, "1:18 a conditional expression", ".t"],
    ["a class", `export class t { list = [${nested("a")}]; }`, "1:1 the class t", "new"],
  ])("with the remedy that fits: %s", async (_form, text, fault, of) => {
    const { tools, faults } = await built("t.ts", text);
    expect(tools).toEqual([]);
    const [place, ...words] = fault.split(" ");
    expect(faults).toEqual([
      `definitions/t.ts:${place} error unsupported-expression  ${words.join(" ")} cannot be read without running the code; write a literal, a const, a spread, a string + or [..].join(), or export the tools as JSON and name that file under \`sources\`: ${command(of)}`,
    ]);
  });

  test("zod schemas, with a command that turns them into JSON Schema", async () => {
    const text = `import { z } from "zod";\nexport const t = [{ name: "get_a", inputSchema: z.object({ a: z.string() }) }];`;
    const { faults } = await built("t.ts", text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toMatch(/^definitions\/t.ts:2:49 error unsupported-expression {2}a zod schema cannot/);
    expect(faults[0]).toContain(command(".t", '(_, v) => (v?._zod ? require("zod").toJSONSchema(v) : v)'));
  });

  test.each<readonly [string, string, string]>([
    [
      "a misspelt type",
      '{ type: "fuction", function: { name: "a" } }',
      'item 1 of t has the type "fuction", not "function"',
    ],
    [
      "a misspelt type of a flat tool",
      '{ type: "functon", name: "a", parameters: {} }',
      'item 1 of t has the type "functon", not "function"',
    ],
    ["no type", '{ function: { name: "a" } }', "item 1 of t has no type"],
    ["no name", '{ type: "function", parameters: {} }', "item 1 of t has no name"],
    ["a tool of the provider", '{ type: "web_search" }', "item 1 of t is no function tool"],
    ["a text", '"get_a"', "item 1 of t is no function tool"],
  ])("items: %s", async (_form, item, fault) => {
    const text = `export const t = [${nested("get_a")},\n  ${item},\n];`;
    const { faults } = await built("t.ts", text);
    const [first] = faults;
    expect(first).toContain(` error not-a-tool  ${fault}; write { type: "function"`);
    if (item.startsWith("{")) expect(first).toContain("definitions/t.ts:2:3 ");
    const json = await built(
      "t.json",
      text
        .replace(/export const t = |;$/g, "")
        .replace(/,\n\]/, "\n]")
        .replace(/(\w+):/g, '"$1":'),
    );
    expect(json.faults[0]).toMatch(/^definitions\/t.json:2:3 error not-a-tool {2}item 1 of tools/);
  });
});

describe("lists of tools that no export is or uses", () => {
  const unexported = async (text: string, entry = "") => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": `use: []\nsources: [{ chat-tools: t.ts, pack: p, kind: read${entry} }]\n`,
      "t.ts": `export const t = [${nested("get_a")}];\n${text}`,
    });
    return diagnostics.filter(({ code }) => code === "tools-unexported").map(({ line, message }) => [line, message]);
  };
  const SAYS = "more looks like a list of tools, but is not exported, so nothing reads it";

  test.each([
    ["nested", `const more = [${nested("get_b")}];`],
    ["flat", `const more = [${flat("get_b")}] as const;`],
    ["input_schema", `let more = [${bare("input_schema")}];`],
    ["used by a function only", `const more = [${nested("get_b")}];\nexport const find = (n: string) => more.length;`],
    ["used by itself only", `const more = [${nested("get_b")}];\nconst all = [...more];\nconsole.log(all);`],
  ])("are named at their line: %s", async (_form, text) => {
    expect(await unexported(text)).toEqual([[2, SAYS]]);
  });

  test.each([
    ["a spread", `const more = [${nested("get_b")}];\nexport const all = [...more];`],
    ["another list between", `const more = [${nested("get_b")}];\nconst all = [...more];\nexport { all };`],
    ["push", `const more = [${nested("get_b")}];\nexport const all = [];\nall.push(...more);`],
    ["another name", `const more = [${nested("get_b")}];\nexport { more as default };`],
    ["no tools", 'const more = [{ name: "a", description: "It." }, { type: "string" }];'],
  ])("are not those that an export uses: %s", async (_form, text) => {
    expect(await unexported(text)).toEqual([]);
  });

  test("are meant where `exports` names others", async () => {
    expect(await unexported(`const more = [${nested("get_b")}];`, ", exports: [t]")).toEqual([]);
  });
});

describe("files of which nothing was read", () => {
  const EMPTY = "definitions/toolwright.yaml:2:11 error no-tools  no tool was read from definitions/";

  test.each([
    ["t.ts", "export const LIMIT = 3;"],
    ["t.ts", `const t = [${nested("get_a")}];`],
    ["t.json", "[]"],
    ["t.json", "{}"],
    ["t.json", '{ "limit": 3 }'],
  ])("are errors: %s %s", async (file, text) => {
    const { faults } = await built(file, text);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${EMPTY}${file};`);
    expect((await built(file, text, ", allow_empty: true")).faults).toEqual([]);
  });

  test("in a folder, what other files import and handlers are none", async () => {
    const files = {
      "p/fields.ts": 'export const id = { type: "string" };\nexport const ask = (text: string) => text.trim();',
      "p/handlers.ts": "export const handlers = {};",
      "p/one.ts": `import { id } from "./fields.js";\nexport const t = [{ type: "function", name: "get_a", parameters: { type: "object", properties: { a: id } } }];`,
    };
    const read = (more: Readonly<Record<string, string>> = {}) => built("p/*.ts", "", "", { ...files, ...more });
    expect(await read()).toEqual({ tools: [["get_a", "a"]], faults: [] });
    const { faults } = await read({ "p/two.ts": "export const LIMIT = 3;" });
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(`${EMPTY}p/two.ts;`);
  });
});
