/** Compares foreign schemas with themselves, which gives no findings, and with one change, which is found. `SCALE=1` takes all. */

import { readdirSync, readFileSync } from "node:fs";
import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { isSchema } from "../../../runtime/contract/json-schema.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { CORPORA, hasCorpora } from "../../../test/support/corpora.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import type { Json } from "../../../test/support/project.js";
import { randomOf, SCALE, shuffled, withShuffledKeys } from "../../../test/support/random.js";
import { compareTools } from "../compare.js";
import { compareSchemas } from "../schema.js";

await loadChecks();

const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));

/** Every tool of every snapshot, its server as pack. */
function allTools(): readonly Tool[] {
  const servers: readonly (readonly [string, Json])[] = [
    ...readdirSync(`${CORPORA}mcp`)
      .sort()
      .map((name) => [name, parsed(`mcp/${name}`)] as const),
    ["github", parsed("mcp-repo/github-mcp-server.json")],
    ...parsed("mcp-repo/livemcpbench.json").servers.map((one: Json) => [`live-${one.server}`, one] as const),
  ];
  return servers.flatMap(([server, { tools }]) =>
    tools.map((one: Json) =>
      completeTool({
        op: `${server}.${one.name}`,
        tool_name: one.name,
        description: one.description ?? "",
        ...(isSchema(one.inputSchema) ? { parameters_schema: one.inputSchema } : {}),
        ...(isSchema(one.outputSchema) ? { result_schema: one.outputSchema } : {}),
      }),
    ),
  );
}

/** Schemas of the official test suite, valid and odd ones. */
function suiteSchemas(): readonly JsonSchema[] {
  const folders = ["draft7", "draft2020-12"].map((draft) => `json-schema-test-suite/${draft}/`);
  const files = folders.flatMap((folder) =>
    readdirSync(CORPORA + folder, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => folder + name),
  );
  return files.flatMap((file) => parsed(file).map((one: Json) => one.schema)).filter(isSchema);
}

interface Change {
  readonly expected: string;
  readonly apply: (name: string, schema: Json, whole: Json) => boolean;
}

/** One place changed, and what must then be found. */
const CHANGES: readonly Change[] = [
  {
    expected: "arg-removed",
    apply: (name, _, whole) => delete whole.properties[name] && remove(whole.required, name),
  },
  {
    expected: "arg-became-required",
    apply: (name, _, whole) => {
      if (whole.required?.includes(name)) return false;
      whole.required = [...(whole.required ?? []), name];
      return true;
    },
  },
  {
    expected: "arg-enum-value-removed",
    apply: (_, schema) => Array.isArray(schema.enum) && schema.enum.length > 1 && schema.enum.pop() !== null,
  },
  {
    expected: "arg-description-removed",
    apply: (_, schema) =>
      typeof schema.description === "string" && /\S/.test(schema.description) && delete schema.description,
  },
  {
    expected: "arg-type-changed",
    apply: (_, schema) => {
      if (typeof schema.type !== "string" || schema.enum || schema.const !== undefined || schema.anyOf) return false;
      schema.type = schema.type === "boolean" ? "string" : "boolean";
      return true;
    },
  },
];

const remove = (list: unknown, name: string): boolean => {
  if (Array.isArray(list) && list.includes(name)) list.splice(list.indexOf(name), 1);
  return true;
};

/** A copy with one argument changed, the first in random order that can be changed so, and where; undefined where none can. */
function changedAt(
  before: JsonSchema,
  { apply }: Change,
  random: () => number,
): { readonly after: Json; readonly pointer: string } | undefined {
  const { properties }: Json = before;
  for (const name of shuffled(Object.keys(isSchema(properties) ? properties : {}), random)) {
    const after: Json = structuredClone(before);
    if (isSchema(after.properties[name]) && apply(name, after.properties[name], after))
      return { after, pointer: `/properties/${name.replaceAll("~", "~0").replaceAll("/", "~1")}` };
  }
  return undefined;
}

describe.skipIf(!hasCorpora)(hasCorpora ? `at scale ${SCALE}` : "../shared/corpora is not there", () => {
  test("every tool against itself, in any order of tools and keys, gives nothing", { timeout: 120_000 }, () => {
    const tools = allTools();
    expect(tools.length).toBeGreaterThan(2500);
    const random = randomOf(5);
    const shuffledTools = shuffled(tools, random).map((one) => ({
      ...one,
      parameters_schema: withShuffledKeys(one.parameters_schema, random) as JsonSchema,
    }));
    expect(compareTools(tools, shuffledTools)).toEqual([]);
  });

  test("one place changed: that is found at that place, and the way back finds as much", {
    tags: "full",
    timeout: 600_000,
  }, () => {
    const random = randomOf(11);
    const tools = shuffled(allTools(), random).slice(0, Math.round(2634 * Math.min(1, SCALE)));
    const seen = new Map<string, number>();
    for (const { op, parameters_schema: before } of tools)
      for (const change of CHANGES) {
        const made = changedAt(before, change, random);
        if (!made) continue;
        const { after, pointer } = made;
        const found = compareSchemas("input", before, after);
        expect(
          found.map((one) => `${one.rule} ${one.pointer}`),
          op,
        ).toContain(`${change.expected} ${pointer}`);
        expect(compareSchemas("input", after, before).length, op).toBeGreaterThan(0);
        seen.set(change.expected, (seen.get(change.expected) ?? 0) + 1);
      }
    for (const { expected } of CHANGES) expect(seen.get(expected) ?? 0, expected).toBeGreaterThan(10);
  });

  test("any two tools of a server compare without a crash, and say what differs", {
    tags: "full",
    timeout: 600_000,
  }, () => {
    const tools = shuffled(allTools(), randomOf(3)).slice(0, Math.round(2000 * Math.min(1, SCALE)));
    for (const [i, before] of tools.entries()) {
      const other = tools[(i + 1) % tools.length] ?? before;
      const found = compareTools([before], [{ ...other, op: before.op, tool_name: before.tool_name }]);
      for (const one of found) expect(one.message, JSON.stringify(one)).not.toMatch(/undefined|NaN|\[object/);
    }
  });

  test("schemas of the official suite: themselves nothing, each other no crash", { timeout: 120_000 }, () => {
    const schemas = suiteSchemas();
    expect(schemas.length).toBeGreaterThan(500);
    for (const [i, one] of schemas.entries()) {
      expect(compareSchemas("input", one, structuredClone(one))).toEqual([]);
      const next = schemas[(i + 1) % schemas.length] ?? one;
      expect(() => compareSchemas("input", one, next)).not.toThrow();
      expect(() =>
        compareSchemas("result", { properties: { x: one } } as JsonSchema, { properties: { x: next } } as JsonSchema),
      ).not.toThrow();
    }
  });
});
