/** Lines and messages: how they are split, their errors, and the ids of their answers. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../../../test/support/servers/socket-connection.js";
import { calling, serveSocket } from "./served.js";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };
const PONG = { jsonrpc: "2.0", id: 1, result: {} };
const line = (value: object): string => `${JSON.stringify(value)}\n`;
test("[F1] two requests in one chunk, and one cut at every byte, get the same answers", async () => {
  const { connect } = await serveSocket();
  const client = await connect();
  client.send(line(PING) + line({ ...PING, id: "zwölf" }));
  expect([await client.next(), await client.next()]).toEqual([PONG, { ...PONG, id: "zwölf" }]);
  const bytes = Buffer.from(line({ ...PING, id: "zwölf" }));
  for (let at = 0; at <= bytes.length; at++) {
    client.send(bytes.subarray(0, at));
    await new Promise((resolve) => setImmediate(resolve));
    client.send(bytes.subarray(at));
    expect(await client.next()).toEqual({ ...PONG, id: "zwölf" });
  }
});

test("[F2] CRLF is accepted, blank lines are skipped", async () => {
  const { connect } = await serveSocket();
  const client = await connect();
  client.send(`\n\r\n   \n${JSON.stringify(PING)}\r\n\n`);
  expect(await client.next()).toEqual(PONG);
  client.send(line({ ...PING, id: 2 }));
  expect(await client.next()).toEqual({ ...PONG, id: 2 });
});

const BAD_LINES: readonly (readonly [what: string, line: string | Buffer, id: string | number | null, code: number])[] =
  [
    ["text", "hello", null, -32_700],
    ["half an object", '{"jsonrpc":"2.0",', null, -32_700],
    ["a byte order mark", `\uFEFF${JSON.stringify(PING)}`, null, -32_700],
    ["bytes that are not UTF-8", Buffer.from([0x22, 0xff, 0x22]), null, -32_700],
    ["a batch", JSON.stringify([PING]), null, -32_600],
    ["a number", "7", null, -32_600],
    ["null", "null", null, -32_600],
    ["id null", JSON.stringify({ ...PING, id: null }), null, -32_600],
    ["an id that is an object", JSON.stringify({ ...PING, id: {} }), null, -32_600],
    ["another version", JSON.stringify({ ...PING, jsonrpc: "1.0" }), 1, -32_600],
    ["no version", '{"id":"a","method":"ping"}', "a", -32_600],
    ["no method", '{"jsonrpc":"2.0","id":1}', 1, -32_600],
    [
      "nesting without end",
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(9999)}${"]".repeat(9999)}}`,
      1,
      -32_600,
    ],
    ["an unknown method", JSON.stringify({ ...PING, method: "toString" }), 1, -32_601],
    ["a cancellation with an id", JSON.stringify({ ...PING, method: "oubliette_cancel" }), 1, -32_601],
    ["params that are a list", JSON.stringify({ ...PING, params: [] }), 1, -32_602],
    ["params of another method", JSON.stringify({ ...PING, params: { tool: "x" } }), 1, -32_602],
  ];

test.each(BAD_LINES)(
  "[F3] a line that is %s is answered with its code, and the next request is answered",
  async (_, bad, id, code) => {
    const { connect } = await serveSocket();
    const client = await connect();
    client.send(Buffer.concat([Buffer.from(bad), Buffer.from("\n")]));
    expect(await client.next()).toMatchObject({ jsonrpc: "2.0", id, error: { code } });
    expect(await client.ask("ping")).toMatchObject({ result: {} });
  },
);

test("[F4] a message without id gets no answer, and a request method without one is not run", async () => {
  const { client, api_key, fixture } = await calling("write");
  for (const method of ["ping", "nothing", "oubliette_tools", "oubliette_call_tool"])
    client.send({ jsonrpc: "2.0", method, params: { api_key, tool: "task_list" } });
  client.send({ jsonrpc: "3.0" });
  expect(await client.ask("ping", undefined, "last")).toEqual({ jsonrpc: "2.0", id: "last", result: {} });
  await sleep(50);
  expect(client.text().trim().split("\n")).toHaveLength(1);
  expect(fixture.calls).toEqual([]);
});

test("an id that is no finite number is refused as the line is read, twice at once too", async () => {
  const { connect } = await serveSocket();
  const client = await connect();
  for (const id of ["1e999", "-1e400", "null", "true", "[]", "{}"]) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`.repeat(2));
    for (let i = 0; i < 2; i++)
      expect(await client.next()).toMatchObject({
        id: null,
        error: { code: -32_600, message: expect.stringMatching(/^An id is/) },
      });
  }
  expect(await client.ask("ping")).toMatchObject({ result: {} });
});

test("ids of both kinds come back as they came, those beyond exact numbers too", async () => {
  const { connect } = await serveSocket();
  const client = await connect();
  for (const id of ['"1"', "1", "-7", "1.5", '"ü"', "9007199254740993", "1e300", "1790000000000000001"]) {
    client.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`);
    await client.next();
    expect(client.text().trim().split("\n").at(-1)).toBe(`{"jsonrpc":"2.0","id":${id},"result":{}}`);
  }
});

test("an id in use is refused under no id, and the call that has it goes on", async () => {
  const { client, api_key, waits } = await calling("read");
  const params = { api_key, tool: "wait_get" };
  client.send({ jsonrpc: "2.0", id: 5, method: "oubliette_call_tool", params });
  await until(() => waits.length === 1);
  client.send({ jsonrpc: "2.0", id: 5, method: "ping" });
  expect(await client.next()).toMatchObject({ id: null, error: { code: -32_600, data: { id: 5 } } });
  expect(waits[0]?.aborted).toBe(false);
});
