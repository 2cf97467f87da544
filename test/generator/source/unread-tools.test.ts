/** No tool of a file vanishes without a word: each form is read, or named at its place, beside other lists as alone. */

import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../../generator/core/diagnostic.js";
import { buildProject } from "../../support/generator-host.js";

const tool = (name: string): string => `{ type: "function", name: "${name}", description: "It.", parameters: {} }`;
const BESIDE = `export const OK = [${tool("get_ok")}];\n`;

async function built(text: string, others: Readonly<Record<string, string>> = {}, entry = "") {
  const { registry, diagnostics } = await buildProject({
    "toolwright.yaml": `use: []\nsources: [{ chat-tools: t.ts, pack: p, kind: read${entry} }]\n`,
    "t.ts": text,
    ...others,
  });
  return {
    tools: (registry?.tools ?? []).map((one) => one.tool_name),
    faults: diagnostics.filter((one) => one.severity !== "info").map(formatDiagnostic),
  };
}

const LEAF = { "leaf.ts": `export const B = [${tool("get_b")}];\nexport default B;` };

describe("are read", () => {
  const forms: readonly (readonly [form: string, text: string, others?: Readonly<Record<string, string>>])[] = [
    ["a variable that gets its value later", `export let B: any;\nB = [${tool("get_b")}];`],
    ["module.exports.B", `module.exports.B = [${tool("get_b")}];`],
    ["exports.B", `exports.B = [${tool("get_b")}];`],
    ["exports with a text", `exports["B"] = module.exports.C = [${tool("get_b")}];`],
    ["exports.B of a const", `const B = [${tool("get_b")}];\nexports.B = B;`],
    ["module.exports", `const B = [${tool("get_b")}];\nmodule.exports = { B, run() {}, LIMIT: 3 };`],
    ["exports and module.exports", `exports = module.exports = [${tool("get_b")}];`],
    ["Object.assign to exports", `Object.assign(exports, { B: [${tool("get_b")}] });`],
    ["members of a const", `const all = { B: [${tool("get_b")}] };\nexport const { B } = all;`],
    ["members of members", `const all = { one: { B: [${tool("get_b")}] } };\nexport const { one: { B: c } } = all;`],
    ["items of a const", `const all = [[${tool("get_b")}], 1];\nexport const [B, count] = all;`],
    [
      "a group of tools by name",
      `export const g = { a: [${tool("get_a")}], b: { get_b: { description: "It.", parameters: {} } } };`,
    ],
    [
      "an object with the parts of another",
      'export const base = { description: "It.", parameters: {} };\nexport const b = { name: "get_b", ...base };',
    ],
    ["lists in a list", `export const g = [[${tool("get_b")}]];`],
    ["tools by name in a list", `export const g = [{ get_b: { description: "It.", parameters: {} } }];`],
    ["static lists of a class", `export class C { static tools = [${tool("get_b")}]; static limit = 3; run() {} }`],
    ["a type assertion", `export const B = <any>[${tool("get_b")}];`],
    ["satisfies, and a type", `export const B: any = ([${tool("get_b")}] as const satisfies readonly object[])!;`],
    ["Object.freeze of a const", `const B = [${tool("get_b")}];\nexport const F = Object.freeze(B);`],
    ["a spread of an imported list", 'import { B } from "./leaf.js";\nexport const F = [...B];', LEAF],
    ["an imported default", 'import B from "./leaf.js";\nexport const F = [...B];', LEAF],
    ["a call that reads in another file", 'import { B } from "./leaf.js";\nexport const F = Object.freeze(B);', LEAF],
    ["exports passed on twice", 'export * from "./mid.js";', { ...LEAF, "mid.ts": 'export { B } from "./leaf.js";' }],
    ["exports passed on as one name", 'export * as leaf from "./leaf.js";', LEAF],
    ["an imported module that is exported", 'import * as leaf from "./leaf.js";\nexport { leaf };', LEAF],
    ["a default passed on", 'export { default as leaf } from "./leaf.js";', LEAF],
  ];
  test.each(forms.map(([form, text, others = {}]) => [form, text, others] as const))(
    "alone and beside other tools: %s",
    async (_, text, others) => {
      const alone = await built(text, others);
      expect([alone.faults, alone.tools.filter((name) => name !== "get_a")]).toEqual([[], ["get_b"]]);
      const beside = await built(BESIDE + text, others);
      expect([beside.faults, beside.tools.filter((name) => name !== "get_a")]).toEqual([[], ["get_b", "get_ok"]]);
    },
  );
});

describe("are errors at their place, with the form and the way on", () => {
  const AS_JSON = "export the tools as JSON and name that file under `sources`: npx tsx -e ";
  test.each<readonly [form: string, text: string, place: string, says: string, way: string]>([
    [
      "a namespace",
      `export namespace N {\n  export const T = [${tool("get_b")}];\n}`,
      "3:21",
      "the namespace N",
      `${AS_JSON}'console.log(JSON.stringify(require("./definitions/t.ts").N`,
    ],
    ["no name", 'export const P = [\n{ description: "It.", parameters: {} }];', "3:1", "has no name", "write { type:"],
    [
      "a custom tool",
      'export const P = [\n{ type: "custom", name: "do_custom" }];',
      "3:1",
      'has the type "custom", not "function"',
      "write { type:",
    ],
    [
      "registerTool",
      `server.registerTool("x", { description: "It.", inputSchema: {} }, () => 1);`,
      "2:1",
      "server.registerTool",
      "`servers`",
    ],
    [
      "tool of a server, in a function",
      `import { z } from "zod";\nfunction setUp(server: any) {\n  server.tool("x", "It.", { a: z.string() }, async () => 1);\n}`,
      "4:3",
      "server.tool",
      "`servers`",
    ],
    ["addTool", `server.addTool(${tool("get_b")});`, "2:1", "server.addTool", "`servers`"],
    ["a call", `register([${tool("get_b")}]);`, "2:11", "a call of register", "in a JSON file under `sources`"],
    [
      "map over names",
      `export const B = ["a", "b"].map((name) => ({ type: "function", name, description: "It.", parameters: {} }));`,
      "2:18",
      "a call",
      AS_JSON,
    ],
    [
      "map over an exported list of names",
      `export const NAMES = ["a"];\nexport const B = NAMES.map((name) => ({ type: "function", function: { name } }));`,
      "3:18",
      "a call",
      AS_JSON,
    ],
    ["a call of a const", `const b = ${tool("get_b")};\nexport const B = wrap(b);`, "3:18", "a call of wrap", AS_JSON],
    [
      "a condition",
      `if (process.env.X) exports.B = [${tool("get_b")}];`,
      "2:33",
      "an assignment to exports.B",
      AS_JSON,
    ],
    [
      "a variable with values in branches",
      `export let B: any;\nif (x) B = [${tool("get_b")}];`,
      "3:8",
      "a change of B by `=`",
      AS_JSON,
    ],
    [
      "push to exports",
      `exports.B = [];\nexports.B.push(${tool("get_b")});`,
      "3:1",
      "a change of exports.B by `push`",
      AS_JSON,
    ],
    [
      "push to another name",
      `const other = OK;\nother.push(${tool("get_b")});`,
      "3:12",
      "a call of other.push",
      "in a JSON file under `sources`",
    ],
    ["a list of an instance", `export class C { list = [${tool("get_b")}]; }`, "2:1", "the class C", AS_JSON],
    ["a decorator", `@tool(${tool("get_b")})\nexport class C {}`, "2:1", "the class C", AS_JSON],
    ["a default of a member", `export const { B = [${tool("get_b")}] } = {} as any;`, "2:16", "this operator", AS_JSON],
    ["too deep", `export const g = { a: { b: { c: { d: { e: [${tool("get_b")}] } } } } };`, "2:44", "g", "write"],
  ])("one each: %s", async (_form, text, place, says, way) => {
    for (const before of [BESIDE, "\n"]) {
      if (before === "\n" && /\bOK\b/.test(text)) continue;
      const { faults, tools } = await built(before + text);
      const errors = faults.filter((one) => / error /.test(one));
      expect([tools, errors.length]).toEqual([before === BESIDE ? expect.any(Array) : [], 1]);
      expect(errors[0]).toMatch(new RegExp(`^definitions/t.ts:${place} error `));
      expect(errors[0]).toContain(says);
      expect(errors[0]).toContain(way);
    }
  });

  test("what a package exports is named, if it is passed on", async () => {
    expect((await built(`${BESIDE}export { moreTools } from "pkg";\nexport type { T } from "pkg";`)).faults).toEqual([
      expect.stringMatching(/^definitions\/t.ts:2:1 warning export-foreign {2}moreTools is of pkg, which is not read/),
    ]);
  });
});

test("other code of such a file is no fault", async () => {
  const text = `${BESIDE}import { z } from "zod";
    interface Tool { name: string }
    export type { Tool };
    export { type Tool as Other };
    export namespace Types { export const limit = 3; }
    export const { PORT } = { PORT: "1" };
    export let later: number;
    later = 4;
    export class C { static limit = Date.now(); static tools = []; }
    export const find = (name: string) => OK.find((one) => one.name === name);
    export const nested = OK.map((one) => ({ type: "function", function: { name: one.name, parameters: one.parameters } }));
    exports.run = () => later;
    module.exports.limit = 3;
    test("a tool", () => 1);
    logger.tool("x");
    export const COLUMNS = [{ type: "custom", name: "Price", width: 3 }];
    export const reg = { OK, config: { hosts: ["a"], ports: { http: 80 } } };
  `;
  const { tools, faults } = await built(text);
  expect([tools, faults.filter((one) => !/ warning export-computed {2}code computes nested/.test(one))]).toEqual([
    ["get_ok"],
    [],
  ]);
});

test("`exports` names what is meant", async () => {
  const { tools, faults } = await built(
    `${BESIDE}server.tool("x", "It.", {}, () => 1);\nexport namespace N { export const T = [${tool("b")}]; }`,
    {},
    ", exports: [OK]",
  );
  expect([tools, faults]).toEqual([["get_ok"], []]);
});

test("JSON: groups beside lists, and a tool with a list of its own", async () => {
  const json = async (value: unknown) => {
    const { registry, diagnostics } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ chat-tools: t.json, pack: p, kind: read }]\n",
      "t.json": JSON.stringify(value),
    });
    return [registry?.tools.map((one) => one.tool_name), diagnostics.map(formatDiagnostic)];
  };
  const one = { type: "function", name: "get_a", description: "It.", parameters: {} };
  const byName = { get_b: { description: "It.", parameters: {} } };
  expect(await json({ a: [one], b: byName, title: { text: "x" } })).toEqual([["get_a", "get_b"], []]);
  expect(await json({ ...one, examples: [{ a: 1 }] })).toEqual([["get_a"], []]);
});
