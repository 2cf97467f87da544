/** Typed tools publish inputs that model providers accept, and calls are checked against the whole schema of the op. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachGroup } from "../../../support/each-case.js";
import { serveHttp } from "../../../support/http.js";
import { generatedRoot, type Json, temporaryFolder } from "../../../support/project.js";
import { SLOW } from "../../../support/run/run-demo.js";
import { MODERN, STDIO_CLIENTS, type SurfaceClient } from "../../../support/servers/surface.js";

/** Inputs with what providers refuse at the top, in arguments and in names. */
const INPUTS: Readonly<Record<string, object>> = {
  draw: {
    type: "object",
    properties: { kind: {} },
    required: ["kind"],
    oneOf: [
      { properties: { kind: { const: "disk" }, radius: { type: "number" } }, required: ["radius"] },
      { properties: { kind: { const: "box" }, größe: { type: "number" }, "naïve name": {} }, required: ["größe"] },
    ],
  },
  filter: {
    type: "object",
    properties: { $filter: { type: "string" }, 日本: { type: "string" }, 日語: { type: "string" }, "a b": {} },
    additionalProperties: false,
  },
  point: { $ref: "#/$defs/Point", $defs: { Point: { type: "object", properties: { x: { type: "number" } } } } },
  join: {
    allOf: [
      { anyOf: [{ properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }] },
      { properties: { c: { type: "string" } }, not: { required: ["c", "a"] } },
    ],
    if: { properties: { c: { const: "more" } }, required: ["c"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { d: { type: "string" } }, required: ["d"] },
  },
  pick: { type: "object", enum: [{ a: 1 }, { a: 2 }], properties: { a: { type: "integer" } } },
};

const REFUSED = ["oneOf", "anyOf", "allOf", "not", "enum", "const", "if", "then", "else", "$ref"];
const NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

function definitions(): string {
  const folder = join(temporaryFolder(later), "definitions");
  mkdirSync(folder);
  const tools = Object.entries(INPUTS).map(([name, inputSchema]) => ({ name, description: "It.", inputSchema }));
  writeFileSync(
    join(folder, "tools.json"),
    JSON.stringify(
      tools.map(({ inputSchema: parameters, ...one }) => ({ type: "function", function: { ...one, parameters } })),
    ),
  );
  writeFileSync(
    join(folder, "toolwright.yaml"),
    "use: []\nsources: [{ chat-tools: tools.json, pack: p, handlers: h.mjs, kind: read }]\nexpose: { hot: ['p.*'] }\n" +
      `access: { allow_write: true }\nops: { ${Object.keys(INPUTS).map((name) => `${name}: { kind: read }`)} }\n`,
  );
  const handlers = Object.keys(INPUTS).map((name) => `"p.${name}": (args) => args`);
  writeFileSync(join(folder, "h.mjs"), `export const handlers = { ${handlers.join(", ")} };\n`);
  return folder;
}

const cleaning: (() => unknown)[] = [];
const later = (one: () => unknown): void => void cleaning.push(one);
let root = "";
beforeAll(async () => {
  root = await generatedRoot(definitions(), later);
}, SLOW);
afterAll(async () => {
  for (const one of cleaning.reverse()) await one();
});

const overHttp =
  (options: object) =>
  async (folder: string): Promise<SurfaceClient> => {
    const { url } = await serveHttp(folder, [], later);
    const client = new Client({ name: "test", version: "1" }, options);
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  };
const CLIENTS = {
  ...STDIO_CLIENTS,
  "HTTP, 2025": overHttp({ versionNegotiation: { mode: "legacy" } }),
  "HTTP, 2026": overHttp(MODERN),
};

eachGroup(
  Object.entries(CLIENTS),
  "stdio, 2025",
  "stdio, 2026",
  "HTTP, 2025",
  "HTTP, 2026",
)("over %s", { timeout: SLOW }, (_transport, connect) => {
  let client: SurfaceClient;
  let inputs = new Map<string, Json>();
  beforeAll(async () => {
    client = await connect(root);
    const { tools } = await client.listTools();
    inputs = new Map(tools.map(({ name, inputSchema }) => [name, inputSchema]));
  }, SLOW);
  afterAll(() => client.close());
  const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<Json> => {
    const { isError, content } = (await client.callTool({ name, arguments: args })) as Json;
    const value = JSON.parse(content[0].text);
    return isError ? value.code : value;
  };

  test("inputs are objects without alternatives at the top, and names have letters that providers accept", async () => {
    for (const name of Object.keys(INPUTS)) {
      const input = inputs.get(name);
      expect(input, name).toMatchObject({ type: "object" });
      expect(
        REFUSED.filter((keyword) => keyword in input),
        name,
      ).toEqual([]);
      expect(Object.keys(input.properties ?? {}).filter((one) => !NAME.test(one))).toEqual([]);
      expect((input.required ?? []).filter((one: string) => !(one in input.properties))).toEqual([]);
    }
    const names = (name: string): readonly string[] => Object.keys(inputs.get(name).properties);
    expect(names("draw")).toEqual(["kind", "radius", "gr__e", "na_ve_name"]);
    expect(inputs.get("draw").properties.kind).toEqual({ anyOf: [{ const: "disk" }, { const: "box" }] });
    expect(new Set(names("filter")).size).toBe(4);
    expect(names("join").toSorted()).toEqual(["a", "b", "c", "d"]);
  });

  test("an argument is taken under its published name and its own; the op gets its own", async () => {
    const box = { kind: "box", größe: 2, "naïve name": "x" };
    expect(await call("draw", { kind: "box", gr__e: 2, na_ve_name: "x" })).toEqual(box);
    expect(await call("draw", box)).toEqual(box);
    const values = ["f", "1", "2", "b"];
    const published = Object.keys(inputs.get("filter").properties).map((name, i) => [name, values[i]]);
    const own = { $filter: "f", 日本: "1", 日語: "2", "a b": "b" };
    expect(await call("filter", Object.fromEntries(published))).toEqual(own);
  });

  test("what is left out of the published input still holds", async () => {
    expect(await call("draw", { kind: "box" })).toBe("VALIDATION_ERROR");
    expect(await call("draw", { kind: "disk", gr__e: 2 })).toBe("VALIDATION_ERROR");
    expect(await call("join", { a: "x", c: "y" })).toBe("VALIDATION_ERROR");
    expect(await call("join", { c: "more" })).toBe("VALIDATION_ERROR");
    expect(await call("join", { c: "more", d: "e" })).toEqual({ c: "more", d: "e" });
    expect(await call("pick", { a: 3 })).toBe("VALIDATION_ERROR");
    expect(await call("point", { x: "one" })).toBe("VALIDATION_ERROR");
  });
});
