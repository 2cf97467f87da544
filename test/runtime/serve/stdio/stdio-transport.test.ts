/** The lines of the stdio transport as they reach the other process. */

import { PassThrough, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { stdioTransport } from "../../../../runtime/serve/stdio/stdio-transport.js";

/** Keeps what each system call would write. */
function counted() {
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
  return { writes, transport: stdioTransport({ stdin: new PassThrough(), stdout, lineBytes: () => 1000 }) };
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
