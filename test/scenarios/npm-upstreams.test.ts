/** The reference servers from npm behind toolwright: snapshot, generate, and calls through every tool and transport. */

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import { eachGroup } from "../support/each-case.js";
import { serveHttp } from "../support/http.js";
import { type Json, serverCommand, temporaryFolder, toolwright } from "../support/project.js";
import { MODERN } from "../support/servers/surface.js";
import { childrenOf, everythingOverHttp, npmServer } from "../support/upstream/npm.js";
import { lives } from "../support/upstream/upstreams.js";

const SLOW = 180_000;
const PNG = "iVBORw0KGgo";

/** The files of the project; those that servers work on are outside of it. */
interface Project {
  readonly root: string;
  readonly files: string;
  readonly memory: string;
}

/** A client, what has to be ended after it, and the process that serves. */
interface Opened {
  readonly client: Client;
  readonly pid: number;
  close(): Promise<void>;
}

let project: Project;
let generated: string;
const ending: (() => unknown)[] = [];

beforeAll(async () => {
  const later = (one: () => unknown): void => void ending.push(one);
  const [root, files] = [temporaryFolder(later), realpathSync(temporaryFolder(later))];
  project = { root, files, memory: join(files, "memory.jsonl") };
  const web = await everythingOverHttp();
  later(web.stop);
  mkdirSync(join(root, "definitions"));
  const servers = {
    everything: npmServer("everything"),
    web: { url: web.url, timeout: 60 },
    files: npmServer("filesystem", [files]),
    memory: npmServer("memory", [], { env: { MEMORY_FILE_PATH: project.memory } }),
    thinking: npmServer("sequential-thinking"),
  };
  const config = { use: ["ot"], sources: [{ mcp: "servers/*.json" }], access: { allow_write: true }, servers };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  for (const command of ["snapshot", "generate"]) {
    const { code, stdout, stderr } = await toolwright([command, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  generated = readFileSync(join(root, "generated", "ops.ts"), "utf8");
}, SLOW);

afterAll(async () => {
  for (const one of ending.reverse()) await one();
});

/** A client that answers for a person and a model, as far as its protocol lets a server ask. */
function clientOf(mode: Json): Client {
  const capabilities = { elicitation: { form: {} }, sampling: {} };
  const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: { name: "Anna", check: true } }));
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    model: "none",
    content: { type: "text", text: "high water at noon" },
  }));
  return client;
}

async function overStdio(mode: Json): Promise<Opened> {
  const client = clientOf(mode);
  const transport = new StdioClientTransport(serverCommand(project.root));
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, close: () => client.close() };
}

async function overHttp(mode: Json): Promise<Opened> {
  const cleaning: (() => Promise<void>)[] = [];
  const served = await serveHttp(project.root, [], (clean) => void cleaning.push(clean));
  const client = clientOf(mode);
  await client.connect(new StreamableHTTPClientTransport(new URL(served.url)));
  const close = async (): Promise<void> => {
    await client.close();
    served.signal("SIGTERM");
    await served.exit;
    for (const clean of cleaning) await clean();
  };
  return { client, pid: served.child.pid ?? 0, close };
}

const { mode: newest } = MODERN.versionNegotiation;
const TRANSPORTS: readonly (readonly [name: string, open: () => Promise<Opened>])[] = [
  ["stdio, 2025", () => overStdio("legacy")],
  ["stdio, 2026", () => overStdio(newest)],
  ["HTTP, 2025", () => overHttp("legacy")],
  ["HTTP, 2026", () => overHttp(newest)],
];

test("each server has its pack", () => {
  for (const op of [
    "everything.echo",
    "web.echo",
    "files.read_text_file",
    "memory.read_graph",
    "thinking.sequentialthinking",
  ])
    expect(generated).toContain(`"${op}"`);
});

test("tools that a server lists only to a client that it may ask are in the snapshot", () => {
  for (const op of ["everything.trigger_elicitation_request", "web.trigger_sampling_request"])
    expect(generated).toContain(`"${op}"`);
});

eachGroup(TRANSPORTS, "stdio, 2025", "HTTP, 2026")("over %s", {}, (transport, open) => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  }, SLOW);
  afterAll(() => opened.close(), SLOW);

  const call = async (name: string, given: object, options = {}): Promise<CallToolResult> =>
    (await opened.client.callTool({ name, arguments: { ...given } }, options)) as CallToolResult;
  const exec = async (op: string, args: object = {}, options = {}): Promise<Json> =>
    (await call("tool_exec", { op, args }, options)).structuredContent;
  const value = async (op: string, args: object = {}): Promise<Json> => {
    const answer = await exec(op, args);
    expect(answer, JSON.stringify(answer)).toMatchObject({ ok: true });
    return answer.result;
  };
  const run = async (command: string): Promise<Json> => {
    const { content, isError } = await call("run", { command });
    expect(isError, JSON.stringify(content)).toBeFalsy();
    return (content[0] as Json).text;
  };

  test(
    "server-filesystem: a file written is on the disk, one on the disk is read; outside its folder it refuses",
    async () => {
      const path = join(project.files, `${transport.replace(/\W/g, "")}.txt`);
      await value("files.write_file", { path, content: "high water 12:40" });
      expect(readFileSync(path, "utf8")).toBe("high water 12:40");
      writeFileSync(path, "low water 18:55");
      expect(await value("files.read_text_file", { path })).toEqual({ content: "low water 18:55" });
      expect(await run(`files.read_text_file(path=${JSON.stringify(path)})["content"].split(" ")[-1]`)).toBe("18:55");
      const refused = await exec("files.read_text_file", { path: join(project.root, "definitions/toolwright.yaml") });
      expect(refused).toMatchObject({
        ok: false,
        error: {
          code: "INTERNAL",
          message: expect.stringContaining("Access denied"),
          details: { server: "files", reason: "tool_error" },
        },
      });
    },
    SLOW,
  );

  test(
    "server-memory: an entity made in a batch is in its file, and is found again",
    async () => {
      const name = `Ada of ${transport}`;
      const entity = { name, entityType: "person", observations: ["keeps the tide tables"] };
      const { structuredContent }: Json = await call("tool_batch", {
        ops: [
          { op: "memory.create_entities", args: { entities: [entity] } },
          { op: "memory.open_nodes", args: { names: [name] } },
        ],
      });
      expect(structuredContent).toMatchObject({ ok: true, summary: { succeeded: 2 } });
      expect(structuredContent.results[1].result).toEqual({ entities: [entity], relations: [] });
      const kept = readFileSync(project.memory, "utf8").split("\n");
      expect(kept.map((line) => JSON.parse(line))).toContainEqual({ type: "entity", ...entity });
      expect(await run(`memory.search_nodes(query=${JSON.stringify(name)})["entities"][0]["observations"][0]`)).toBe(
        "keeps the tide tables",
      );
    },
    SLOW,
  );

  test(
    "server-sequential-thinking: one process remembers the thoughts of all calls",
    async () => {
      const thought = (thoughtNumber: number) => ({
        thought: `step ${thoughtNumber}`,
        thoughtNumber,
        totalThoughts: 3,
        nextThoughtNeeded: thoughtNumber < 3,
      });
      expect(await value("thinking.sequentialthinking", thought(1))).toMatchObject({ thoughtHistoryLength: 1 });
      const { structuredContent }: Json = await call("tool_batch", {
        ops: [{ op: "thinking.sequentialthinking", args: thought(2) }],
      });
      expect(structuredContent.results[0].result).toMatchObject({ thoughtHistoryLength: 2, nextThoughtNeeded: true });
      const last = `thinking.sequentialthinking(thought="step 3", thoughtNumber=3, totalThoughts=3, nextThoughtNeeded=False)`;
      expect(JSON.parse(await run(last))).toMatchObject({ thoughtHistoryLength: 3, nextThoughtNeeded: false });
    },
    SLOW,
  );

  test.each(["everything", "web"])(
    "server-everything as %s: text, data, images and embedded resources",
    { timeout: SLOW, tags: "slow" },
    async (pack) => {
      expect(await value(`${pack}.echo`, { message: "ahoy" })).toBe("Echo: ahoy");
      expect(await value(`${pack}.get_sum`, { a: 2, b: 40 })).toBe("The sum of 2 and 40 is 42.");
      expect(await run(`${pack}.echo("ahoy").upper()`)).toBe("ECHO: AHOY");
      expect(await value(`${pack}.get_structured_content`, { location: "Chicago" })).toEqual({
        temperature: expect.any(Number),
        conditions: expect.any(String),
        humidity: expect.any(Number),
      });
      const image = await call("tool_exec", { op: `${pack}.get_tiny_image` });
      expect((image.structuredContent as Json).result[1]).toMatchObject({
        type: "image",
        mime: "image/png",
        block: 1,
      });
      const data = expect.stringMatching(`^${PNG}`);
      expect(image.content[1]).toMatchObject({ type: "image", mimeType: "image/png", data });
      const args = { resourceType: "Text", resourceId: 3 };
      const embedded = await call("tool_exec", { op: `${pack}.get_resource_reference`, args });
      expect(embedded.content[1]).toMatchObject({
        type: "resource",
        resource: { uri: "demo://resource/dynamic/text/3", text: expect.stringContaining("Resource 3") },
      });
      const { structuredContent }: Json = await call("tool_batch", {
        ops: [
          { op: `${pack}.get_sum`, args: { a: 1, b: 1 } },
          { op: `${pack}.echo`, args: { message: 1 } },
        ],
      });
      expect(structuredContent.results).toMatchObject([
        { ok: true, result: "The sum of 1 and 1 is 2." },
        { ok: false, error: { code: "VALIDATION_ERROR" } },
      ]);
    },
  );

  test.each(["everything", "web"])(
    "server-everything as %s: its progress reaches the client",
    { timeout: SLOW, tags: "slow" },
    async (pack) => {
      const seen: Json[] = [];
      const options = { onprogress: (one: Json) => void seen.push(one) };
      const answer = await exec(`${pack}.trigger_long_running_operation`, { duration: 1, steps: 4 }, options);
      expect(answer).toMatchObject({ ok: true, result: expect.stringContaining("Steps: 4") });
      // The last one may come with the answer, after which the client's SDK hears of none.
      expect(seen.map(({ progress }) => progress).slice(0, 3)).toEqual([1, 2, 3]);
      expect(seen.at(-1)).toMatchObject({ total: 4 });
    },
  );

  test(
    "server-everything: what it asks is answered by the client where the protocol has a way, else refused in words",
    async () => {
      // The server speaks an older protocol, whose questions reach clients of that time only.
      const canBeAsked = transport.endsWith("2025");
      const asked = await exec("everything.trigger_elicitation_request");
      const sampled = await exec("everything.trigger_sampling_request", { prompt: "When is high water?" });
      if (canBeAsked) {
        expect(JSON.stringify(asked.result)).toContain("Anna");
        expect(JSON.stringify(sampled.result)).toContain("high water at noon");
      } else
        for (const answer of [asked, sampled])
          expect(answer).toMatchObject({
            ok: false,
            error: { code: "CONFLICT", message: expect.stringMatching(/clients that can answer what it asks/) },
          });
    },
    SLOW,
  );

  test("no child is left after the end", { tags: "full", timeout: SLOW }, async () => {
    const other = await open();
    const one = await other.client.callTool({
      name: "tool_batch",
      arguments: { ops: [{ op: "memory.read_graph" }, { op: "files.list_allowed_directories" }] },
    });
    expect(one.structuredContent).toMatchObject({ ok: true });
    const children = childrenOf(other.pid);
    expect(children.filter(lives).length).toBeGreaterThanOrEqual(2);
    await other.close();
    await expect.poll(() => [other.pid, ...children].filter(lives)).toEqual([]);
    expect(existsSync(project.memory)).toBe(true);
  });
});
