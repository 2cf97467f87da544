/** Commands end once their answer is written, whatever the code of the project leaves open in their process. */

import { spawn } from "node:child_process";
import { on, once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { buffer } from "node:stream/consumers";
import { setTimeout as after } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const LAUNCHER = join(CHECKOUT, "generator", "launch.mjs");

/** Tools that leave a timer, a server and a connection open. */
const TOOLS = `import { connect, createServer } from "node:net";
import { once } from "node:events";

async function leaveOpen(): Promise<void> {
  setInterval(() => undefined, 1000);
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  await once(connect((server.address() as { port: number }).port, "127.0.0.1"), "connect");
}

/** Says hello.
 * @kind read
 */
export async function get_hello(): Promise<string> {
  await leaveOpen();
  return "hello";
}

/** Gives lines.
 * @kind read
 */
export async function get_lines({ count }: { count: number }): Promise<string[]> {
  await leaveOpen();
  return Array.from({ length: count }, (_, at) => \`line \${at}\`);
}

/** Fails.
 * @kind read
 */
export async function get_failure(): Promise<string> {
  await leaveOpen();
  throw new Error("it failed");
}

/** Never answers.
 * @kind read
 */
export async function get_nothing(): Promise<string> {
  await leaveOpen();
  return new Promise(() => undefined);
}
`;

/** How long a command may take until it has ended, on a machine that does other work too. */
const LIMIT_MS = 60_000;
const GIVEN = ["--tools", "tools.ts"];
let folder = "";
let env: NodeJS.ProcessEnv = {};

/** A command that is ended after a while. */
function started(args: readonly string[]) {
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: folder, env });
  const limit = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  onTestFinished(() => void child.kill("SIGKILL"));
  child.once("exit", () => clearTimeout(limit));
  return child;
}

/** What a command printed, and how it ended: with null for the code if it had to be killed. */
async function ran(args: readonly string[]) {
  const child = started(args);
  const [stdout, stderr, [code]] = await Promise.all([buffer(child.stdout), buffer(child.stderr), once(child, "exit")]);
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
}

beforeAll(() => {
  folder = temporaryFolder(afterAll);
  env = { ...process.env, XDG_CACHE_HOME: join(folder, "cache") };
  writeFileSync(join(folder, "tools.ts"), TOOLS);
});

describe("a command whose tool leaves a timer and a connection open", { timeout: 120_000 }, () => {
  test.each([
    ["call", ["call", "get_hello"], { code: 0, stdout: /"result": "hello"/ }],
    ["call of what fails", ["call", "get_failure"], { code: 1, stdout: /INTERNAL/ }],
    ["run", ["run", "-c", "tools.get_hello()"], { code: 0, stdout: /hello/ }],
    ["call without an answer", ["call", "get_nothing", "--timeout", "1"], { code: 1, stdout: /"TIMEOUT"/ }],
    [
      "run without an answer",
      ["run", "-c", "tools.get_nothing()", "--timeout", "1"],
      { code: 1, stdout: /TimeoutError/ },
    ],
  ])("ends: %s", async (_, args, { code, stdout }) => {
    expect(await ran([...args, ...GIVEN])).toMatchObject({ code, stdout: expect.stringMatching(stdout) });
  });
});

test("a long answer is whole where its reader is slow", async () => {
  const child = started(["call", "get_lines", "count=30000", "--json", ...GIVEN]);
  const ended = once(child, "exit");
  await once(child.stdout, "readable");
  // More than the time that a command has after its answer.
  await after(2000);
  const answer = JSON.parse((await buffer(child.stdout)).toString());
  expect(answer.result).toHaveLength(30_000);
  expect(await ended).toEqual([0, null]);
});

test("a server goes on after such calls, and ends with its client", async () => {
  const child = started(["serve", ...GIVEN, "--log-level", "silent"]);
  const reader = createInterface(child.stdout);
  const lines = on(reader, "line", { close: ["close"] });
  const ask = async (id: number, method: string, params: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    for (;;) {
      const { value, done } = await lines.next();
      if (done) throw new Error("the server has ended");
      const message = JSON.parse(value[0]);
      if (message.id === id) return message.result;
    }
  };
  const clientInfo = { name: "test", version: "1" };
  await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  for (const id of [2, 3]) {
    const { structuredContent } = await ask(id, "tools/call", { name: "tool_exec", arguments: { op: "get_hello" } });
    expect(structuredContent).toMatchObject({ ok: true, result: "hello" });
    await after(1000);
  }
  const ended = once(child, "exit");
  child.stdin.end();
  expect(await ended).toEqual([0, null]);
});
