/**
 * Answers of upstream servers that are too large, too deep, too many or unsolicited: a clear error, and other servers
 * are unaffected.
 */

import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ServerEntry } from "../../../runtime/contract/settings/entries.js";
import { eachCase } from "../../support/each-case.js";
import type { Json } from "../../support/project.js";
import { randomOf, runs, SCALE } from "../../support/random.js";
import { hostileFrames } from "../../support/servers/hostile-frames.js";
import { listening } from "../../support/upstream/http.js";
import { called, calls } from "../../support/upstream/upstreams.js";
import { threadMs } from "../../support/used.js";

const SLOW = 120_000;
const QUICK = { firstMs: 20, longestMs: 50 };
const FRAMES = Math.max(200, Math.round(5000 * SCALE));
const RAW = fileURLToPath(new URL("../../support/exact/raw-upstream.mjs", import.meta.url));
const { rawAnswer } = (await import(/* @vite-ignore */ RAW)) as { rawAnswer(line: string): string | undefined };
const echoed = { tool: "echo", arguments: { text: "still here" } };

const overStdio = async (): Promise<ServerEntry> => ({ command: process.execPath, args: [RAW], timeout: 20 });
async function overHttp(): Promise<ServerEntry> {
  const { origin } = await heard((_message, body, response) => {
    const answer = rawAnswer(body);
    response.writeHead(answer === undefined ? 202 : 200, { "content-type": "application/json" });
    response.end(answer);
  });
  return { url: `${origin}/mcp`, timeout: 20 };
}

/** Listens for the messages of a client; streams of their own are not offered. */
const heard = (take: (message: Json, body: string, response: ServerResponse) => void) =>
  listening((request, response, body) => {
    if (request.method === "POST") return take(JSON.parse(body), body, response);
    response.writeHead(405).end();
  });

/** An answer whose call gives it the JSON that it holds. */
const HOSTILE: readonly (readonly [what: string, json: () => string, says: string])[] = [
  ["nested too deeply", () => `{"a":${"[".repeat(3000)}${"]".repeat(3000)}}`, "nests deeper than 2000 levels"],
  ["with too many parts", () => `{"a":[${"{},".repeat(250_000)}{}]}`, "has more than 200000 objects, lists and keys"],
  ["with too many digits", () => `{"a":${"7".repeat(6000)}}`, "has a number of more than 5000 digits"],
  ["that is too large", () => `{"a":"${"x".repeat(2_500_000)}"}`, "of more than 4000000 bytes"],
];

describe.each([
  ["stdio", overStdio],
  ["HTTP", overHttp],
])("an answer over %s", (_transport, open) => {
  test.each(HOSTILE.slice(0, 3))(
    "%s, in a text, is given as the text, with a warning",
    { timeout: SLOW },
    async (_what, json, says) => {
      const { call, warnings } = await called({
        servers: { bad: await open() },
        backoff: QUICK,
        messageBytes: 4_000_000,
      });
      const text = json();
      expect(await call("bad.tell", { text })).toBe(text);
      expect(warnings.join()).toContain(says);
    },
  );

  test.each([
    ['"str"', "str"],
    ["5", 5],
    ["{}", {}],
  ])("content that is %s is read, with a warning", { timeout: SLOW }, async (content, value) => {
    const { call, warnings } = await called({ servers: { bad: await open() }, backoff: QUICK });
    expect(await call("bad.answer", { text: `"result":{"content":${content}}` })).toEqual(value);
    expect(warnings.join()).toContain("bad answers answer with content that is a");
  });

  test.each([
    ['"hello"', "hello"],
    ["[1]", [1]],
    ['{"content":[{"type":"text","text":"x"}],"_meta":null}', "x"],
  ])("a result that is %s is read", { timeout: SLOW }, async (result, value) => {
    const { call } = await called({ servers: { bad: await open() }, backoff: QUICK });
    expect(await call("bad.answer", { text: `"result":${result}` })).toEqual(value);
  });

  eachCase(HOSTILE, "nested too deeply", "that is too large")(
    "%s is refused with the bound that it passes",
    { tags: "full", timeout: SLOW },
    async (_what, json, says) => {
      const servers = { bad: await open(), good: calls() };
      const { call, failure } = await called({ servers, backoff: QUICK, messageBytes: 4_000_000 });
      const text = json();
      const [failed, unharmed] = await Promise.all([
        failure("bad.say", { text }),
        call("good.echo", { text: "still here" }),
      ]);
      expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "bad" } });
      expect(failed.message).toContain(says);
      expect(unharmed).toEqual(echoed);
      await expect.poll(() => call("bad.say", { text: '{"fine":1}' }).catch(() => undefined)).toEqual({ fine: 1 });
      expect(await call("good.echo", { text: "still here" })).toEqual(echoed);
    },
  );
});

describe("an answer over stdio that is not read", () => {
  const message = (end: string): string => `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"a":${end}}}`;
  test.each([
    ["too large", message(`"${"x".repeat(150_000)}"`)],
    ["too large, its id last", `{"result":{"content":[],"a":"${"x".repeat(150_000)}"},"jsonrpc":"2.0","id":ID}`],
    ["nested too deeply", message(`${"[".repeat(3000)}${"]".repeat(3000)}`)],
  ])("for it is %s fails its call, and no other of the same connection", { timeout: SLOW }, async (_what, text) => {
    const servers = { bad: await overStdio() };
    const { call, failure } = await called({
      servers,
      backoff: { firstMs: SLOW, longestMs: SLOW },
      messageBytes: 100_000,
    });
    const [failed, other] = await Promise.all([failure("bad.line", { text }), call("bad.say", { text: '{"fine":1}' })]);
    expect(failed).toMatchObject({ code: "UNAVAILABLE" });
    expect(failed.message).toMatch(
      /it sent an answer (of more than 100000 bytes\. To do: ask it for less, or raise servers\.bad\.answer_bytes|that nests deeper than 2000 levels)/,
    );
    expect(other).toEqual({ fine: 1 });
    expect(await call("bad.say", { text: '{"fine":2}' })).toEqual({ fine: 2 });
  });

  test("the bound of a server is the one that is set for it", { timeout: SLOW }, async () => {
    const servers = {
      bad: { ...(await overStdio()), answer_bytes: 5000 },
      web: { ...(await overHttp()), answer_bytes: 6000 },
    };
    const { call, failure } = await called({ servers, backoff: QUICK });
    const text = `{"a":"${"x".repeat(2000)}"}`;
    expect(await call("bad.tell", { text })).toEqual(JSON.parse(text));
    const large = { text: `{"a":"${"x".repeat(7000)}"}` };
    expect((await failure("bad.tell", large)).message).toContain(
      "more than 5000 bytes. To do: ask it for less, or raise servers.bad.answer_bytes",
    );
    expect((await failure("web.tell", large)).message).toContain(
      "more than 6000 bytes. To do: ask it for less, or raise servers.web.answer_bytes",
    );
  });
});

test.each([
  ["a code beyond every integer", '"error":{"code":99999999999999999999,"message":"bad"}', "bad"],
  ["a code that is text", '"error":{"code":"E7","message":"bad"}', "bad"],
  ["no message", '"error":{"code":7}', "neither a result nor an error of JSON-RPC"],
  ["an error that is text", '"error":"bad"', "neither a result nor an error of JSON-RPC"],
])(
  "an answer over stdio with %s fails the call at once, and no other",
  { tags: "full", timeout: SLOW },
  async (_what, text, says) => {
    const { call, failure } = await called({ servers: { bad: await overStdio() }, backoff: QUICK });
    const failed = await failure("bad.answer", { text });
    expect(failed.code).not.toBe("TIMEOUT");
    expect(failed.message).toContain(says);
    expect(await call("bad.say", { text: '{"fine":1}' })).toEqual({ fine: 1 });
  },
);

const NO_ANSWER = "neither a result nor an error of JSON-RPC";
const NO_JSON = "a line that is no JSON";

eachCase(
  [
    ["NaN", '{"jsonrpc":"2.0","id":ID,"result":{"a":NaN}}', NO_JSON],
    ["NaN before the id", '{"result":{"id":[7,{"id":8}],"a":NaN,"b":"\\"}"},"id":ID,"jsonrpc":"2.0"}', NO_JSON],
    ["a comma too many", '{"jsonrpc":"2.0","id":ID,"result":{"content":[],},}', NO_JSON],
    ["half an escape", '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\\u12"}]}}', NO_JSON],
    ["a result that is null", '{"jsonrpc":"2.0","id":ID,"result":null}', "a result that is null"],
    ["neither a result nor an error", '{"jsonrpc":"2.0","id":ID}', NO_ANSWER],
    [
      "a result and an error",
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"error":{"code":1,"message":"bad"}}',
      "bad",
    ],
    ["a list with such an answer", '[{"jsonrpc":"2.0","id":ID}]', NO_ANSWER],
  ] as const,
  "NaN",
  "a comma too many",
  "a result that is null",
  "neither a result nor an error",
)("a line over stdio with %s fails the call at once, and no other", { timeout: SLOW }, async (_what, text, says) => {
  const { call, failure } = await called({ servers: { bad: await overStdio() }, backoff: QUICK });
  const failed = await failure("bad.line", { text });
  expect(failed.code).not.toBe("TIMEOUT");
  expect(failed.message).toContain(says);
  expect(await call("bad.say", { text: '{"fine":1}' })).toEqual({ fine: 1 });
});

test.each([
  ["escaped quotes in a text without an end", `{"jsonrpc":"2.0","a":"${'\\"'.repeat(100_000)}}`],
  ["a text that ends in half an escape", `{"jsonrpc":"2.0","a":"${'\\"'.repeat(100_000)}\\}`],
  ["many ids", `{"jsonrpc":"2.0","a":[${'{"id":""},'.repeat(20_000)}}`],
])(
  "a line over stdio with %s, which is no JSON, is read at once",
  { tags: "full", timeout: SLOW },
  async (_what, text) => {
    const { call } = await called({ servers: { bad: await overStdio(), good: calls() }, backoff: QUICK });
    await call("good.echo", { text: "still here" });
    const before = threadMs();
    call("bad.line", { text }).catch(() => undefined);
    expect(await call("bad.say", { text: '{"fine":1}' })).toEqual({ fine: 1 });
    expect(await call("good.echo", { text: "still here" })).toEqual(echoed);
    expect(threadMs() - before).toBeLessThan(5000);
  },
);

test.each([
  ["a mark of the byte order", '\ufeff{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}'],
  ["a list", '[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}]'],
  [
    "lines that are no answers before it",
    '{"level":30,"id":ID,"msg":NaN}\n{"id":ID,"msg":"log"}\n{"jsonrpc":"2.0","id":77,"result":{"a":NaN}}\n' +
      '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}',
  ],
])("an answer over stdio with %s is read", { timeout: SLOW }, async (_what, text) => {
  const { call } = await called({ servers: { bad: await overStdio() }, backoff: QUICK });
  expect(await call("bad.line", { text })).toBe("fine");
});

/** A server over HTTP whose calls are answered with what `answer` makes of their id. */
async function answering(answer: (id: number, text: string) => string | Buffer, type = "application/json") {
  const { origin } = await heard(({ id, method, params }, body, response) => {
    const isCall = method === "tools/call";
    const plain = rawAnswer(body);
    const text = isCall ? answer(id, params.arguments.text) : plain;
    response.writeHead(text === undefined ? 202 : 200, { "content-type": isCall ? type : "application/json" });
    response.end(text);
  });
  return { url: `${origin}/mcp`, timeout: 20 };
}

const result = (id: string, text: string): string =>
  `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"text":"${text}"}}}`;

describe("ids of answers", () => {
  test.each(["JSON", "events"])("a text is not taken for the number that it spells, in %s", async (form) => {
    const events = (...all: readonly string[]) => all.map((one) => `data: ${one}\n\n`).join("");
    const two = (id: number) => [result(`"${id}"`, "foreign"), result(String(id), "own")] as const;
    const entry =
      form === "JSON"
        ? await answering((id) => `[${two(id).join()}]`)
        : await answering((id) => events(...two(id)), "text/event-stream");
    const { call } = await called({ servers: { web: entry } });
    const both = await Promise.all([call("web.say", { text: "a" }), call("web.say", { text: "b" })]);
    expect(both).toEqual([{ text: "own" }, { text: "own" }]);
  });

  test("over stdio too; a text that nothing follows is taken for the number", { tags: "full" }, async () => {
    const servers = { one: calls({}, { timeout: 2 }) };
    const { call } = await called({ servers });
    expect(await call("one.text_id_first")).toEqual({ own: true });
    expect(await call("one.text_id_only")).toEqual({ own: false });
    expect(await call("one.words")).toBe("plain words");
  });
});

test(`${FRAMES} hostile frames in place of answers over HTTP`, { tags: "full", timeout: 10 * SLOW }, async () => {
  const next = hostileFrames(randomOf(runs(0).seed));
  let isHostile = true;
  const types = ["application/json", "text/event-stream", "text/event-stream; charset=utf-8", "application/json;x"];
  let sent = 0;
  const { origin } = await heard(({ id, method }, body, response) => {
    const plain = rawAnswer(body);
    if (!isHostile || method !== "tools/call") {
      response.writeHead(plain === undefined ? 202 : 200, { "content-type": "application/json" });
      return void response.end(plain);
    }
    const type = types[sent++ % types.length] ?? "";
    response.writeHead(200, { "content-type": type });
    for (let i = 0; i < 10; i++) {
      if (type.startsWith("text/")) response.write("data: ");
      response.write(next());
      response.write("\n\n");
    }
    response.end(`data: ${result(String(id), "at last")}\n\n`);
  });
  const { call } = await called({
    servers: { bad: { url: `${origin}/mcp`, timeout: 5 }, good: calls() },
    backoff: QUICK,
  });
  for (let done = 0; done < FRAMES; done += 80) {
    await Promise.all(Array.from({ length: 8 }, () => call("bad.say", { text: "{}" }).catch(() => undefined)));
    expect(await call("good.echo", { text: "still here" })).toEqual(echoed);
  }
  isHostile = false;
  await expect.poll(() => call("bad.say", { text: '{"fine":1}' }).catch(() => undefined)).toEqual({ fine: 1 });
});
