/** `validators/<pack>.js`: self-contained blocks that give Ajv's results and load only `toolwright/codegen`. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Validator } from "toolwright/codegen";
import { describe, expect, onTestFinished, test } from "vitest";
import { buildProject, errorsOf, jsonProject, tool } from "../../support/generator-host.js";
import { CHECKOUT } from "../../support/project.js";

/** Builds tools, writes their validators where `toolwright/codegen` resolves, and imports them. */
async function load(
  tools: readonly object[],
  name: string,
): Promise<{ readonly text: string; readonly validators: Readonly<Record<string, Validator>> }> {
  const { files, diagnostics } = await buildProject(jsonProject(tools));
  expect(errorsOf(diagnostics)).toEqual([]);
  const text = files.find((one) => one.path === "validators/p.js")?.text ?? "";
  const folder = join(CHECKOUT, ".cache", "test-validators");
  const file = join(folder, `${name}.${process.pid}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  onTestFinished(() => rmSync(file));
  const { validators } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    validators: Readonly<Record<string, Validator>>;
  };
  return { text, validators };
}

const issues = (validator: Validator | undefined, args: unknown): readonly string[] =>
  validator?.(args) ? [] : (validator?.errors ?? []).map((one) => `${one.instancePath} ${one.keyword}`);

describe("verdicts", () => {
  test("all issues at every level, with where they are", async () => {
    const node = {
      type: "object",
      properties: { id: { type: "string", minLength: 2 } },
      required: ["id"],
      additionalProperties: false,
    };
    const { validators } = await load(
      [tool("set_a", { nodes: { type: "array", items: node }, kind: { enum: ["x"] } }, { required: ["kind"] })],
      "levels",
    );
    const validator = validators["p.set_a"];
    expect(issues(validator, { nodes: [{ id: "ab" }, { id: "a", more: 1 }, {}] })).toEqual([
      " required",
      "/nodes/1 additionalProperties",
      "/nodes/1/id minLength",
      "/nodes/2 required",
    ]);
    expect(issues(validator, { kind: "x" })).toEqual([]);
  });

  test.each([
    ["formats", { a: { type: "string", format: "date-time" } }, "2026-01-15T09:00:00Z", "yesterday"],
    ["lengths in characters, not in units", { a: { type: "string", maxLength: 1 } }, "😀", "ab"],
    ["deep equality", { a: { enum: [{ x: [1] }] } }, { x: [1] }, { x: [2] }],
    ["uniqueness of objects", { a: { type: "array", uniqueItems: true } }, [{ x: 1 }, { x: 2 }], [{ x: 1 }, { x: 1 }]],
    ["patterns", { a: { type: "string", pattern: "^\\p{Lu}`\\$\\{$" } }, "A`$" + "{", "a"],
    ["tuples of 2020", { a: { prefixItems: [{ type: "string" }], items: false } }, ["x"], ["x", 1]],
    ["recursion", { a: { $ref: "#/$defs/n" } }, { n: { n: {} } }, { n: { n: 1 } }],
  ])("%s work without Ajv", async (what, properties, good, bad) => {
    const defs = { $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } } } } };
    const { validators } = await load([tool("set_a", properties, defs)], what.replace(/\W/g, "-"));
    expect([issues(validators["p.set_a"], { a: good }), issues(validators["p.set_a"], { a: bad }).length > 0]).toEqual([
      [],
      true,
    ]);
  });

  test.each([
    ["Ajv's own $async makes no promise of a verdict", { $async: true }],
    ["the id of draft-04 is no reason to refuse a schema", { id: "http://example.com/a", $defs: { x: { id: "x" } } }],
  ])("%s, and arguments are still checked", async (what, rest) => {
    const { validators } = await load([tool("set_a", { a: { type: "string", id: "a" } }, rest)], what.slice(0, 3));
    expect(issues(validators["p.set_a"], { a: 1 })).toEqual(["/a type"]);
  });

  test("a tool that Ajv cannot compile leaves no trace in another's", async () => {
    const schema = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" };
    const refused = { ...schema, properties: { a: { enum: [] } } };
    const texts = [[], [{ name: "get_a", inputSchema: refused }]].map(async (before) => {
      const tools = [...before, { name: "get_b", inputSchema: schema }];
      const { files } = await buildProject({
        "toolwright.yaml": "use: []\nsources: [{ mcp: p.json }]\n",
        "p.json": JSON.stringify({ tools }),
      });
      return files.find((one) => one.path === "validators/p.js")?.text;
    });
    const [alone, beside] = await Promise.all(texts);
    expect(alone).toContain("pGetB");
    expect(beside).toBe(alone);
  });

  test("an argument called __proto__ is checked, a pattern with nested repetitions too, and one that is too large is not tried", async () => {
    const names = JSON.parse(
      '{ "__proto__": { "type": "string" }, "a": { "type": "string", "pattern": "^(a+)+$" }, "b": { "type": "string", "pattern": "(a{9}b){999}" } }',
    );
    const { validators } = await load(
      [tool("set_a", names, { required: ["__proto__"], additionalProperties: false })],
      "proto",
    );
    const validator = validators["p.set_a"];
    expect(issues(validator, JSON.parse('{ "__proto__": "x" }'))).toEqual([]);
    expect(issues(validator, JSON.parse('{ "__proto__": 1 }'))).toEqual(["/__proto__ type"]);
    expect(issues(validator, {})).toEqual([" required"]);
    expect(issues(validator, JSON.parse(`{ "__proto__": "x", "a": "${"a".repeat(50)}!" }`))).toEqual(["/a pattern"]);
    expect(issues(validator, JSON.parse(`{ "__proto__": "x", "a": "${"a".repeat(50)}", "b": "c" }`))).toEqual([]);
  });

  test("a pattern that means something only without the flag u means that", async () => {
    const { validators } = await load([tool("set_a", { a: { type: "string", pattern: "^[\\w-.]+$" } })], "legacy");
    expect(issues(validators["p.set_a"], { a: "a-b.c" })).toEqual([]);
    expect(issues(validators["p.set_a"], { a: "a b" })).toEqual(["/a pattern"]);
  });

  test("two tools may have the same $id, and each counts its functions for itself", async () => {
    const own = (extra: object): object => ({ $id: "https://example.com/input", $defs: { n: { ...extra } } });
    const node = { a: { $ref: "#/$defs/n" } };
    const { text, validators } = await load(
      [tool("set_a", node, own({ type: "string" })), tool("set_b", node, own({ type: "integer" }))],
      "same-id",
    );
    expect([validators["p.set_a"]?.({ a: "x" }), validators["p.set_b"]?.({ a: "x" })]).toEqual([true, false]);
    expect(text.match(/function validate0\(/g)).toHaveLength(2);
  });

  test("what an object inherits is not what a caller gave", async () => {
    const { validators } = await load(
      [
        tool(
          "set_a",
          { constructor: { type: "string" }, toString: { type: "integer" } },
          { required: ["constructor"], additionalProperties: false },
        ),
      ],
      "inherited",
    );
    const validator = validators["p.set_a"];
    expect(issues(validator, {})).toEqual([" required"]);
    expect(issues(validator, { constructor: "x" })).toEqual([]);
    expect(issues(validator, JSON.parse('{"constructor":"x","__proto__":{"a":1}}'))).toEqual([" additionalProperties"]);
    expect(issues(validator, { constructor: "x", toString: "y" })).toEqual(["/toString type"]);
  });
});

test("a finding quotes the values of an enum, also those that read like code", async () => {
  const listed = [
    "{allowedValues: schema0.properties.t.enum}",
    '", "enum", {allowedValues: schema0.properties.t.enum});',
    "a\n",
  ];
  const { validators } = await load(
    [tool("set_a", { t: { enum: listed }, 'x"y': { enum: [1, null] }, o: { const: listed[1] } })],
    "quoted",
  );
  const validator = validators["p.set_a"];
  expect(issues(validator, { t: listed[0], 'x"y': null, o: listed[1] })).toEqual([]);
  expect(validator?.({ t: "b", 'x"y': 2, o: 3 })).toBe(false);
  expect(validator?.errors).toMatchObject([
    { instancePath: "/t", keyword: "enum", params: { allowedValues: listed } },
    { instancePath: '/x"y', keyword: "enum", params: { allowedValues: [1, null] } },
    { instancePath: "/o", keyword: "const", params: { allowedValue: listed[1] } },
  ]);
});

test("a schema is not printed where only a finding quotes the values of its enum", async () => {
  const { text, validators } = await load([tool("set_a", { t: { enum: ["x", "y"] }, u: { type: "integer" } })], "enum");
  expect(text).toContain('{allowedValues: ["x","y"]}');
  expect(text).not.toMatch(/\bschema\d/);
  expect(issues(validators["p.set_a"], { t: "x", u: 1 })).toEqual([]);
});

describe("the text", () => {
  const tools = [
    tool("set_a", { t: { type: "string", format: "email", maxLength: 9, description: 'require("x")' } }),
    tool("set_b", { t: { enum: ['require("fs")', "export default x;"] } }),
  ];

  test("no require, no Ajv, no evaluation; one import, from the seam", async () => {
    const { text } = await load(tools, "text");
    const code = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    expect(code).not.toMatch(/\brequire\b|\beval\b|new Function/);
    expect(text.match(/^import [^;]*;$/gm)).toEqual([
      'import {\n  found,\n  judged,\n  ucs2length,\n} from "toolwright/codegen";',
    ]);
  });

  test("prose and annotations are not printed with it", async () => {
    const { text } = await load(
      [tool("set_a", { t: { type: "string", description: "Long prose.", "x-id": "task", default: "d" } })],
      "prose",
    );
    expect(text).not.toMatch(/Long prose|x-id|"d"/);
  });

  test("a tool that is added changes no line of another one's block", async () => {
    const one = (await load(tools, "one")).text.split("\n");
    const more = (
      await load(
        [tool("set_0", { n: { type: "integer" } }), ...tools, tool("set_z", { n: { format: "date" } })],
        "more",
      )
    ).text.split("\n");
    expect(one.filter((line) => !more.includes(line))).toEqual([]);
    expect(more.join("\n")).toContain(
      one
        .slice(
          one.indexOf("export const pSetA = /*@__PURE__*/ (() => {"),
          one.indexOf("/** Validators of this pack by op. */"),
        )
        .join("\n")
        .trim(),
    );
  });
});
