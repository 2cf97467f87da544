/** The scenarios of what a client discovers besides the tools, as one table, which runs over any transport with any client. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHECKOUT, generatedRoot, type Json, serverCommand } from "../project.js";
import { SLOW } from "../run/run-demo.js";

/** What the scenarios need of a client; those of the 1.x SDK fit too. */
export type SurfaceClient = Pick<
  Client,
  | "listTools"
  | "callTool"
  | "listResources"
  | "listResourceTemplates"
  | "readResource"
  | "listPrompts"
  | "getPrompt"
  | "complete"
  | "getInstructions"
  | "close"
>;

/** Connects a client to a server over a root. */
export type Connect = (root: string) => Promise<SurfaceClient>;

const info = { name: "test", version: "1" };
/** The protocol of 2026, regardless of the server's preference. */
export const MODERN = { versionNegotiation: { mode: { pin: "2026-07-28" } } } as const;

/** Clients on stdio: both eras of the protocol, and the SDK of before. */
export const STDIO_CLIENTS: Readonly<Record<string, Connect>> = {
  "stdio, 2025": async (root) => {
    const client = new Client(info, { versionNegotiation: { mode: "legacy" } });
    await client.connect(new StdioClientTransport(serverCommand(root)));
    return client;
  },
  "stdio, 2026": async (root) => {
    const client = new Client(info, MODERN);
    await client.connect(new StdioClientTransport(serverCommand(root)));
    return client;
  },
  "stdio, SDK 1.x": async (root) => {
    const client = new OldClient(info);
    await client.connect(new OldTransport(serverCommand(root)));
    return client as unknown as SurfaceClient;
  },
};

/** The project of the scenarios, and one without any tool. */
const DEMO = join(CHECKOUT, "test/support/demos/ot-demo/definitions");
const EMPTY = join(CHECKOUT, "test/support/demos/empty-demo/definitions");

/** The one text of a resource, parsed. */
export async function resource(client: SurfaceClient, uri: string): Promise<Json> {
  const { contents } = await client.readResource({ uri });
  const [only, ...more] = contents;
  if (!only || !("text" in only) || more.length > 0) throw new Error("not one text");
  expect({ uri: only.uri, mimeType: only.mimeType }).toEqual({ uri, mimeType: "application/json" });
  return JSON.parse(only.text);
}

/** The one message of a prompt. */
export async function message(client: SurfaceClient, name: string, given: Readonly<Record<string, string>>) {
  const { messages } = await client.getPrompt({ name, arguments: given });
  const [only, ...more] = messages;
  if (only?.content.type !== "text" || more.length > 0) throw new Error("not one text");
  expect(only.role).toBe("user");
  return only.content.text;
}

/** What the tool `run` answers. */
async function run(
  client: SurfaceClient,
  command: string,
): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name: "run", arguments: { command } });
  const [only] = content as readonly { readonly type: string; readonly text?: string }[];
  return { text: only?.text ?? "", isError: isError === true };
}

const BATCH = `__onetool__run
\`\`\`python
topics = ["AI", "ML"]
results = {}
for topic in topics:
    results[topic] = brave_web_search(query=topic, count=5)
results
\`\`\``;

const TRANSFORM = `__onetool__run
\`\`\`python
# Instruction: Extract titles
urls = ["https://example.com"]
pages = {}
for url in urls:
    pages[url] = web_fetch(url=url)
pages
\`\`\``;

/** A client's way to ask before a tool that reaches the world, once for each tool. */
function permissions() {
  const decided = new Map<string, boolean>();
  const asked: string[] = [];
  return {
    asked,
    may(tool: {
      readonly name: string;
      readonly annotations?: { readonly openWorldHint?: boolean | undefined } | undefined;
    }) {
      if (tool.annotations?.openWorldHint !== false && !decided.has(tool.name)) {
        asked.push(tool.name);
        decided.set(tool.name, true);
      }
      return decided.get(tool.name) ?? true;
    },
  };
}

/** Runs every scenario over a transport. */
export function surfaceScenarios(transport: string, connect: Connect): void {
  describe(transport, { timeout: SLOW }, () => {
    const cleaning: (() => void)[] = [];
    let client: SurfaceClient;
    let empty: SurfaceClient;
    let folder = "";
    beforeAll(async () => {
      const later = (one: () => void): void => void cleaning.push(one);
      const [root, none] = await Promise.all([generatedRoot(DEMO, later), generatedRoot(EMPTY, later)]);
      folder = root;
      client = await connect(root);
      empty = await connect(none);
    }, SLOW);
    afterAll(async () => {
      await Promise.allSettled([client.close(), empty.close()]);
      for (const one of cleaning) one();
    });

    test(`[DISC-1.1] ${transport}: all tools, each with name and signature`, async () => {
      const tools: Json[] = await resource(client, "onetool://tools");
      const registry: Json = JSON.parse(readFileSync(join(folder, "generated", "registry.json"), "utf8"));
      const visible: readonly Json[] = registry.tools.filter(({ access }: Json) => access !== "admin");
      expect(new Set(visible.map(({ group }) => group))).toEqual(
        new Set(["brave", "demo", "firecrawl", "github", "ot", "proj", "scaffold", "web"]),
      );
      expect([...tools].sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(
        visible
          .map(({ op, signature, summary }) => ({
            name: op.replaceAll(".", "_"),
            signature: signature.python,
            description: summary,
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1)),
      );
      for (const tool of tools) expect(Object.keys(tool)).toEqual(["name", "signature", "description"]);
      expect(tools.find(({ name }) => name === "brave_web_search")).toEqual({
        name: "brave_web_search",
        signature: "brave.web_search(query: str, count: float = 5) -> str",
        description: "Searches the web for pages.",
      });
      expect(tools.map(({ name }) => name)).not.toContain("custom_secret");
      const { resources } = await client.listResources();
      expect(resources[0]).toMatchObject({ uri: "onetool://tools", mimeType: "application/json" });
      expect(resources.slice(1).map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    });

    test(`[DISC-1.2] ${transport}: an empty registry is an empty list`, async () => {
      expect(await resource(empty, "onetool://tools")).toEqual([]);
      const { contents } = await empty.readResource({ uri: "onetool://tools" });
      expect(contents[0]).toMatchObject({ text: "[]" });
      expect((await empty.listResources()).resources.length).toBe(1);
    });

    test(`[DISC-2.1] ${transport}: one tool with arguments and examples`, async () => {
      const uri = "onetool://tool/brave_web_search";
      const tool = await resource(client, uri);
      expect(tool).toEqual({
        name: "brave_web_search",
        op: "brave.web_search",
        signature: "brave.web_search(query: str, count: float = 5) -> str",
        description: "Searches the web for pages.",
        args: [
          { name: "query", type: "string", required: true, description: "words" },
          { name: "count", type: "number", required: false, default: 5, description: "" },
        ],
        examples: [
          'brave.web_search(query="tide tables Bremerhaven", count=3)',
          '[brave.web_search(query=one) for one in ["AI", "ML"]]',
        ],
        returns: "string",
        source: "local",
      });
      expect(Object.keys(tool)).toEqual("name op signature description args examples returns source".split(" "));
      for (const name of ["brave.web_search", "web_search", "ws", "BRAVE_web_search"])
        expect(await resource(client, `onetool://tool/${name}`)).toEqual(tool);
      expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
        { uriTemplate: "onetool://tool/{name}" },
      ]);
      const ref = { type: "ref/resource" as const, uri: "onetool://tool/{name}" };
      const { completion } = await client.complete({ ref, argument: { name: "name", value: "brave_w" } });
      expect(completion).toMatchObject({ values: ["brave_web_search"], total: 1, hasMore: false });
    });

    test.each([
      ["nonexistent", /Tool 'nonexistent' not found\.$/],
      ["brave_web_serch", /Tool 'brave_web_serch' not found\. Nearest: brave_web_search/],
      ["search", /Tool 'search' is ambiguous: demo_search, github_search$/],
      ["custom_secret", /Tool 'custom_secret' not found\.$/],
    ])(`[DISC-2.2] ${transport}: %s is not found`, async (name, text) => {
      const uri = `onetool://tool/${name}`;
      // The SDK sends -32602 for a resource that is not there, as the protocol of 2026 wants it; `data.uri` says which.
      await expect(client.readResource({ uri })).rejects.toMatchObject({ code: -32602, data: { uri } });
      await expect(client.readResource({ uri })).rejects.toThrow(text);
    });

    test(`[DISC-3.1] ${transport}: batch_search gives code that searches each topic, and the code runs`, async () => {
      expect(await message(client, "batch_search", { topics: '["AI", "ML"]', count: "5" })).toBe(BATCH);
      expect(await message(client, "batch_search", { topics: "AI, ML" })).toBe(BATCH);
      expect(await run(client, BATCH)).toEqual({ text: '{"AI":"5 AI","ML":"5 ML"}', isError: false });
      const other = await message(client, "batch_search", { topics: '["tides", "say \\"hi\\"", "ML"]', count: "3" });
      expect(other).toBe(
        BATCH.replace('["AI", "ML"]', '["tides", "say \\"hi\\"", "ML"]').replace("count=5", "count=3"),
      );
      expect(await run(client, other)).toEqual({
        text: '{"tides":"3 tides","say \\"hi\\"":"3 say \\"hi\\"","ML":"3 ML"}',
        isError: false,
      });
    });

    test.each([
      ["no topics", { count: "5" }, "batch_search: 'topics' is required"],
      ["empty topics", { topics: " " }, "batch_search: 'topics' is required"],
      ["an empty list", { topics: "[]" }, "batch_search: 'topics' is required"],
      ["a list of numbers", { topics: "[1]" }, "batch_search: 'topics' must be a JSON list of texts"],
      ["a list that is cut off", { topics: '["AI"' }, "batch_search: 'topics' must be a JSON list of texts"],
      ["an invalid count", { topics: "AI", count: "five" }, "batch_search: 'count' must be an integer from 1 to 100"],
      ["a count of nothing", { topics: "AI", count: "0" }, "batch_search: 'count' must be an integer from 1 to 100"],
      ["an unknown argument", { topics: "AI", cuont: "3" }, "there is no argument 'cuont'; did you mean 'count'?"],
    ])(`[DISC-3.2] ${transport}: %s is refused`, async (_, given, text) => {
      const asked = client.getPrompt({ name: "batch_search", arguments: given as Record<string, string> });
      await expect(asked).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(text) });
    });

    test(`[DISC-4.1] ${transport}: transform_data gives code that fetches each page, with the instruction as a comment`, async () => {
      const given = { urls: '["https://example.com"]', instruction: "Extract titles" };
      expect(await message(client, "transform_data", given)).toBe(TRANSFORM);
      expect(await message(client, "transform_data", { ...given, urls: "https://example.com" })).toBe(TRANSFORM);
      const { text, isError } = await run(client, TRANSFORM);
      expect({ isError, text }).toEqual({
        isError: false,
        text: expect.stringContaining('{"https://example.com":"https://example.com"}'),
      });
      const two = await message(client, "transform_data", {
        urls: '["https://example.com/a", "https://example.org/b"]',
        instruction: "Count words\nand lines",
      });
      expect(two).toBe(
        TRANSFORM.replace('["https://example.com"]', '["https://example.com/a", "https://example.org/b"]').replace(
          "# Instruction: Extract titles",
          "# Instruction: Count words\n# and lines",
        ),
      );
      expect((await run(client, two)).text).toContain(
        '{"https://example.com/a":"https://example.com/a","https://example.org/b":"https://example.org/b"}',
      );
      for (const missing of ["urls", "instruction"])
        await expect(
          client.getPrompt({ name: "transform_data", arguments: { ...given, [missing]: "" } }),
        ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining(`'${missing}' is required`) });
    });

    test(`[DISC-5.1] ${transport}: the annotations of run`, async () => {
      const { tools } = await client.listTools();
      expect(tools.find(({ name }) => name === "run")?.annotations).toEqual({
        title: "Run Python with tools",
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      });
      for (const { annotations } of tools) expect(annotations?.title).toMatch(/\w/);
    });

    test(`[DISC-5.2] ${transport}: a client asks before what reaches the world, and may keep the answer`, async () => {
      const { may, asked } = permissions();
      const first = (await client.listTools()).tools;
      for (const tool of first) expect(may(tool)).toBe(true);
      expect(asked).toContain("run");
      expect(asked).not.toContain("tool_help");
      const before = asked.length;
      const again = (await client.listTools()).tools;
      for (const tool of again) expect(may(tool)).toBe(true);
      expect(asked.length).toBe(before);
      // A decision that was kept stays true: what it was made from does not change between two looks.
      expect(again.map(({ annotations }) => annotations)).toEqual(first.map(({ annotations }) => annotations));
      expect((await run(client, "1+1")).text).toBe("2");
    });
  });
}
