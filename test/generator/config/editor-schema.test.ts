/** The schema of `toolwright.yaml` for editors, with a sentence for every key at the top. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { FEATURES } from "../../../features/list.js";
import { editorSchema } from "../../../generator/config/editor-schema.js";
import { caseFolder, caseNames } from "../../support/generator-cases.js";
import { CHECKOUT, type Json } from "../../support/project.js";

const validate = formats.default(new Ajv({ allErrors: true, strict: false })).compile(editorSchema(FEATURES));
const faults = (value: unknown): readonly string[] =>
  validate(value) ? [] : (validate.errors ?? []).map((one) => `${one.instancePath} ${one.keyword}`);

test("it is a valid schema that takes this project's own file and those of the golden cases, and refuses a typo", () => {
  const files = ["definitions", ...caseNames().map((name) => join(caseFolder(name), "definitions"))];
  for (const folder of files)
    expect(faults(parse(readFileSync(join(folder, "toolwright.yaml"), "utf8"))), folder).toEqual([]);
  expect(faults({ sources: [], sinonyms: {} })).toEqual([" additionalProperties", " if"]);
  expect(faults({ sources: [], ops: { get_a: { handler: "./a.ts" } } })).toEqual(["/ops/get_a additionalProperties"]);
  expect(faults({ sources: [{ mcp: "a.json", kind: "reed" }], budget: { tool: -1 } })).toEqual([
    "/sources/0/kind enum",
    "/budget/tool minimum",
  ]);
});

test("with plugins, a source may have another kind, and a feature its keys; without them, it is a typing error", () => {
  const sources = [{ csv: "*.csv", options: { separator: ";" } }];
  expect(faults({ plugins: ["./csv.ts"], sources, emitters: { table: { title: "Ops" } }, quota: {} })).toEqual([]);
  expect(faults({ sources })).toEqual(["/sources/0 enum", "/sources/0 propertyNames", " if"]);
});

test("every key at the top has a sentence", () => {
  const { properties }: Json = editorSchema(FEATURES);
  const silent = Object.keys(properties).filter((key) => typeof properties[key].description !== "string");
  expect(silent).toEqual([]);
});

test("the package ships it where the first line of the file says, and the first line of our own file leads to it", () => {
  const { files, exports, scripts } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  expect([files.includes("schema.json"), exports["./schema.json"]]).toEqual([true, "./schema.json"]);
  expect(scripts.build).toContain("generator/build/build.mjs");
  expect(JSON.parse(readFileSync(join(CHECKOUT, "schema.json"), "utf8")).title).toBe("toolwright.yaml");
  const [first] = readFileSync(join(CHECKOUT, "definitions/toolwright.yaml"), "utf8").split("\n");
  expect(first).toBe("# yaml-language-server: $schema=../schema.json");
});
