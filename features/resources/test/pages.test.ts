/** Pages of ops as resources, and completion: a caller sees what its grant allows, within limits. */

import { describe, expect, test } from "vitest";
import type { Principal } from "../../../runtime/codegen.js";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { type Fixture, type FixtureOptions, fixture, grant } from "../../../test/runtime/gateway/fixture.js";
import { closed, TOOLS } from "../../../test/runtime/gateway/fixture-tools.js";
import { connected } from "../../../test/runtime/serve/mcp/connected.js";
import { withResources } from "./with-resources.js";

const [sample] = TOOLS;
if (!sample) throw new Error("no tools");

/** A read like those of the fixture, with its own names. */
const tool = (op: string, more: Partial<Tool> = {}): Tool => ({
  ...sample,
  op,
  tool_name: op.replaceAll(".", "_"),
  group: op.split(".")[0] ?? "",
  access: "read",
  kind: "read",
  summary: `Does ${op}.`,
  description: `Does ${op}.`,
  parameters: [],
  parameters_schema: closed({}),
  aliases: [],
  ...more,
});
const many = (count: number): readonly Tool[] => Array.from({ length: count }, (_, i) => tool(`many.op_${i}`));

const FLAT = {
  expose: { gateway: false, hot: [], budget: undefined },
  run: runSettingsOf({ expose: { gateway: false } }),
};

const made = async (more: FixtureOptions = {}): Promise<Fixture> =>
  fixture({ ...more, options: await withResources() });

async function allOf(made: Fixture, who?: Principal) {
  const client = await connected(made, who);
  const [{ tools }, { resources }] = await Promise.all([client.listTools(), client.listResources()]);
  const { contents } = await client.readResource({ uri: "onetool://tools" });
  const [all] = contents;
  const listed = (JSON.parse(all && "text" in all ? all.text : "[]") as { readonly name: string }[]).map(
    ({ name }) => name,
  );
  const ref = { type: "ref/resource" as const, uri: "onetool://tool/{name}" };
  const { completion } = await client.complete({ ref, argument: { name: "name", value: "" } });
  return {
    client,
    tools: tools.map(({ name }) => name),
    resources: resources.map(({ name }) => name),
    listed,
    completion,
  };
}

describe("visibility", () => {
  test.each([
    ["an administrator", grant("admin"), true, true],
    ["a reader", grant("read"), false, false],
    ["a writer of one project", grant("write", ["proj_1"]), true, false],
  ])("%s finds the same ops in every list", async (_, who, writes, administers) => {
    const one = await made({ settings: FLAT });
    const { client, tools, resources, listed, completion } = await allOf(one, who);
    const view = one.gateway.index.view(who.grant);
    const names = view.listed.map(({ op }) => op.replaceAll(".", "_"));
    expect(listed).toEqual(names);
    expect(resources).toEqual(["tools", ...names]);
    expect(completion.values).toEqual(names);
    expect(tools.length).toBe(names.length);
    expect(names.includes("onto_task_create")).toBe(writes);
    expect(names.includes("admin_keys_list")).toBe(administers);
    const asked = client.readResource({ uri: "onetool://tool/admin.keys.list" });
    if (administers) expect((await asked).contents.length).toBe(1);
    else await expect(asked).rejects.toThrow(/^(?:MCP error -32602: )?Tool 'admin\.keys\.list' not found\./);
  });

  test("a resource that the caller may not see is answered like one that does not exist", async () => {
    const secret = tool("many.secret", { access: "admin", tool_name: "onto_search" });
    const answers = async (more: readonly Tool[]) => {
      const { client, ...seen } = await allOf(await made({ more, settings: FLAT }), grant("read"));
      const refusals = ["many.secret", "many_secret", "many.secrt", "onto_search"].flatMap((name) => [
        client.readResource({ uri: `onetool://tool/${name}` }),
        client.callTool({ name, arguments: {} }),
      ]);
      const told = await Promise.allSettled(refusals);
      return { seen, told: told.map((one) => (one.status === "rejected" ? String(one.reason) : one.value)) };
    };
    const found = await answers([secret]);
    expect(found).toEqual(await answers([]));
    expect(found.told[0]).toMatch(/Tool 'many\.secret' not found\.$/);
    expect(found.told[1]).toMatch(/Unknown tool: many\.secret/);
  });

  test("hidden ops are in no list", async () => {
    const { tools, listed, resources, completion, client } = await allOf(await made({ settings: FLAT }));
    for (const names of [tools, listed, resources, completion.values]) expect(names.join()).not.toContain("hidden");
    await expect(client.readResource({ uri: "onetool://tool/zeta.hidden.write" })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe("pages", () => {
  test("a long list comes in pages, each op once", async () => {
    const one = await made({ more: many(600), settings: FLAT });
    const { listed } = one.gateway.index.view(grant("write").grant);
    expect((await (await connected(one)).listResources()).resources.length).toBe(listed.length + 1);
  });

  test.each(["nonsense", "", "ZnJvbSAtMQ", Buffer.from("from 1e9").toString("base64url")])(
    "the cursor %j is refused",
    async (cursor) => {
      const client = await connected(await made({ settings: FLAT }));
      for (const method of ["resources/list", "prompts/list"] as const)
        await expect(client.request({ method, params: { cursor } })).rejects.toMatchObject({ code: -32602 });
    },
  );

  test("completion gives at most a hundred values and says how many there are", async () => {
    const { completion } = await allOf(await made({ more: many(600) }));
    expect(completion).toMatchObject({ total: expect.any(Number), hasMore: true });
    expect(completion.values.length).toBe(100);
    expect(completion.total).toBeGreaterThan(600);
  });
});

describe("completion", async () => {
  const client = await connected(await made());
  const ref = { type: "ref/resource" as const, uri: "onetool://tool/{name}" };
  const values = async (value: string) =>
    (await client.complete({ ref, argument: { name: "name", value } })).completion.values;

  test("what begins so comes before what holds it, in names or in ops", async () => {
    expect(await values("onto_task_docs")).toEqual(["onto_task_docs_list"]);
    expect(await values("ONTO.task.docs")).toEqual(["onto.task.docs.list"]);
    const search = await values("search");
    expect(search).toContain("onto_search");
    const all = await values("onto_s");
    expect(all[0]).toBe("onto_search");
    expect(await values("nothing at all")).toEqual([]);
  });

  test("another template has none", async () => {
    const other = { type: "ref/resource" as const, uri: "onetool://pack/{name}" };
    await expect(client.complete({ ref: other, argument: { name: "name", value: "" } })).rejects.toMatchObject({
      code: -32602,
    });
  });
});

describe("resources", () => {
  test("texts are cut where they have no end", async () => {
    const long = "x".repeat(50_000);
    const more = [tool("many.long", { description: long, summary: long, signature: { python: long, typescript: "" } })];
    const client = await connected(await made({ more }));
    const read = async (uri: string): Promise<string> => {
      const [one] = (await client.readResource({ uri })).contents;
      return one && "text" in one ? one.text : "";
    };
    expect((await read("onetool://tool/many.long")).length).toBeLessThan(45_000);
    expect((await read("onetool://tools")).length).toBeLessThan(45_000);
    const { resources } = await client.listResources();
    expect(JSON.stringify(resources.find(({ name }) => name === "many_long")).length).toBeLessThan(600);
  });

  test("two ops of one name with underscores are distinguished", async () => {
    const client = await connected(
      await made({ more: [tool("a_b.c", { tool_name: "x" }), tool("a.b_c", { tool_name: "y" })] }),
    );
    const names = (await client.listResources()).resources.map(({ name }) => name);
    expect(names.filter((name) => /^a[._]b/.test(name))).toEqual(["a.b_c", "a_b.c"]);
    await expect(client.readResource({ uri: "onetool://tool/a_b_c" })).rejects.toThrow(
      "Tool 'a_b_c' is ambiguous: a.b_c, a_b.c",
    );
    expect((await client.readResource({ uri: "onetool://tool/a_b.c" })).contents.length).toBe(1);
  });

  test.each([
    "onetool://",
    "onetool://tool",
    "onetool://nothing",
    "file:///etc/passwd",
    "onetool://tool/%ZZ",
    "onetool://tool/",
  ])("%s is not found", async (uri) => {
    const client = await connected(await made());
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
  });

  test("examples of prompts.yaml win over those of the registry", async () => {
    const op = "onto.task.list";
    const toolExamples = new Map([[op, ["onto.task.list(limit=3)"]]]);
    const client = await connected(await made({ settings: { toolExamples } }));
    const [one] = (await client.readResource({ uri: `onetool://tool/${op}` })).contents;
    expect(JSON.parse(one && "text" in one ? one.text : "{}").examples).toEqual(["onto.task.list(limit=3)"]);
  });

  test("internal errors are not revealed", async () => {
    const one = await made();
    const broken = { ...one.gateway, snippets: () => Promise.reject(new Error("/etc/secret")) };
    const client = await connected({ ...one, gateway: broken });
    await expect(client.listPrompts()).rejects.toThrow(/The request failed; see the log under tr_[0-9a-f]{16}\.$/);
    expect(JSON.stringify(one.lines)).toContain("/etc/secret");
  });
});
