/** The lines of the stdio transport as they reach the other process. */

import { PassThrough, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { stdioTransport } from "../../../../runtime/serve/stdio/stdio-transport.js";

/** Keeps what each system call would write. */
function counted(stdin = new PassThrough()) {
  const writes: string[] = [];
  const stdout = new Writable({
    write(chunk, _, done) {
      writes.push(String(chunk));
      done();
    },
    writev(chunks, done) {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(""));
      done();
    },
  });
  return { writes, transport: stdioTransport({ stdin, stdout, lineBytes: () => 1000 }) };
}

const note = (method: string) => ({ jsonrpc: "2.0", method }) as const;

test("messages of one turn are written together, those of the next apart", async () => {
  const { writes, transport } = counted();
  await Promise.all([transport.send(note("a")), transport.send(note("b"))]);
  await nextTurn();
  await transport.send(note("c"));
  expect(writes).toEqual([
    '{"jsonrpc":"2.0","method":"a"}\n{"jsonrpc":"2.0","method":"b"}\n',
    '{"jsonrpc":"2.0","method":"c"}\n',
  ]);
});

test("what was sent before the end is written at the end, in the same turn", async () => {
  const { writes, transport } = counted();
  const sent = transport.send(note("last"));
  const closed = transport.close();
  expect(writes).toEqual(['{"jsonrpc":"2.0","method":"last"}\n']);
  await Promise.all([sent, closed]);
  await expect(transport.send(note("late"))).rejects.toThrow("the connection is closed");
});

/** What the transport reads of chunks of input, and what it writes. */
async function heard(...chunks: readonly (string | Buffer)[]) {
  const stdin = new PassThrough();
  const { writes, transport } = counted(stdin);
  const messages: unknown[] = [];
  transport.onmessage = (message) => void messages.push(message);
  await transport.start();
  for (const chunk of chunks) {
    stdin.write(chunk);
    await nextTurn();
  }
  await nextTurn();
  const answers = writes.flatMap((text) =>
    text
      .trim()
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
  return { messages, answers };
}

const PING = { jsonrpc: "2.0", id: 9, method: "ping" };
const ping = `${JSON.stringify(PING)}\n`;
const long = "x".repeat(5000);

describe("a line that is too long is answered, and the next one is read", () => {
  const TOO_LONG = { code: -32600, message: "A line may have 1000 bytes at most." };
  test.each([
    ["its id first", `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":"${long}"}`, 7, TOO_LONG],
    ["its id last", `{"method":"tools/call","params":"${long}","jsonrpc":"2.0","id":"a"}`, "a", TOO_LONG],
    ["its id in between", `{"a":"${long}","id":7,"b":"${long}"}`, null, TOO_LONG],
    ["without an id", long, null, TOO_LONG],
  ])("by its id, where that can be found: %s", async (_what, line, id, error) => {
    for (const chunks of [[line], [line.slice(0, 3), line.slice(3, 700), line.slice(700)]]) {
      const { messages, answers } = await heard(...chunks, "\n", ping);
      expect(answers).toEqual([{ jsonrpc: "2.0", id, error }]);
      expect(messages).toEqual([PING]);
    }
  });
});

test("a mark of the byte order is read away", async () => {
  const { messages, answers } = await heard(`\ufeff${ping}`);
  expect(messages).toEqual([PING]);
  expect(answers).toEqual([]);
});

test("half of a pair of UTF-16 is written as U+FFFD, and a whole pair stays", async () => {
  const { writes, transport } = counted();
  await transport.send({ jsonrpc: "2.0", method: "a", params: { "\ud800": "\udfff 😀 \\ud800 \\\ud83d" } });
  expect(writes.join("")).not.toMatch(/(?<!\\)(?:\\\\)*\\ud/);
  expect(JSON.parse(writes.join("")).params).toEqual({ "\ufffd": "\ufffd 😀 \\ud800 \\\ufffd" });
});
