/** Servers over stdio that break the protocol: what is certain is read, and anything else fails with a plain sentence. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { temporaryFolder } from "../../support/project.js";
import { called, lives, pidsIn } from "../../support/upstream/upstreams.js";

const ODD = fileURLToPath(new URL("../../support/upstream/odd.mjs", import.meta.url));
const QUICK = { firstMs: 20, longestMs: 50 };

/** Calls of the odd server, and what is logged about it. */
async function odd(timeout = 20) {
  const pids = join(temporaryFolder(), "pids");
  const servers = { odd: { command: process.execPath, args: [ODD, pids], timeout } };
  const made = await called({ servers, backoff: QUICK });
  const warnings: string[] = [];
  made.pool.logTo({ ...silentLog, warn: (message) => void warnings.push(message) });
  return { ...made, pids, logged: warnings, line: (text: string) => made.call("odd.get_line", { text }) };
}

const FINE = '"result":{"content":[{"type":"text","text":"fine"}]}';

describe("an answer that is certain is read, and reported once", () => {
  test.each([
    ["an id as text", `{"jsonrpc":"2.0","id":"ID",${FINE}}`, "as text"],
    ["an id as text with a fraction", `{"jsonrpc":"2.0","id":"ID.0",${FINE}}`, "as text"],
    ["no version", `{"id":ID,${FINE}}`, "lack"],
    ["an older version", `{"jsonrpc":"1.0","id":ID,${FINE}}`, "lack"],
    ["an error that is null", `{"jsonrpc":"2.0","id":ID,${FINE},"error":null}`, "of which one is null"],
    ["no id", `{"jsonrpc":"2.0",${FINE}}`, "without the id"],
    ["an id that is null", `{"jsonrpc":"2.0","id":null,${FINE}}`, "without the id"],
    ["members of its own", `{"jsonrpc":"2.0","id":ID,${FINE},"took_ms":4}`, "members that JSON-RPC does not know"],
    [
      "a _meta that is null",
      `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}],"_meta":null}}`,
      "_meta",
    ],
    ["an id with a fraction", `{"jsonrpc":"2.0","id":ID.0,${FINE}}`, undefined],
  ])("with %s", async (_what, text, says) => {
    const { line, logged } = await odd();
    // raw text: the id stands for itself inside of quotes too
    expect(await line(text)).toBe("fine");
    expect(await line(text)).toBe("fine");
    const told = logged.filter((one) => one.includes("breaks the protocol"));
    expect(told).toHaveLength(says === undefined ? 0 : 1);
    if (says !== undefined) expect(told[0]).toContain(says);
  });

  test.each([
    [
      "an error beside a result that is null",
      '{"jsonrpc":"2.0","id":ID,"result":null,"error":{"code":-32000,"message":"full"}}',
    ],
    [
      "an error without an id, the only request",
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"full"}}',
    ],
    ["an error without id and version", '{"error":{"code":-32000,"message":"full"}}'],
  ])("as a failure: %s", async (_what, text) => {
    const { failure } = await odd();
    const failed = await failure("odd.get_line", { text });
    expect(failed).toMatchObject({ code: "INTERNAL", details: { rpc_code: -32000 } });
    expect(failed.message).toContain("full");
  });
});

describe("answers without an id", () => {
  const UNNAMED = `{"jsonrpc":"2.0","id":null,${FINE}}`;

  test("while two requests wait: it is known what it is for as soon as the other one is answered", async () => {
    const { call, line } = await odd();
    await call("odd.get_pid");
    const first = line(`${UNNAMED}\n`);
    const second = line(`{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"own"}]}}`);
    expect(await Promise.all([first, second])).toEqual(["fine", "own"]);
  });

  test("two for two requests: both fail with one sentence, and no time limit passes", async () => {
    const { call, failure } = await odd();
    await call("odd.get_pid");
    const text = UNNAMED;
    const both = await Promise.all([failure("odd.get_line", { text }), failure("odd.get_line", { text })]);
    for (const { code, message } of both) {
      expect(code).toBe("UNAVAILABLE");
      expect(message).toContain("it answered without the id of the request");
      expect(message).not.toMatch(/invalid_union|ZodError|\n/);
    }
  });

  test("the late answer of a request that was given up is not taken for another one", async () => {
    const { failure } = await odd(1);
    expect(await failure("odd.get_late")).toMatchObject({ code: "TIMEOUT" });
    const failed = await failure("odd.get_line", { text: UNNAMED });
    expect(failed).toMatchObject({ code: "UNAVAILABLE" });
    expect(failed.message).toContain("it answered without the id");
  });
});

test("an answer of several lines fails at once, and says why", async () => {
  const { failure, line } = await odd();
  const text = JSON.stringify(
    { jsonrpc: "2.0", id: "ID", result: { content: [{ type: "text", text: "fine" }] } },
    null,
    2,
  );
  const failed = await failure("odd.get_line", { text: text.replace('"ID"', "ID") });
  expect(failed.code).not.toBe("TIMEOUT");
  expect(failed.message).toContain("it answered with JSON of several lines, but a message is one line");
  expect(await line(`{"jsonrpc":"2.0","id":ID,${FINE}}`)).toBe("fine");
});

test("an answer with the number of a request goes before one with its text", async () => {
  const { line } = await odd();
  const foreign = `{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"foreign"}]}}`;
  expect(await line(`${foreign}\n{"jsonrpc":"2.0","id":ID,${FINE}}`)).toBe("fine");
});

describe("the data of an error", () => {
  const failing = async (error: object) => (await odd()).failure("odd.get_error", { text: JSON.stringify(error) });

  test("is kept", async () => {
    const data = { retry_after_s: 9, limit: "5/min", list: [1, null, true] };
    const { details } = await failing({ code: -32000, message: "limit", data });
    expect(details).toEqual({ server: "odd", rpc_code: -32000, upstream: data });
  });

  test("the address of a sign-in is kept", async () => {
    const url = "https://example.com/connect?elicitationId=550e8400&redirect=https%3A%2F%2Fexample.com%2Fdone";
    const elicitations = [{ mode: "url", elicitationId: "550e8400", url, message: "Sign in." }];
    const failed = await failing({
      code: -32042,
      message: "This request requires more information.",
      data: { elicitations },
    });
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { upstream: { elicitations } } });
  });

  test("is bounded and masked", async () => {
    let deep: unknown = 1;
    for (let level = 0; level < 50; level++) deep = [deep];
    const data = {
      deep,
      long: "x".repeat(50_000),
      key: "Bearer abcdefghijkl",
      many: Array(5_000).fill("item"),
      "\u001b[1m": "\u202e",
    };
    const { details } = await failing({ code: -32000, message: "limit", data });
    const text = JSON.stringify(details["upstream"]);
    expect(text.length).toBeLessThan(20_000);
    expect(text).not.toContain("abcdefghijkl");
    expect(text).toContain("…");
  });

  test.each([
    ["a text", "why"],
    ["a number", 7],
    ["a list", [1, 2]],
  ])("may be %s", async (_what, data) => {
    expect((await failing({ code: -32000, message: "no", data })).details["upstream"]).toEqual(data);
  });

  test("an error in another form is kept as data", async () => {
    const failed = await (await odd()).failure("odd.get_line", {
      text: '{"jsonrpc":"2.0","id":ID,"error":{"reason":"quota"}}',
    });
    expect(failed.message).toContain("neither a result nor an error of JSON-RPC");
    expect(failed.details["upstream"]).toEqual({ reason: "quota" });
  });
});

describe("a server that closes a pipe and goes on running is replaced, as after an exit", () => {
  test("between two calls", async () => {
    const { call, upstreams, pids } = await odd();
    expect(await call("odd.get_deaf")).toBe("the last words");
    await expect.poll(() => upstreams.states().get("odd")?.state).toBe("disconnected");
    expect(await call("odd.get_pid")).toMatch(/^pid \d+$/);
    await expect.poll(() => pidsIn(pids).filter(lives).length).toBe(1);
  });

  test.each([
    ["a read", "get_silent", undefined],
    ["a write", "create_silent", "unknown"],
  ])("one that writes nothing more, not even an answer to ping, is replaced after %s", async (_what, tool, outcome) => {
    const { call, failure, upstreams, pids } = await odd(2);
    const failed = await failure(`odd.${tool}`);
    expect(failed).toMatchObject({ code: "TIMEOUT", details: { server: "odd" } });
    expect(failed.details["outcome"]).toBe(outcome);
    expect(upstreams.states().get("odd")).toMatchObject({ state: "disconnected" });
    expect(await call("odd.get_pid")).toMatch(/^pid \d+$/);
    await expect.poll(() => pidsIn(pids).filter(lives).length).toBe(1);
  });

  test("one that answers ping is kept after a call that takes too long", async () => {
    const { call, failure } = await odd(2);
    const before = await call("odd.get_pid");
    expect(await failure("odd.get_late")).toMatchObject({ code: "TIMEOUT" });
    expect(await call("odd.get_pid")).toBe(before);
  });

  test.each([
    ["a read", "get_mute", undefined],
    ["a write", "create_mute", "unknown"],
  ])("during %s", async (_what, tool, outcome) => {
    const { call, failure, upstreams, pids } = await odd();
    const failed = await failure(`odd.${tool}`);
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "odd" } });
    expect(failed.details["outcome"]).toBe(outcome);
    expect(failed.message).toContain("it has closed its standard output, and goes on running");
    expect(upstreams.states().get("odd")).toMatchObject({ state: "disconnected" });
    expect(await call("odd.get_pid")).toMatch(/^pid \d+$/);
    await expect.poll(() => pidsIn(pids).filter(lives).length).toBe(1);
  });
});
