/** What upstream servers answer, on every surface: text beside structured values, images, reasons of failures, progress, `_meta`. */

import { randomBytes } from "node:crypto";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveEverywhere } from "../../../support/http.js";
import { type Json, serverCommand, toolwright } from "../../../support/project.js";
import { SLOW } from "../../../support/run/run-demo.js";
import { socketClient } from "../../../support/servers/socket-client.js";
import { execEnvelope, type TellingTool, tellingRoot } from "../../../support/upstream/telling.js";

const IMAGE = randomBytes(100_000).toString("base64");
const LARGE = randomBytes(3_000_000).toString("base64");
const image = (data: string) => ({ type: "image", mimeType: "image/png", data });
const text = (one: string, more: object = {}) => ({ type: "text", text: one, ...more });
const told = (result: object, more: object = {}): TellingTool => ({ result: JSON.stringify(result), ...more });

const pages = { type: "object", properties: { pages: { type: "integer" } }, additionalProperties: false };
const audience = { annotations: { audience: ["user"] } };
const TOOLS = {
  get_doc: told({ content: [text("Chapter 1. It was late.", audience)], structuredContent: { pages: 1 } }),
  typed_doc: told(
    { content: [text("Chapter 1. It was late."), image("iVBORw0KGgo=")], structuredContent: { pages: 1 } },
    { outputSchema: pages },
  ),
  release: told({ content: [text("2.10")] }),
  shot: told({ content: [text("look"), image(IMAGE)] }),
  large: told({ content: [image(LARGE)] }),
  media: told({
    content: [image(IMAGE), text("a photo")],
    structuredContent: { content: [image(IMAGE), text("a photo")] },
  }),
  deep: told({ content: [image(IMAGE)], structuredContent: { page: { shots: [`data:image/png;base64,${IMAGE}`] } } }),
  quota: told({ isError: true, content: [image("iVBORw0KGgo=")], structuredContent: { reason: "quota exceeded" } }),
  stock: told(
    { isError: true, content: [text("Not enough stock")], structuredContent: { reason: "stock", left: 2 } },
    { isWrite: true },
  ),
  broken: told(
    {},
    { isWrite: true, error: '{"code":-32000,"message":"lock lost","data":{"order":"o-7","retry":false}}' },
  ),
  slow: told(
    {
      content: [text("done")],
      _meta: { "example.com/page": 2, "io.modelcontextprotocol/serverInfo": { name: "odd" }, traceparent: "x" },
    },
    {
      progress: [
        { progress: 1, total: 2, message: "reading a" },
        { progress: 2, total: 2, message: "reading b" },
      ],
    },
  ),
};
const DOC = { pages: 1, content: "Chapter 1. It was late." };
const EXPOSE = "expose: { hot: [odd.get_doc, odd.typed_doc, odd.shot, odd.quota, odd.slow] }\n";

let root: string;
let client: Client;

beforeAll(async () => {
  root = await tellingRoot(TOOLS, { configuration: EXPOSE, remove: afterAll });
  client = new Client({ name: "eyes", version: "1" });
  await client.connect(new StdioClientTransport(serverCommand(root, ["--allow-write"])));
  afterAll(() => client.close());
}, SLOW);

const ask = async (name: string, args: Json = {}): Promise<Json> => client.callTool({ name, arguments: args });
const run = async (command: string): Promise<Json> => (await ask("run", { command })).content;
/** How often bytes are in an answer. */
const times = (answer: unknown, bytes: string): number => JSON.stringify(answer).split(bytes).length - 1;

describe("text beside a structured value", () => {
  test("is in the data of tool_exec, tool_batch and run", async () => {
    expect((await execEnvelope(client, "odd.get_doc")).result).toEqual(DOC);
    const { structuredContent } = await ask("tool_batch", { ops: [{ op: "odd.get_doc" }] });
    expect(structuredContent.results[0].result).toEqual(DOC);
    expect(JSON.parse((await run("odd.get_doc()"))[0].text)).toEqual(DOC);
    expect(await run('odd.get_doc()["pages"]')).toEqual([text("1")]);
  });

  test("is in the data of the command line, of /api/exec and of the socket", { timeout: SLOW }, async () => {
    const { stdout } = await toolwright(["exec", "odd.get_doc", "--json", "--root", root]);
    expect(JSON.parse(stdout).result).toEqual(DOC);
    const { url, socket } = await serveEverywhere(root);
    const exec = async (op: string): Promise<string> => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ op }) };
      return (await fetch(new URL("/api/exec", url), init)).text();
    };
    expect(JSON.parse(await exec("odd.get_doc")).result).toEqual(DOC);
    const shot = await exec("odd.shot");
    expect(JSON.parse(shot).result).toEqual(["look", { type: "image", mime: "image/png", bytes: IMAGE }]);
    expect(times(shot, IMAGE)).toBe(1);
    const screenshot = { type: "image", mime: "image/png", bytes: "iVBORw0KGgo=" };
    expect(JSON.parse(await exec("odd.quota")).error.details.content).toEqual([screenshot]);
    const other = await socketClient(socket, { root });
    expect((await other.call("tool_exec", { op: "odd.get_doc" })).structuredContent.result).toEqual(DOC);
    const seen = await other.call("tool_exec", { op: "odd.shot" });
    expect(times(seen, IMAGE)).toBe(1);
    expect(seen.content[1]).toEqual(image(IMAGE));
  });

  test("is a block of a typed tool, with its audience, beside the structured content that its schema promises", async () => {
    const plain = await ask("get_doc");
    expect(plain.structuredContent).toEqual({ pages: 1 });
    expect(plain.content).toEqual([text('{"pages":1}'), text("Chapter 1. It was late.", audience)]);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "typed_doc")?.outputSchema).toMatchObject(pages);
    const typed = await ask("typed_doc");
    expect(typed.isError).toBeFalsy();
    expect(typed.structuredContent).toEqual({ pages: 1 });
    expect(typed.content.slice(1)).toEqual([text("Chapter 1. It was late."), image("iVBORw0KGgo=")]);
  });

  test("a text that looks like a number stays a text in a program", async () => {
    expect(await run('odd.release() + "!"')).toEqual([text("2.10!")]);
  });
});

describe("an image", () => {
  test("is sent once by tool_exec and tool_batch, and the text says what and how large", async () => {
    const shown = { type: "image", mime: "image/png", size: 100_000, block: 1 };
    const exec = await ask("tool_exec", { op: "odd.shot" });
    expect(times(exec, IMAGE)).toBe(1);
    expect(exec.structuredContent.result).toEqual(["look", shown]);
    expect(JSON.parse(exec.content[0].text).result).toEqual(["look", shown]);
    expect(exec.content[1]).toEqual(image(IMAGE));
    const batch = await ask("tool_batch", { ops: [{ op: "odd.shot" }, { op: "odd.shot" }] });
    expect(times(batch, IMAGE)).toBe(1);
    expect(batch.structuredContent.results[1].result[1]).toEqual(shown);
  });

  test("that the structured value holds at any depth is sent once, with its size and block there", async () => {
    const mark = "<100000 bytes: block 1>";
    for (const [op, held] of [
      ["odd.media", { content: [image(mark), text("a photo")] }],
      ["odd.deep", { page: { shots: [`data:image/png;base64,${mark}`] } }],
    ] as const) {
      const exec = await ask("tool_exec", { op });
      expect(times(exec, IMAGE)).toBe(1);
      expect(exec.structuredContent.result).toEqual(held);
      expect(JSON.parse(exec.content[0].text).result).toEqual(held);
      expect(exec.content[1]).toEqual(image(IMAGE));
      const batch = await ask("tool_batch", { ops: [{ op }] });
      expect(times(batch, IMAGE)).toBe(1);
      expect(batch.structuredContent.results[0].result).toEqual(held);
      const ran = await run(`${op}()`);
      expect(times(ran, IMAGE)).toBe(1);
      expect(JSON.parse(ran[0].text)).toEqual(held);
    }
    const { stdout } = await toolwright(["exec", "odd.media", "--json", "--root", root]);
    expect(JSON.parse(stdout).result).toEqual({ content: [image(IMAGE), text("a photo")] });
  });

  test("is sent once by a typed tool, where the server put it", async () => {
    const answer = await ask("shot");
    expect(times(answer, IMAGE)).toBe(1);
    expect(answer.content).toEqual([text("look"), image(IMAGE)]);
  });

  test("has its bytes in a program, and is sent if the program returns or prints it", async () => {
    expect(await run('len(odd.shot()[1]["bytes"])')).toEqual([text(String(IMAGE.length))]);
    const second = await run("odd.typed_doc()\nodd.shot()[1]");
    expect(second.slice(1)).toEqual([image(IMAGE)]);
    expect(JSON.parse(second[0].text)).toMatchObject({ size: 100_000, block: 1 });
    const returned = await run("odd.shot()[1]");
    expect(JSON.parse(returned[0].text)).toEqual({ type: "image", mime: "image/png", size: 100_000, block: 1 });
    expect(times(returned, IMAGE)).toBe(1);
    const printed = await run("print(odd.shot())");
    expect(printed[0].text).toContain("'size': 100000");
    expect(times(printed, IMAGE)).toBe(1);
  });

  test("of 3 MB does not end the connection of the official client", { timeout: SLOW }, async () => {
    const answer = await ask("tool_exec", { op: "odd.large" });
    expect(times(answer, LARGE)).toBe(1);
    expect(answer.structuredContent.result).toMatchObject({ size: 3_000_000, block: 1 });
    expect((await execEnvelope(client, "odd.release")).result).toBe("2.10");
  });

  test("that is too many for one answer is kept under a handle", { timeout: SLOW }, async () => {
    const batch = { ops: [{ op: "odd.shot" }, { op: "odd.large" }, { op: "odd.typed_doc" }] };
    const other = randomBytes(3_000_000).toString("base64");
    const second = await tellingRoot({ a: told({ content: [image(LARGE)] }), b: told({ content: [image(other)] }) });
    const eyes = new Client({ name: "eyes", version: "1" });
    await eyes.connect(new StdioClientTransport(serverCommand(second)));
    try {
      const answer = (await eyes.callTool({
        ...{ name: "tool_batch", arguments: { ops: [{ op: "odd.a" }, { op: "odd.b" }] } },
      })) as Json;
      const [, { result }] = answer.structuredContent.results;
      expect(result).toMatchObject({ type: "image", mime: "image/png", size: 3_000_000, query: expect.any(String) });
      expect([times(answer, LARGE), times(answer, other)]).toEqual([1, 0]);
      const command = `len(${result.query})`;
      const { content } = (await eyes.callTool({ name: "run", arguments: { command } })) as Json;
      expect(content[0].text).toBe(String(other.length));
    } finally {
      await eyes.close();
    }
    expect((await ask("tool_batch", batch)).isError).toBeFalsy();
  });
});

test("the reason of a failure is its structured value, and its screenshot a block", async () => {
  for (const answer of [await ask("tool_exec", { op: "odd.quota" }), await ask("quota")]) {
    expect(answer.isError).toBe(true);
    expect(answer.content[0].text).toContain("quota exceeded");
    expect(answer.content.at(-1)).toEqual(image("iVBORw0KGgo="));
    expect(answer.content[0].text).toContain('"content":[{"type":"image","mime":"image/png","size":8,"block":1}]');
  }
  const [failed] = await run("odd.quota()");
  expect(failed.text).toContain("quota exceeded");
});

test("the structured value of a failure is in its details, and its text is the message", async () => {
  const { error } = await execEnvelope(client, "odd.stock");
  expect(error).toMatchObject({
    message: "Not enough stock",
    details: { reason: "tool_error", upstream: { reason: "stock", left: 2 } },
  });
});

test("the exception of a failed call says its data, and that a write may have taken effect", async () => {
  const caught = async (op: string): Promise<string> =>
    (await run(`try:\n    ${op}()\nexcept Exception as e:\n    r = str(e)\nr`))[0].text;
  expect(await caught("odd.stock")).toBe('odd.stock failed: Not enough stock. {"reason":"stock","left":2}');
  expect(await caught("odd.broken")).toBe(
    'odd.broken failed: odd refuses broken: lock lost. {"order":"o-7","retry":false} It may have taken effect: read before you repeat it.',
  );
  expect(await caught("odd.quota")).toBe('odd.quota failed: {"reason":"quota exceeded"}');
});

test.each([
  ["e.details", "RuntimeError", ""],
  ["shown(e)", "Exception", "def shown(err):\n    return getattr(err, 'details')\n"],
])("a program reads the code and the details of a failed call as values: %s of %s", async (read, type, start) => {
  const caught = async (op: string, of: string): Promise<unknown> => {
    const code = `${start}try:\n    odd.${op}()\nexcept ${type} as e:\n    d = ${read}\n    r = [e.code, ${of}]\nr`;
    return JSON.parse((await run(code))[0].text);
  };
  expect(await caught("stock", "d['upstream']['left'] + 1")).toEqual(["INTERNAL", 3]);
  expect(await caught("broken", "[d['rpc_code'], d['outcome'], d['upstream']]")).toEqual([
    "INTERNAL",
    [-32000, "unknown", { order: "o-7", retry: false }],
  ]);
});

test("a call that is refused before it is made has a code too", async () => {
  const code = "try:\n    odd.stock(count=1)\nexcept Exception as e:\n    r = [e.code, e.details]\nr";
  expect(JSON.parse((await run(code))[0].text)).toEqual(["VALIDATION_ERROR", {}]);
});

test("the message of progress and the `_meta` of a result are passed on", async () => {
  for (const [name, given] of [
    ["tool_exec", { op: "odd.slow" }],
    ["slow", {}],
  ] as const) {
    const heard: Json[] = [];
    const answer = (await client.callTool(
      { name, arguments: given },
      { onprogress: (progress) => void heard.push(progress) },
    )) as Json;
    expect(heard).toMatchObject([
      { progress: 1, total: 2, message: "reading a" },
      { progress: 2, total: 2, message: "reading b" },
    ]);
    expect(answer._meta).toEqual({ "example.com/page": 2 });
  }
});

test("the progress of calls in a program is that of its run, which only grows", async () => {
  const heard: Json[] = [];
  const onprogress = (progress: Json): void => void heard.push(progress);
  await client.callTool({ name: "run", arguments: { command: "odd.slow()" } }, { onprogress });
  const said = heard.filter(({ message }) => message !== undefined);
  expect(said.map(({ message }) => message)).toEqual(["odd.slow: reading a", "odd.slow: reading b"]);
  const values = heard.map(({ progress }) => progress);
  expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
});
