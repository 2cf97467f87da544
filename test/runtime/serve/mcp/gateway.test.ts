/** The gateway tools over MCP: definitions, results, unknown tools. */

import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { startSession } from "../../../../runtime/catalog/session.js";
import { GATEWAY_TOOLS, inLanguages, listedTool } from "../../../../runtime/contract/gateway-tools.js";
import { createServer } from "../../../../runtime/serve/mcp/server.js";
import { runSettings, saidOf } from "../../../support/run/languages.js";
import { type Fixture, fixture, handler, liveOf, principal } from "../../gateway/fixture.js";

async function connect(made: Fixture = fixture(), who = principal()): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const server = createServer({
    live: liveOf(made.gateway),
    principal: () => who,
    session: startSession(),
    version: "0.0.0",
  });
  const client = new Client({ name: "test", version: "1" });
  await Promise.all([server.connect(there), client.connect(here)]);
  return client;
}

const LISTED = GATEWAY_TOOLS.map(listedTool);
const listedWith = (languages: readonly string[]) =>
  GATEWAY_TOOLS.map((one) => listedTool(inLanguages(one, saidOf(languages))));

interface Result {
  readonly isError?: boolean;
  readonly structuredContent?: Record<string, unknown>;
  readonly content: readonly { readonly type: string; readonly text?: string }[];
}
const call = async (client: Client, name: string, args?: object): Promise<Result> =>
  (await client.callTool({ name, ...(args ? { arguments: args as Record<string, unknown> } : {}) })) as Result;

describe("tools/list", () => {
  test("is exactly the gateway tools, with plain schemas and hints", async () => {
    const client = await connect();
    const { tools } = await client.listTools();
    const [run, ...rest] = tools;
    expect(rest).toEqual(LISTED.slice(1));
    expect({ ...run, description: run?.description?.split("\n\n")[0] }).toEqual(LISTED[0]);
    expect(run?.description?.split("\n\n")[1]).toMatch(/^onto\.task\./m);
    expect(tools.map(({ name }) => name)).toEqual(["run", "tool_help", "tool_exec", "tool_batch"]);
    for (const { name } of tools) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(client.getInstructions()).toBe("Be brief.");
  });

  test.each([[["python"]], [["typescript"]], [["python", "typescript"]], [["typescript", "python"]]])(
    "costs at most 620 o200k tokens with run.languages %j",
    (languages) => {
      expect(countTokens(JSON.stringify(listedWith(languages)))).toBeLessThanOrEqual(620);
    },
  );

  test("describes run in the languages of the project", async () => {
    const runOf = async (languages: readonly ("python" | "typescript")[]) => {
      const { tools } = await (
        await connect(fixture({ settings: { run: runSettings({ run: { languages } }) } }))
      ).listTools();
      const run = tools.find(({ name }) => name === "run");
      const properties = run?.inputSchema.properties as Readonly<Record<string, { readonly description?: string }>>;
      return [run?.description?.split("\n\n")[0], run?.annotations?.title, properties];
    };
    expect(await runOf(["python"])).toEqual([
      "Run Python over the ops, as pack.entity.list(limit=5); chain, filter, join results in one call. The last expression is the answer; keep it small. Starts empty.",
      "Run Python with tools",
      {
        command: { type: "string", description: "Python, or $snippet key=value" },
        after: { type: "string", description: "Failed run" },
      },
    ]);
    expect(await runOf(["typescript"])).toEqual([
      "Run TypeScript over the ops, as await pack.entity.list({ limit: 5 }); chain, filter, join results in one call. The last expression is the answer; keep it small.",
      "Run TypeScript with tools",
      {
        command: { type: "string", description: "TypeScript, or $snippet key=value" },
        after: { type: "string", description: "Failed run" },
      },
    ]);
    const language = { type: "string", enum: ["typescript", "python"] };
    expect(await runOf(["typescript", "python"])).toEqual([
      "Run TypeScript, await pack.op({ n: 5 }), or ```py pack.op(n=5); filter, join, end with the small answer.",
      "Run code",
      {
        command: { type: "string", description: "Code or $snippet key=value" },
        language,
        after: { type: "string", description: "Failed run" },
      },
    ]);
    expect((await runOf(["python", "typescript"]))[0]).toBe(
      "Run Python, pack.op(n=5), or ```ts await pack.op({ n: 5 }); filter, join, end with the small answer.",
    );
  });
});

describe("tools/call", () => {
  test("answers with one compact JSON text and the same value as structured content", async () => {
    const result = await call(await connect(), "tool_exec", { op: "onto.task.list" });
    expect(result.isError).toBeUndefined();
    expect(result.content.length).toBe(1);
    expect(result.content[0]?.text).toBe(JSON.stringify(result.structuredContent));
    expect(result.structuredContent).toMatchObject({ ok: true, op: "onto.task.list" });
  });

  test.each([
    ["tool.help", { path: "onto" }, undefined],
    ["tool.exec", { op: "onto.task.list" }, undefined],
    ["tool.batch", { ops: [{ op: "onto.task.delete" }] }, undefined],
    ["tool_help", undefined, undefined],
    ["tool_help", { path: "nowhere" }, true],
    ["tool_help", { path: 7 }, true],
    ["tool_exec", {}, true],
    ["tool_exec", { op: "onto.nothing" }, true],
    ["tool_exec", { op: "onto.task.delete", args: "{" }, true],
    ["tool_batch", { ops: [] }, true],
  ])("%s %j: isError %s", async (name, args, isError) => {
    const result = await call(await connect(), name, args);
    expect(result.isError).toBe(isError);
    expect(result.content[0]?.text).toBe(JSON.stringify(result.structuredContent));
  });

  test.each([["list_onto_tasks"], ["tool_run"], ["__proto__"], ["tool.tool_help"], [""]])(
    "%j is no tool: InvalidParams",
    async (name) => {
      await expect(call(await connect(), name, {})).rejects.toMatchObject({ code: -32602 });
    },
  );

  test("nothing that goes wrong inside becomes a JSON-RPC error", async () => {
    const made = fixture();
    const broken = {
      ...made.gateway,
      help: () => {
        throw new Error("/etc/secret");
      },
    };
    const result = await call(await connect({ ...made, gateway: broken }), "tool_help", {});
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { ok: false, error: { code: "INTERNAL", help_path: "root" } },
    });
    expect(JSON.stringify(result)).not.toContain("/etc/secret");
  });

  test("progress is sent when it was asked for", async () => {
    const made = fixture({
      handlers: {
        "onto.task.list": handler(async (_, ctx) => {
          ctx.progress(1, 2);
          ctx.progress(2, 2);
          return {};
        }),
      },
    });
    const client = await connect(made);
    const seen: unknown[] = [];
    await client.callTool(
      { name: "tool_exec", arguments: { op: "onto.task.list" } },
      { onprogress: (p) => seen.push(p.progress) },
    );
    expect(seen).toEqual([1, 2]);
    await call(client, "tool_exec", { op: "onto.task.list" });
    expect(seen.length).toBe(2);
  });

  test("a client that cancels aborts the handler", async () => {
    let reason: unknown;
    const made = fixture({
      handlers: {
        "onto.task.list": handler(
          (_, ctx) =>
            new Promise((resolve) => {
              const signal = ctx.signal as AbortSignal;
              signal.addEventListener("abort", () => {
                reason = signal.reason;
                resolve({});
              });
            }),
        ),
      },
    });
    const client = await connect(made);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(
      client.callTool({ name: "tool_exec", arguments: { op: "onto.task.list" } }, { signal: controller.signal }),
    ).rejects.toThrow();
    await expect.poll(() => reason).toBe("CANCELLED");
  });

  test("one connection is one session", async () => {
    const client = await connect();
    await call(client, "tool_help", { path: "onto.search" });
    expect((await call(client, "tool_help", { path: "session" })).structuredContent).toMatchObject({
      items: [{ op: "onto.search" }],
    });
    await call(client, "tool_exec", { op: "onto.task.delete" });
    expect((await call(client, "tool_exec", { op: "onto.task.delete" })).structuredContent).toMatchObject({
      error: { details: { repeated: 2 } },
    });
  });
});
