/** Over stdio alone, the state database opens after the first answer: a fault of it ends the server all the same. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { freshRoot, serverCommand } from "../../../support/project.js";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const callOf = (id: number, op: string) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "tool_exec", arguments: { op, args: {} } },
});

/** A root with a `state.db` that is no SQLite database. */
function spoiltRoot(): string {
  const root = freshRoot();
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  writeFileSync(join(root, ".onetool", "state.db"), "no database ".repeat(500));
  return root;
}

/** Starts a server, sends it messages, and waits until it has ended; its standard input stays open unless it is to end. */
async function served(root: string, messages: readonly object[], options: Served = {}) {
  const { command, args, cwd } = serverCommand(root);
  const child = spawn(command, args, { cwd, env: { ...process.env, ...options.env }, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  for (const message of messages) child.stdin.write(`${JSON.stringify(message)}\n`);
  if (options.ends) child.stdin.end();
  const [code] = await once(child, "close");
  const lines = stdout.split("\n").filter(Boolean);
  const answers = lines.map((line) => JSON.parse(line));
  return { code, stderr, answers };
}

interface Served {
  readonly env?: NodeJS.ProcessEnv;
  readonly ends?: boolean;
}

const REMEDY = /the state database is damaged, or is no database: restore it from a copy/;

test("a client has its first answer, then the server says what is wrong with its state and ends", async () => {
  const { code, stderr, answers } = await served(spoiltRoot(), [INITIALIZE]);
  expect(answers).toEqual([expect.objectContaining({ id: 1, result: expect.anything() })]);
  expect(stderr).toMatch(REMEDY);
  expect(code).toBe(2);
});

test("so it does for a client that sends nothing, and for one that is gone", async () => {
  const [silent, gone] = await Promise.all([served(spoiltRoot(), []), served(spoiltRoot(), [], { ends: true })]);
  for (const { code, stderr, answers } of [silent, gone]) {
    expect(answers).toEqual([]);
    expect(stderr).toMatch(REMEDY);
    expect(code).toBe(2);
  }
});

test("a key needs the state, which opens before the first answer", async () => {
  const env = { OUBLIETTE_API_KEY: "oub_aaaaaaaaaa_bbbbbbbbbbbbbbbbbbbbbbbb" };
  const { code, stderr, answers } = await served(spoiltRoot(), [INITIALIZE], { env });
  expect({ code, answers }).toEqual({ code: 2, answers: [] });
  expect(stderr).toMatch(REMEDY);
});

test("calls that come with the first message, and those of a client without one, are answered from the state", async () => {
  const listed = (answers: Awaited<ReturnType<typeof served>>["answers"], id: number) =>
    answers.find((one) => one.id === id)?.result.structuredContent;
  const call = callOf(2, "ot.stats");
  const together = await served(freshRoot(), [INITIALIZE, call], { ends: true });
  expect(listed(together.answers, 2)).toMatchObject({ ok: true, result: { total_calls: 0 } });
  expect(together.code).toBe(0);
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INITIALIZE.params.clientInfo,
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const alone = await served(freshRoot(), [{ ...call, params: { ...call.params, _meta: meta } }], { ends: true });
  expect(listed(alone.answers, 2), JSON.stringify(alone.answers)).toMatchObject({ ok: true });
  expect(alone.code).toBe(0);
});
