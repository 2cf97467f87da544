/** Files of functions and operations of which nothing was read: errors, unless they are allowed by name. */

import { describe, expect, test } from "vitest";
import { buildProject } from "../../support/generator-host.js";

const OPENAPI = JSON.stringify({ openapi: "3.1.0", info: { title: "A", version: "1" }, paths: {} });

async function faultsOf(source: string, files: Readonly<Record<string, string>>) {
  const { diagnostics } = await buildProject({ "toolwright.yaml": `use: []\nsources: [{ ${source} }]\n`, ...files });
  return diagnostics.map(({ severity, code, file, fix }) => [
    severity,
    code,
    file,
    fix.includes("`allow_empty: true`"),
  ]);
}

describe("files of which nothing was read", () => {
  const url = "url: https://a.example";
  test.each<readonly [string, string, string, string, string]>([
    ["functions", "functions: p.ts", "p.ts", "export const RATE = 7;", "toolwright.yaml"],
    [
      "only internal functions",
      "functions: p.ts",
      "p.ts",
      "/** @internal */\nexport function a() {}",
      "toolwright.yaml",
    ],
    ["types alone", "functions: p.ts", "p.ts", "export interface A { a: string }", "toolwright.yaml"],
    ["an API", `openapi: p.json, ${url}`, "p.json", OPENAPI, "p.json"],
    ["an API with webhooks only", `openapi: p.json, ${url}`, "p.json", OPENAPI.replace("paths", "webhooks"), "p.json"],
  ])("are errors: %s", async (_form, source, file, text, place) => {
    const code = source.startsWith("functions") ? "no-functions" : "no-operations";
    const found = (await faultsOf(source, { [file]: text })).filter(([severity]) => severity === "error");
    expect(found).toEqual([["error", code, `definitions/${place}`, true]]);
    const allowed = await faultsOf(`${source}, allow_empty: true`, { [file]: text });
    expect(allowed.filter(([severity]) => severity === "error")).toEqual([]);
  });

  test("a snapshot without tools is none", async () => {
    expect(await faultsOf("mcp: s.json", { "s.json": '{ "tools": [] }' })).toEqual([]);
  });

  test("a function that is refused is named, not the file", async () => {
    const text = "/** Gets it. */\nexport default function getIt(): number { return 1; }";
    expect((await faultsOf("functions: p.ts", { "p.ts": text })).map(([, code]) => code)).toEqual(["function-form"]);
  });

  test("in a folder, what other files import is none", async () => {
    const files = {
      "p/types.ts": "export interface Thing { id: string }",
      "p/rates.ts": "export const RATE = 7;",
      "p/one.ts":
        'import type { Thing } from "./types.js";\nimport { RATE } from "./rates";\n/** Gets it.\n * @kind read */\nexport function getIt(args: { of: Thing }): number { return RATE; }',
    };
    const read = (more: Readonly<Record<string, string>> = {}) => faultsOf("functions: p/*.ts", { ...files, ...more });
    expect((await read()).filter(([severity]) => severity === "error")).toEqual([]);
    const found = await read({ "p/two.ts": "export const LIMIT = 3;" });
    expect(found.filter(([severity]) => severity === "error")).toEqual([
      ["error", "no-functions", "definitions/toolwright.yaml", true],
    ]);
  });
});
