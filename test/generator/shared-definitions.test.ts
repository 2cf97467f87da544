/** Definitions that many ops reach: once a pack in every file, and whole schemas for everyone who reads them. */

import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject, JsonSchema, Registry, Tool } from "../../runtime/contract/registry.js";
import { indexedRegistry } from "../../runtime/contract/registry-index.js";
import { type RegistryFile, registryFile, wholeRegistry } from "../../runtime/contract/shared-definitions.js";
import { expandableApi } from "../support/expandable-api.js";
import { temporaryFolder, toolwright } from "../support/project.js";
import { randomOf } from "../support/random.js";

const MB = 1_000_000;
const OBJECTS = 24;

const sizeOf = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .reduce((sum, one) => sum + statSync(join(one.parentPath, one.name)).size, 0);

const described = expandableApi(OBJECTS);
let root = "";
const generated = (file: string): string => join(root, "generated", file);
const fileOf = (): RegistryFile => JSON.parse(readFileSync(generated("registry.json"), "utf8"));

beforeAll(async () => {
  root = temporaryFolder(afterAll);
  mkdirSync(join(root, "definitions"), { recursive: true });
  writeFileSync(join(root, "definitions", "api.json"), described);
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nsources: [{ openapi: api.json, pack: api }]\n");
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
}, 300_000);

describe("a description whose objects all refer to each other", { timeout: 300_000 }, () => {
  test("gives files that grow with the description, not with ops times definitions", () => {
    expect(sizeOf(join(root, "generated"))).toBeLessThan(4 * described.length + MB);
    expect(statSync(generated("registry.json")).size).toBeLessThan(6 * described.length);
  });

  test("has whole schemas wherever they are read", () => {
    const file = fileOf();
    expect(Object.keys(file.definitions?.["api"] ?? {})).toHaveLength(OBJECTS);
    const registry = wholeRegistry(file);
    const tool =
      registry.tools.find(({ op }) => op.endsWith("get_object_3") || op === "api.object_3.get") ?? registry.tools[0];
    expect(Object.keys(tool?.result_schema?.["$defs"] ?? {})).toHaveLength(OBJECTS);
    const indexed = indexedRegistry(generated("registry.json"), readFileSync(generated("registry-index.json")));
    expect(indexed?.tools.map((one) => ({ ...one }))).toEqual(registry.tools);
  });

  test("differs in nothing from the registry of an earlier version, which has whole schemas", async () => {
    const before = join(temporaryFolder(), "registry.json");
    writeFileSync(before, JSON.stringify(wholeRegistry(fileOf())));
    const { code, stdout } = await toolwright(["breaking", "--root", root, "--against", before]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("no change")]);
  });

  test("its validators check what is behind shared definitions", async () => {
    const op = fileOf().tools.find(({ tool_name }) => tool_name === "create_object_3")?.op ?? "";
    const dry = (value: JsonObject) =>
      toolwright(["exec", "--root", root, op, "--args", JSON.stringify({ value }), "--dry-run", "--allow-write"]);
    const right = await dry({ id: "a", field_0: { id: "b", field_3: { id: "c", field_1: 2 } } });
    expect([right.code, right.stdout]).toEqual([0, expect.stringContaining('"ok"')]);
    const wrong = await dry({ id: "a", field_0: { id: "b", field_3: { id: "c", field_1: -2 } } });
    expect([wrong.code === 0, `${wrong.stdout}${wrong.stderr}`]).toEqual([false, expect.stringContaining("field_1")]);
  });

  test("check finds each change, with the notes of the last run and without", async () => {
    const check = async (): Promise<number | null> => (await toolwright(["check", "--root", root])).code;
    expect(await check()).toBe(0);
    const file = generated("ops.ts");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace("create_object_1", "create_object_2"));
    expect(await check()).toBe(1);
    const [lockFile, lock] = [generated("toolwright.lock"), readFileSync(generated("toolwright.lock"), "utf8")];
    writeFileSync(lockFile, lock.replace(/"ops.ts": "./, '"ops.ts": "0'));
    expect(await check()).toBe(1);
    writeFileSync(lockFile, lock);
    writeFileSync(file, text);
    rmSync(join(root, ".onetool"), { recursive: true });
    expect(await check()).toBe(0);
    appendFileSync(join(root, "definitions", "toolwright.yaml"), "aliases: { made: api.create_object_1 }\n");
    expect(await check()).not.toBe(0);
  });
});

describe("a registry read from its file is the registry", () => {
  const next = randomOf(42);
  const pick = (most: number): number => Math.floor(next() * most);
  const names = ["A", "B", "a/b", "c~d", "é", "__proto__", "F", "G"];
  const padding = "x".repeat(60_000);
  const schemaOf = (depth: number): JsonSchema => {
    const form = pick(depth > 2 ? 2 : 5);
    if (form === 0) return { type: "string", description: padding.slice(0, pick(200)) };
    if (form === 1)
      return { $ref: `#/$defs/${(names[pick(names.length)] ?? "A").replace("~", "~0").replace("/", "~1")}` };
    if (form === 2) return { default: { $ref: "#/$defs/A" } };
    if (form === 3) return { anyOf: [schemaOf(depth + 1) as JsonObject, schemaOf(depth + 1) as JsonObject] };
    return { type: "object", properties: { one: schemaOf(depth + 1) as JsonObject } };
  };
  const definition = (): JsonSchema => ({ ...schemaOf(1), title: padding });
  const toolOf = (index: number, pool: readonly JsonSchema[]): Tool => {
    const held = names
      .filter(() => next() < 0.6)
      .map((name, at) => [name, next() < 0.8 ? pool[at] : definition()] as const);
    const defs = held.length > 0 ? { $defs: Object.fromEntries(held) as JsonObject } : {};
    const root = next() < 0.2 ? pool[0] : schemaOf(0);
    return {
      op: `p.${index}`,
      group: index % 4 === 0 ? "q" : "p",
      parameters_schema: { ...schemaOf(0), ...defs },
      ...(next() < 0.7 ? { result_schema: { ...root, ...defs } } : {}),
    } as Tool;
  };

  test("for schemas of any form, 60 times", () => {
    let shared = 0;
    for (let run = 0; run < 60; run++) {
      const pool = names.map(definition);
      const tools = Array.from({ length: 6 }, (_, index) => toolOf(index, pool));
      const registry: Registry = { ir_version: 1, registry_version: "0", tools, packs: [], reserved: [] };
      const file = JSON.stringify(registryFile(registry));
      shared += file.includes('"definitions"') ? 1 : 0;
      expect(wholeRegistry(JSON.parse(file))).toEqual(JSON.parse(JSON.stringify(registry)));
    }
    expect(shared).toBeGreaterThan(20);
  });
});
