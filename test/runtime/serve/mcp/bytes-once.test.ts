/** Bytes are sent once, in their block: of a replayed write, of a handler of the project, and beside a structured value. */

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, serverCommand, temporaryFolder, toolwright } from "../../../support/project.js";
import { tellingServer } from "../../../support/upstream/telling.js";

const SLOW = 300_000;

const IMAGE = randomBytes(30_000).toString("base64");
const OWN = randomBytes(20_000).toString("base64");
const block = (data: string) => ({ type: "image", mimeType: "image/png", data });
const shot = { content: [{ type: "text", text: "look" }, block(IMAGE)], structuredContent: { page: 1 } };
const link = (uri: string) => ({ type: "resource_link", uri, name: uri.at(-1) });
const TOOLS = {
  links: { result: JSON.stringify({ content: [{ type: "text", text: "two" }, link("file:///a"), link("file:///b")] }) },
  draw: { result: JSON.stringify({ content: [{ type: "text", text: "drawn" }, block(IMAGE)] }), isWrite: true },
  shot: { result: JSON.stringify(shot) },
  wipe: { result: JSON.stringify({ content: [] }), isWrite: true },
};

const PACK = `
interface Media { type: "image"; mime: string; bytes: string }
const image = (): Media => ({ type: "image", mime: "image/png", bytes: "${OWN}" });
/** Gives a picture. @kind read */
export function picture(): Media { return image(); }
/** Gives a picture among other things. @kind read */
export function report(): { title: string; pictures: Media[] } { return { title: "T", pictures: [image(), image()] }; }
/** Gives what is no base64. @kind read */
export function odd(): Media { return { ...image(), bytes: "no base64!" }; }
/** Gives a file. @kind read */
export function file(): { type: "file"; mime: string; bytes: string } { return { type: "file", mime: "application/zip", bytes: "${OWN}" }; }
`;

const CONFIGURATION = (servers: object) => `
sources: [{ mcp: servers/*.json }, { functions: "packs/*.ts" }]
servers: ${JSON.stringify(servers)}
approve: [{ ops: [odd.wipe] }]
expose:
  hot: [art.picture, art.report, odd.shot]
  resources: { "art://report": { op: art.report }, "art://shot": { op: odd.shot } }
  prompts: { report: { op: art.report } }
`;

let client: Client;
const cleaning: (() => unknown)[] = [];

beforeAll(async () => {
  const root = temporaryFolder((clean) => void cleaning.push(clean));
  const definitions = join(root, "definitions");
  for (const folder of ["servers", "packs"]) mkdirSync(join(definitions, folder), { recursive: true });
  const servers = { odd: tellingServer(TOOLS, join(root, "tools.json")) };
  writeFileSync(join(definitions, "toolwright.yaml"), CONFIGURATION(servers));
  writeFileSync(join(definitions, "packs", "art.ts"), PACK);
  for (const args of [["snapshot", "odd"], ["generate"]]) {
    const { code, stderr, stdout } = await toolwright([...args, "--root", root]);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stdout}${stderr}`);
  }
  client = new Client({ name: "eyes", version: "1" });
  await client.connect(new StdioClientTransport(serverCommand(root, ["--allow-write"])));
  cleaning.push(() => client.close());
}, SLOW);

afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const ask = async (name: string, args: Json = {}): Promise<Json> => client.callTool({ name, arguments: args });
/** How often bytes are in an answer. */
const times = (answer: unknown, bytes: string): number => JSON.stringify(answer).split(bytes).length - 1;
const shown = (size: number) => ({ type: "image", mime: "image/png", size, block: 1 });

test("a replayed write answers as the first time", async () => {
  const call = { op: "odd.draw", idempotency_key: "k1" };
  const [first, again] = [await ask("tool_exec", call), await ask("tool_exec", call)];
  expect(again.structuredContent.meta.replayed).toBe(true);
  for (const answer of [first, again]) {
    expect(times(answer, IMAGE)).toBe(1);
    expect(answer.structuredContent.result).toEqual(["drawn", shown(30_000)]);
    expect(answer.content.slice(1)).toEqual([block(IMAGE)]);
  }
});

test("an image of a handler is a block, at whatever depth it is", async () => {
  const alone = await ask("tool_exec", { op: "art.picture" });
  expect([times(alone, OWN), alone.structuredContent.result]).toEqual([1, shown(20_000)]);
  const batch = await ask("tool_batch", { ops: [{ op: "art.report" }, { op: "art.picture" }] });
  expect([times(batch, OWN), batch.content[1]]).toEqual([1, block(OWN)]);
  expect(batch.structuredContent.results[0].result.pictures).toEqual([shown(20_000), shown(20_000)]);
  const returned = await ask("run", { command: "art.report()" });
  expect([times(returned, OWN), JSON.parse(returned.content[0].text).pictures[1]]).toEqual([1, shown(20_000)]);
  expect((await ask("run", { command: 'len(art.picture()["bytes"])' })).content[0].text).toBe(String(OWN.length));
});

test("a program attaches the links that it answers, and no others", async () => {
  const links = async (command: string): Promise<readonly string[]> =>
    (await ask("run", { command })).content.slice(1).map(({ uri }: Json) => uri);
  expect(await links("odd.links()")).toEqual(["file:///a", "file:///b"]);
  expect(await links("odd.links()[2]")).toEqual(["file:///b"]);
  expect(await links("odd.links()[0]")).toEqual([]);
});

test("a program that fails or pauses attaches images, and the links that it printed", async () => {
  const attached = async (command: string): Promise<readonly string[]> =>
    (await ask("run", { command })).content.slice(1).map(({ uri, type }: Json) => uri ?? type);
  expect(await attached("odd.links()\n1/0")).toEqual([]);
  expect(await attached("a = odd.links(); art.picture()\nprint(a[2])\n1/0")).toEqual(["file:///b", "image"]);
  expect(await attached("odd.links(); art.picture(); odd.wipe()")).toEqual(["image"]);
});

test("a typed tool of a handler sends an image once, and its output schema takes that", async () => {
  const { tools } = await client.listTools();
  expect(tools.find(({ name }) => name === "report")?.outputSchema).toBeDefined();
  for (const name of ["picture", "report"]) {
    const answer = await ask(name);
    expect([answer.isError ?? false, times(answer, OWN), answer.content[1]]).toEqual([false, 1, block(OWN)]);
  }
});

test("a typed tool of a server shows what the server sent, with its image once", async () => {
  const answer = await ask("shot");
  expect(answer.structuredContent).toEqual({ page: 1 });
  expect(answer.content.slice(1)).toEqual([{ type: "text", text: "look" }, block(IMAGE)]);
});

test("a file without an address is a resource that its digest names; what is no base64 stays", async () => {
  const { content, structuredContent } = await ask("tool_exec", { op: "art.file" });
  expect(times({ content, structuredContent }, OWN)).toBe(1);
  expect(content[1].resource).toMatchObject({ mimeType: "application/zip", blob: OWN });
  expect(content[1].resource.uri).toMatch(/^ni:\/\/\/sha-256;[\w-]{43}$/);
  const odd = await ask("tool_exec", { op: "art.odd" });
  expect([odd.content.length, odd.structuredContent.result.bytes]).toEqual([1, "no base64!"]);
});

test("help says what stands in place of bytes", async () => {
  const notes = async (path: string) => JSON.stringify((await ask("tool_help", { path })).structuredContent.notes);
  expect(await notes("art.report")).toContain("size and block");
  expect(await notes("odd.shot")).not.toContain("block");
});

test("a resource and a prompt have an image beside a structured value once", async () => {
  const { contents } = (await client.readResource({ uri: "art://report" })) as Json;
  expect([times(contents, OWN), contents.length, contents[1].blob]).toEqual([1, 2, OWN]);
  expect(JSON.parse(contents[0].text).pictures[0]).toEqual(shown(20_000));
  const { contents: beside } = (await client.readResource({ uri: "art://shot" })) as Json;
  expect([times(beside, IMAGE), beside[1].blob]).toEqual([1, IMAGE]);
  expect(JSON.parse(beside[0].text)).toMatchObject({ page: 1 });
  const { messages } = (await client.getPrompt({ name: "report" })) as Json;
  expect([times(messages, OWN), messages[1].content]).toEqual([1, block(OWN)]);
});
