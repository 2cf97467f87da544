/** Arrays of function tools, from TypeScript and from JSON. */

import { describe, expect, test } from "vitest";
import {
  buildProject,
  errorsOf,
  hostOf,
  jsonProject,
  type Project,
  registryOf,
  tool,
  tsProject,
} from "../../support/generator-host.js";

const namesOf = async (project: Project): Promise<readonly string[]> =>
  (await registryOf(project)).tools.map((one) => one.tool_name);
const say = (project: Project): Promise<readonly string[]> =>
  buildProject(project).then(({ diagnostics }) =>
    diagnostics.map((one) => `${one.file}:${one.line}:${one.column} ${one.code}`),
  );
const item = (name: string): string => `{ type: "function", function: { name: "${name}", description: "It." } }`;

describe("TypeScript", () => {
  test("every exported array of function tools is read; other exports are ignored, and one that nothing exports is named", async () => {
    const source = `
      export const A = [${item("get_a")}];
      export const B = [${item("get_b")}] as const;
      export const NUMBERS = [1, 2];
      export const help = (name: string) => name.trim();
      export const SETTINGS = { at: Date.now() };
      const HIDDEN = [${item("get_hidden")}];
    `;
    expect(await namesOf(tsProject(source))).toEqual(["get_a", "get_b"]);
    expect(await say(tsProject(source))).toEqual(["definitions/tools.ts:7:22 tools-unexported"]);
  });

  test("arrays that are exported again count once, in the pack of their own file", async () => {
    const files = {
      "shop/orders.ts": `export const ORDERS = [${item("get_b")}, ${item("get_a")}];`,
      "shop/carts.ts": `export const CARTS = [${item("get_c")}];`,
      "shop/index.ts": 'export * from "./orders.js";\nexport { CARTS as BASKETS } from "./carts.js";',
      "shop/all.ts":
        'import { ORDERS } from "./orders.js";\nimport { CARTS } from "./carts.js";\nexport const ALL = [...ORDERS, ...CARTS];',
      "shop/handlers.ts": "export const handlers = {};",
    };
    const opsOf = async (sources: string) =>
      (await registryOf({ ...files, "toolwright.yaml": `use: []\nsources: [${sources}]\n` })).tools.map(
        (one) => one.op,
      );
    expect(await opsOf("{ chat-tools: shop/*.ts, pack: shop }")).toEqual(["shop.get_a", "shop.get_b", "shop.get_c"]);
    expect(await opsOf("{ chat-tools: shop/*.ts }")).toEqual(["carts.get_c", "orders.get_a", "orders.get_b"]);
    const entries = "{ chat-tools: shop/index.ts, pack: shop }, { chat-tools: shop/all.ts, pack: shop }";
    expect(await opsOf(entries)).toEqual(["shop.get_a", "shop.get_b", "shop.get_c"]);
  });

  test("all exports of another file may be passed on, in a circle too", async () => {
    const files = {
      "toolwright.yaml": "use: []\nsources: [{ chat-tools: shop/index.ts }]\n",
      "shop/index.ts": 'export * from "./orders.js";\nexport * from "./carts.js";',
      "shop/orders.ts": `export * from "./index.js";\nexport const ORDERS = [${item("get_a")}];`,
      "shop/carts.ts": `import { ORDERS } from "./index.js";\nexport const CARTS = [...ORDERS, ${item("get_b")}];`,
    };
    expect((await registryOf(files)).tools.map((one) => one.op)).toEqual(["shop.get_a", "shop.get_b"]);
    expect(await say({ ...files, "shop/carts.ts": 'export * from "./gone.js";' })).toEqual([
      "definitions/shop/carts.ts:1:1 file-unreadable",
    ]);
  });

  test("the pack of index.ts, and of a file whose name help reserves, is called like the folder", async () => {
    const opsOf = async (file: string, source = "") =>
      (
        await registryOf({
          "toolwright.yaml": `use: []\nsources: [{ chat-tools: ${file}${source} }]\n`,
          [file]: `export const A = [${item("get_a")}];`,
        })
      ).tools.map((one) => one.op);
    expect(await opsOf("shop/index.ts")).toEqual(["shop.get_a"]);
    expect(await opsOf("shop/read.ts")).toEqual(["shop.get_a"]);
    expect(await opsOf("shop/read.ts", ", pack: orders")).toEqual(["orders.get_a"]);
    expect(await opsOf("index.ts")).toEqual(["index.get_a"]);
    const { diagnostics } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ chat-tools: read.ts }]\n",
      "read.ts": `export const A = [${item("get_a")}];`,
    });
    expect(diagnostics.map((one) => `${one.message}; ${one.fix}`)).toEqual([
      "op read.get_a is in a pack called read, a word that help reserves; give the tool another op, or its source another `pack`",
    ]);
  });

  test("what code computes beside the arrays is a warning; what is certainly no array is ignored", async () => {
    const source = `import { call, LIST } from "./other.js";
      export const A = [${item("get_a")}];
      export const NAMES = A.map((one) => one.function.name);
      export const BY_NAME = new Map();
      export const tables = LIST;
      export const settings = call;
    `;
    const files = { "other.ts": "export const LIST = { at: Date.now() };\nexport const call = make();" };
    const { diagnostics } = await buildProject(tsProject(source, "", files));
    expect(diagnostics.map((one) => `${one.file}:${one.line}:${one.column} ${one.severity} ${one.message}`)).toEqual([
      "definitions/tools.ts:3:28 warning code computes NAMES, so no tools are read from it",
      "definitions/tools.ts:6:31 warning code computes settings, so no tools are read from it",
    ]);
    expect(await say(tsProject(source.replace("export const A", "const A"), "", files))).toEqual([
      "definitions/other.ts:2:21 unsupported-expression",
      "definitions/tools.ts:3:28 unsupported-expression",
    ]);
    expect(await namesOf(tsProject(source, "", files))).toEqual(["get_a"]);
    const all = { "a/one.ts": `export const A = [${item("get_a")}];`, "a/two.ts": "export const call = make();" };
    expect(
      await say({ "toolwright.yaml": "use: []\nsources: [{ chat-tools: a/*.ts, pack: p, kind: read }]\n", ...all }),
    ).toEqual(["definitions/a/two.ts:1:21 export-computed", "definitions/toolwright.yaml:2:11 no-tools"]);
  });

  test("`exports` chooses, and a name that is not there is answered with the nearest", async () => {
    const source = `export const A_TOOLS = [${item("get_a")}];\nexport const B_TOOLS = [${item("get_b")}];`;
    const project = (exports: string): Project => ({
      "toolwright.yaml": `sources: [{ chat-tools: t.ts, pack: p, exports: [${exports}] }]`,
      "t.ts": source,
    });
    expect(await namesOf(project("B_TOOLS"))).toEqual(["get_b"]);
    const { diagnostics } = await buildProject(project("C_TOOLS, A_TOOL"));
    expect(diagnostics.map((one) => one.fix.split("?")[0])).toEqual(["did you mean A_TOOLS", "did you mean A_TOOLS"]);
  });

  test("an export that could not be read is not called missing as well", async () => {
    const project: Project = {
      "toolwright.yaml": "sources: [{ chat-tools: t.ts, exports: [A] }]",
      "t.ts": "export const A = [make()];",
    };
    expect(await say(project)).toEqual(["definitions/t.ts:1:19 unsupported-expression"]);
    const hole = {
      ...project,
      "t.ts": 'export const A = [{ type: "function", function: { name: "a", x: [1, undefined] } }];',
    };
    expect(await say(hole)).toEqual(["definitions/t.ts:1:69 unsupported-expression"]);
  });

  test("a tool stands where its own object is written, not where the array is", async () => {
    const source = `import { ONE } from "./one.js";\nexport const T = [\n  ONE,\n  { type: "function", function: { name: "" } },\n];`;
    expect(await say(tsProject(source, "", { "one.ts": `\nexport const ONE = { type: "function" };` }))).toEqual([
      "definitions/one.ts:2:20 not-a-tool",
      "definitions/tools.ts:4:3 not-a-tool",
    ]);
  });
});

describe("JSON", () => {
  test("an array, or an object of arrays", async () => {
    expect(await namesOf(jsonProject([tool("get_a"), tool("get_b")]))).toEqual(["get_a", "get_b"]);
    const grouped = {
      "toolwright.yaml": "sources: [{ chat-tools: t.json, pack: p }]",
      "t.json": JSON.stringify({ B: [tool("get_b")], A: [tool("get_a")], note: "x" }),
    };
    expect(await namesOf(grouped)).toEqual(["get_a", "get_b"]);
  });

  test("description and parameters may be left out", async () => {
    const [only] = (await registryOf(jsonProject([{ type: "function", function: { name: "get_a" } }]))).tools;
    expect(only).toMatchObject({
      description: "",
      summary: "get_a.",
      parameters_schema: { type: "object", properties: {} },
    });
  });

  test("a tool is placed by its position, even where its name stands in another's text before", async () => {
    const tools = [
      tool("get_a", {}, {}, 'Not "get_b".'),
      { type: "function", function: { name: "get_b", parameters: "none" } },
    ];
    expect(await say(jsonProject(tools))).toEqual(["definitions/tools.json:13:2 not-a-tool"]);
  });

  test.each([
    ["a word that is no value", '[\n  { "a": abc }\n]', "2:10"],
    ["a comma too many", "[\n  1,\n]", "3:1"],
    ["a comma too few", "[\n  1\n  2\n]", "3:3"],
    ["a text that does not end", '[\n  "a\n]', "2:3"],
    ["an end that is missing", "[\n  [1]", "2:6"],
    ["something after the end", "[]\n x", "2:2"],
  ])("%s is a syntax error at its place, without quoting the file", async (_what, text, at) => {
    const { diagnostics } = await buildProject({ ...jsonProject([]), "tools.json": text });
    expect(errorsOf(diagnostics).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      `definitions/tools.json:${at} syntax-error`,
    ]);
    expect(diagnostics[0]?.message).not.toMatch(/["\n]|position/);
  });
});

describe("sources", () => {
  test("a pattern reads every file that matches; packs are named after files and made safe", async () => {
    const project: Project = {
      "toolwright.yaml": "sources: [{ chat-tools: more/*.json }]",
      "more/my-shop.json": JSON.stringify([tool("get_a")]),
      "more/2nd.json": JSON.stringify([tool("get_b")]),
      "more/skip.txt": "no",
    };
    expect((await registryOf(project)).tools.map((one) => one.op)).toEqual(["_2nd.get_b", "my_shop.get_a"]);
  });

  test("the order of sources and of files does not matter", async () => {
    const files = { "a.json": JSON.stringify([tool("get_a")]), "b.json": JSON.stringify([tool("get_b")]) };
    const forwards: Project = {
      "toolwright.yaml": "sources: [{ chat-tools: a.json, pack: p }, { chat-tools: b.json, pack: p }]",
      ...files,
    };
    const backwards: Project = { "toolwright.yaml": "sources: [{ chat-tools: '*.json', pack: p }]", ...files };
    const host = hostOf(backwards, ["b.json", "a.json"]);
    expect(await registryOf(backwards, host)).toEqual(await registryOf(forwards));
  });

  test.each([
    ["none", "sources: [{ pack: p }]", "none"],
    ["two", "sources: [{ chat-tools: a.json, mcp: b.json }]", "chat-tools and mcp"],
  ])("an entry of %s kinds is refused", async (_what, config, received) => {
    const { diagnostics } = await buildProject({ "toolwright.yaml": config });
    expect(diagnostics.map((one) => one.message)).toEqual([
      `sources must be one of chat-tools, functions, graphql, mcp, module, openapi in each entry, got ${received}`,
    ]);
  });
});
