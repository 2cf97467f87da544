/** Ops exposed as tools, with real clients: their listing and their answers. */

import { cpSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hotOps } from "../../../../runtime/contract/exposure.js";
import { wireNames } from "../../../../runtime/contract/wire-names.js";
import { eachGroup } from "../../../support/each-case.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder, toolwright } from "../../../support/project.js";
import { SLOW } from "../../../support/run/run-demo.js";
import { STDIO_CLIENTS, type SurfaceClient } from "../../../support/servers/surface.js";

const DEMO = join(CHECKOUT, "test/support/demos/hot-demo/definitions");
const GATEWAY = ["run", "tool_help", "tool_exec", "tool_batch"];
/** Of the pack `shop` by op, then the one other op. */
const HOT = "anything broken list_orders rating remove shop_search shop_name titles wait wrong other_search".split(" ");

const cleaning: (() => void)[] = [];
const later = (one: () => void): void => void cleaning.push(one);
let root = "";
beforeAll(async () => {
  root = await generatedRoot(DEMO, later);
}, SLOW);
afterAll(() => {
  for (const one of cleaning) one();
});

/** The project with another `expose` and further keys; what is generated stays. */
function rootWith(expose: string, more = ""): string {
  const folder = temporaryFolder(later);
  for (const part of ["definitions", "generated"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const file = join(folder, "definitions", "toolwright.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8").replace(/expose: .*/, `expose: ${expose}`)}${more}`);
  return folder;
}

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Json;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}

eachGroup(Object.entries(STDIO_CLIENTS), Object.keys(STDIO_CLIENTS)[0] ?? "")(
  "over %s",
  { timeout: SLOW },
  (transport, connect) => {
    let client: SurfaceClient;
    beforeAll(async () => {
      client = await connect(root);
      // Clients check structured content against the schemas of the list that they have read.
      await client.listTools();
    }, SLOW);
    afterAll(() => client.close());
    const call = async (name: string, args: object = {}): Promise<Result> =>
      (await client.callTool({ name, arguments: { ...args } as Record<string, unknown> })) as Result;
    const isModern = transport.includes("2026");
    /** Before 2026 structured content is an object; any other value is wrapped in one. */
    const structured = (value: Json): Json => (isModern ? value : { result: value });

    test("hot ops stand behind the gateway tools, in the order of the patterns", async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual([...GATEWAY, ...HOT]);
      const orders = tools.find(({ name }) => name === "list_orders");
      expect(orders).toMatchObject({
        description: "Lists orders.",
        inputSchema: { type: "object", properties: { state: { enum: ["open", "closed"], default: "open" } } },
        outputSchema: { type: "object", properties: { items: { type: "array" } } },
        annotations: { readOnlyHint: true },
      });
      expect(tools.find(({ name }) => name === "remove")?.annotations).toMatchObject({ readOnlyHint: false });
      expect(tools.find(({ name }) => name === "remove")?.inputSchema.properties).toHaveProperty("dry_run");
    });

    test.each([
      ["list_orders", {}, { items: [{ id: "A-17", state: "open" }] }],
      ["anything", {}, { some: "thing" }],
    ])("%s %j: an object is the text and the structured content", async (name, args, value) => {
      const { isError, structuredContent, content } = await call(name, args);
      expect({ isError, structuredContent }).toEqual({ isError: undefined, structuredContent: value });
      expect(content).toEqual([{ type: "text", text: JSON.stringify(value) }]);
    });

    test.each([
      ["titles", {}, ["one", "two"], '["one","two"]'],
      ["shop_name", {}, "Corner shop", "Corner shop"],
      ["rating", {}, 4.5, "4.5"],
      ["rating", { known: false }, null, "null"],
    ])("%s %j: any other value fits its schema in the client's era", async (name, args, value, text) => {
      const { isError, structuredContent, content } = await call(name, args);
      expect(isError).toBeUndefined();
      expect(structuredContent).toEqual(structured(value));
      expect(content).toEqual([{ type: "text", text }]);
    });

    test("a list without a schema is text alone", async () => {
      const { isError, structuredContent, content } = await call("anything", { list: true });
      expect({ isError, structuredContent, content }).toEqual({
        isError: undefined,
        structuredContent: undefined,
        content: [{ type: "text", text: "[1,2]" }],
      });
    });

    test("a result that does not fit its schema is reported as such, and is not lost", async () => {
      const { isError, structuredContent, content } = await call("wrong");
      expect({ isError, structuredContent }).toEqual({ isError: true, structuredContent: undefined });
      expect(content[0]?.text).toMatch(
        /^shop\.wrong was carried out; do not repeat the call\..*data\/n must be number/,
      );
      expect(content[1]?.text).toBe('{"n":"many"}');
    });

    test("arguments are checked by dispatch, and the error of its envelope is the text", async () => {
      const flat = await call("list_orders", { state: "opne" });
      expect(flat.isError).toBe(true);
      expect(flat.structuredContent).toBeUndefined();
      expect(flat.content.length).toBe(1);
      const error = JSON.parse(flat.content[0]?.text ?? "");
      const exec = await call("tool_exec", { op: "shop.list_orders", args: { state: "opne" } });
      expect(error).toEqual({ ...exec.structuredContent.error, details: expect.anything() });
      expect(error).toMatchObject({
        code: "VALIDATION_ERROR",
        corrected_call: { op: "shop.list_orders", args: { state: "open" } },
      });
    });

    test("a repair is reported with the answer", async () => {
      const { content } = await call("list_orders", { state: "OPEN" });
      expect(content.length).toBe(2);
      expect(content[1]?.text).toMatch(/^Warnings:\nenum_alias: /);
    });

    test("an op that is a dry run by default takes dry_run, and does it without", async () => {
      expect(JSON.parse((await call("remove", { id: "A-17" })).content[0]?.text ?? "")).toMatchObject({
        dry_run: true,
      });
      const { structuredContent } = await call("remove", { id: "A-17", dry_run: false });
      expect(structuredContent).toEqual({ removed: "A-17" });
    });

    test.each(["cold", "other_cold", "unlisted", "ledger", "shop.list_orders", "nonsense", "tool.list_orders"])(
      "%s is no tool here",
      async (name) => {
        await expect(call(name)).rejects.toMatchObject({ code: -32602 });
      },
    );

    test("tools of one name are distinguished by their packs", async () => {
      expect((await call("shop_search", { query: "a" })).content[0]?.text).toBe("orders: a");
      expect((await call("other_search", { query: "a" })).content[0]?.text).toBe("elsewhere: a");
    });

    test("progress arrives, and a client that gives up stops the op", async () => {
      const seen: number[] = [];
      const asked = { name: "wait", arguments: { ms: 200 } };
      const options = { onprogress: ({ progress }: { progress: number }) => seen.push(progress) };
      const isOld = transport.includes("1.x");
      // The client of before takes a schema of the result as its second argument.
      const callTool = client.callTool.bind(client) as (...given: readonly unknown[]) => Promise<unknown>;
      await (isOld ? callTool(asked, undefined, options) : callTool(asked, options));
      expect(seen.length).toBeGreaterThan(0);
      const signal = AbortSignal.timeout(100);
      const long = { name: "wait", arguments: { ms: 60_000 } };
      await expect(isOld ? callTool(long, undefined, { signal }) : callTool(long, { signal })).rejects.toThrow();
      expect((await call("shop_name")).isError).toBeUndefined();
    });
  },
);

describe("flat", { timeout: SLOW }, () => {
  test.each(Object.entries(STDIO_CLIENTS))(
    "%s: every listed op is a tool, and the gateway tools are none",
    { tags: "full" },
    async (_, connect) => {
      const client = await connect(rootWith("{ gateway: false }"));
      const { tools } = await client.listTools();
      const names = tools.map(({ name }) => name);
      for (const name of [...HOT, "cold", "help", "result"]) expect(names).toContain(name);
      for (const name of [...GATEWAY, "unlisted", "ledger"]) expect(names).not.toContain(name);
      await expect(client.callTool({ name: "tool_exec", arguments: { op: "shop.titles" } })).rejects.toThrow();
      expect(await client.callTool({ name: "cold", arguments: {} })).toMatchObject({ content: [{ text: "cold" }] });
      expect(client.getInstructions()).toMatch(
        /^Text between external-content tags .*\nEvery op is a tool of its own\./,
      );
      await client.close();
    },
  );

  test("run is shown where it is asked for", async () => {
    const client = await (STDIO_CLIENTS["stdio, 2025"] as NonNullable<(typeof STDIO_CLIENTS)[string]>)(
      rootWith("{ gateway: false, run: true }"),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).filter((name) => GATEWAY.includes(name))).toEqual(["run"]);
    expect(client.getInstructions()).toMatch(/^run executes .*\nEvery op is a tool of its own\./s);
    await client.close();
  });
});

describe("the budget", () => {
  const ops = (...tokens: readonly number[]) =>
    tokens.map((definition, i) => ({
      op: `p.op${i}`,
      group: "p",
      parameters: [],
      parameters_schema: {},
      tokens: { definition, help: 0, signature: 10 },
    }));

  test.each([
    ["no budget: all", undefined, [900, 900], [0, 1], []],
    ["620 for the gateway and 20 for the signatures", 740, [50, 50], [0, 1], []],
    ["one token too few", 739, [50, 50], [0], [1]],
    ["what is too large leaves room", 740, [200, 50], [1], [0]],
    ["nothing fits", 0, [1, 1], [], [0, 1]],
  ])("decides which ops are shown: %s", (_, budget, tokens, shown, left) => {
    const tools = ops(...tokens);
    const named = (chosen: readonly { readonly op: string }[]) => chosen.map(({ op }) => Number(op.slice(4)));
    const made = hotOps(tools, { hot: ["p.*"], budget, signatures: 1900 });
    expect({ shown: named(made.shown), left: named(made.left) }).toEqual({ shown, left });
  });

  test("patterns decide the order, and an op is taken once", () => {
    const { shown } = hotOps(ops(1, 1, 1), { hot: ["p.op2", "p.*", "p.op2"] });
    expect(shown.map(({ op }) => op)).toEqual(["p.op2", "p.op0", "p.op1"]);
  });

  test("what does not fit is left out, and check and the log name it", { tags: "full", timeout: SLOW }, async () => {
    const wanted = ["list_orders", "rating", "shop_name", "titles", "wait"];
    const patterns = wanted.map((name) => `shop.${name}`).join(", ");
    const small = rootWith(`{ hot: [${patterns}], signatures: 0 }`, "budget: { exposed: 700 }\n");
    const client = await (STDIO_CLIENTS["stdio, 2025"] as NonNullable<(typeof STDIO_CLIENTS)[string]>)(small);
    const names = (await client.listTools()).tools.map(({ name }) => name).slice(GATEWAY.length);
    await client.close();
    expect(names.length).toBeGreaterThan(0);
    const { stdout } = await toolwright(["check", "--json", "--root", small]);
    const { diagnostics, over_budget } = JSON.parse(stdout);
    const found = diagnostics.filter(({ code }: Json) => code === "hot-over-budget");
    const left = found.map(({ message }: Json) => /^shop\.(\w+)/.exec(message)?.[1]);
    expect(left.length).toBeGreaterThan(0);
    expect([...names, ...left].sort()).toEqual(wanted);
    expect(over_budget).toEqual([]);
    const { stderr } = await toolwright(["serve", "--root", small]);
    expect(JSON.parse(stderr.split("\n").find((line) => line.includes("no room for hot ops")) ?? "{}")).toMatchObject({
      budget: 700,
      ops: left.map((name: string) => `shop.${name}`),
    });
  });
});

describe("names", () => {
  const named = (...tools: readonly (readonly [op: string, name: string])[]) =>
    Object.fromEntries(wireNames(tools.map(([op, tool_name]) => ({ op, tool_name }))));

  test("the tool's own where it is the only one, else the op with underscores", () => {
    expect(named(["a.one", "get_one"], ["a.two", "two"], ["b.two", "two"])).toEqual({
      "a.one": "get_one",
      "a.two": "a_two",
      "b.two": "b_two",
    });
  });

  test("what providers refuse, and names of gateway tools, give way to the op", () => {
    expect(named(["a.run", "run"], ["a.dotted", "x.y"], ["a.empty", ""])).toEqual({
      "a.run": "a_run",
      "a.dotted": "a_dotted",
      "a.empty": "a_empty",
    });
  });

  test("no two ops have one name, and each name is at most 64 characters", () => {
    const long = "x".repeat(70);
    const names = named(["a_b.c", "same"], ["a.b_c", "same"], [`p.${long}1`, long], [`p.${long}2`, long]);
    const all = Object.values(names);
    expect(new Set(all).size).toBe(4);
    for (const name of all) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names["a_b.c"]).toBe("a_b_c");
    expect(names["a.b_c"]).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  });
});
