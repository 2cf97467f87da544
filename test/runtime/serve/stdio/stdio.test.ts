/** The stdio transport: its end, its grace time, and lines that are not messages. */

import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { openStdio } from "../../../../runtime/serve/stdio/stdio.js";
import { closingOf, serveTransports } from "../../../../runtime/serve/transports.js";
import { type FixtureOptions, fixture, handler, liveOf, principal } from "../../gateway/fixture.js";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const exec = (id: number, op: string, args = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "tool_exec", arguments: { op, args } },
});

function serve(options: FixtureOptions, graceMs = 400) {
  const { gateway } = fixture(options);
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  let text = "";
  let closed = 0;
  stdout.on("data", (chunk) => (text += String(chunk)));
  const live = liveOf({ ...gateway, close: async () => void closed++ });
  const open = async () => [openStdio({ live, principal: () => principal(), version: "0", stdin, stdout })];
  const done = serveTransports(open, { ...closingOf(live), graceMs });
  const send = (...messages: object[]) =>
    stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  const answers = () =>
    text
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: number; result?: { structuredContent?: unknown } });
  return { stdin, send, answers, done, closed: () => closed };
}

const slow = (ms: number): FixtureOptions => ({
  handlers: {
    "onto.task.list": handler(async () => {
      await sleep(ms);
      return { slow: true };
    }),
  },
});

describe("stdio", () => {
  test("requests that were sent before the end of stdin are answered, then everything closes", async () => {
    const { stdin, send, answers, done, closed } = serve(slow(60));
    send(
      INITIALIZE,
      { jsonrpc: "2.0", method: "notifications/initialized" },
      exec(2, "onto.task.list"),
      exec(3, "onto.search", { query: "x" }),
    );
    stdin.end();
    await done;
    expect(
      answers()
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3]);
    expect(answers().find(({ id }) => id === 2)?.result?.structuredContent).toMatchObject({
      ok: true,
      result: { slow: true },
    });
    expect(closed()).toBe(1);
  });

  test("what runs longer than the grace time is aborted", async () => {
    let aborted = false;
    const stuck = handler(
      (_, ctx) =>
        new Promise(() => {
          (ctx.signal as AbortSignal).addEventListener("abort", () => {
            aborted = true;
          });
        }),
    );
    const { stdin, send, done, closed } = serve(
      { handlers: { "onto.task.list": stuck }, settings: { callTimeoutMs: 60_000 } },
      80,
    );
    send(INITIALIZE, exec(2, "onto.task.list"));
    stdin.end();
    const started = Date.now();
    await done;
    expect(aborted).toBe(true);
    expect(Date.now() - started).toBeGreaterThanOrEqual(75);
    expect(closed()).toBe(1);
  });

  test("a signal ends it as well, and leaves no listener behind", async () => {
    const before = process.listenerCount("SIGTERM");
    const { send, answers, done } = serve(slow(30));
    send(INITIALIZE, exec(2, "onto.task.list"));
    await expect.poll(() => answers().length).toBeGreaterThan(0);
    process.emit("SIGTERM", "SIGTERM");
    send(exec(3, "onto.task.list"));
    await done;
    expect(answers().map(({ id }) => id)).toEqual([1, 2]);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });

  test("a line that is no message does no harm", async () => {
    const { stdin, send, answers, done } = serve({});
    stdin.write("not json\n");
    send(INITIALIZE);
    stdin.end();
    await done;
    expect(answers().map(({ id }) => id)).toEqual([1]);
  });
});
