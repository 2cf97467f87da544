/** The channel between an engine and a real child: order, sizes, and how it ends. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startChild } from "../../../../runtime/run/engine/child-pool.js";
import { temporaryFolder } from "../../../support/project.js";

const CHANNEL = fileURLToPath(new URL("../../../../runtime/run/engine/child-channel.ts", import.meta.url));

/** Echoes what it is told, or misbehaves. */
const PROGRAM = `
import { writeSync } from "node:fs";
import { openChannel } from ${JSON.stringify(CHANNEL)};
const channel = openChannel((message) => {
  if ("echo" in message) channel.send(message);
  if ("large" in message) channel.send({ large: "é".repeat(message.large) });
  if ("forge" in message) writeSync(4, Buffer.from(message.forge));
  if ("print" in message) {
    const begun = performance.now();
    for (let part = 0; part < message.print; part++) channel.send({ part: "x".repeat(16_384) });
    channel.send({ printed: performance.now() - begun });
  }
  if ("busy" in message) {
    channel.send(message);
    for (;;);
  }
  if ("exit" in message) channel.end({ last: "x".repeat(1_000_000) });
});
`;

/** Starts the program, sends it a message, and writes its id once it says something. */
const ENGINE = `
const [, program, message] = process.argv;
const child = require("node:child_process").spawn(process.execPath, [program], {
  stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
});
const head = Buffer.alloc(5);
head.writeUInt32BE(message.length + 1);
child.stdio[3].write(Buffer.concat([head, Buffer.from(message)]));
child.stdio[4].once("data", () => console.log(child.pid));
setInterval(() => {}, 1000);
`;

let program: string;
beforeAll(async () => {
  const folder = temporaryFolder(afterAll);
  writeFileSync(join(folder, "source.mjs"), PROGRAM);
  program = join(folder, "child.mjs");
  const output = { outfile: program, format: "esm", platform: "node", bundle: true } as const;
  await build({ entryPoints: [join(folder, "source.mjs")], ...output });
});

interface Message {
  readonly [member: string]: unknown;
}

/** A child, and a function that gives its next message; undefined once it has ended. */
function started() {
  const arrived: (Message | undefined)[] = [];
  let waiting: ((message: Message | undefined) => void) | undefined;
  const add = (message: Message | undefined): void => {
    if (waiting) waiting(message);
    else arrived.push(message);
    waiting = undefined;
  };
  const child = startChild({
    program,
    onMessage: (message) => add(message as Message),
    onGone: () => add(undefined),
  });
  onTestFinished(() => {
    child.kill();
    return child.gone;
  });
  const next = (): Promise<Message | undefined> =>
    arrived.length > 0
      ? Promise.resolve(arrived.shift())
      : new Promise((resolve) => {
          waiting = resolve;
        });
  return { child, next };
}

describe("messages", () => {
  test("arrive in order, whatever their sizes", async () => {
    const { child, next } = started();
    const sizes = [0, 1, 70_000, 3, 3_000_000, 2, 65_531, 65_536, 5];
    for (const size of sizes) child.send({ echo: "é".repeat(size) });
    for (const size of sizes) expect(String((await next())?.["echo"])).toHaveLength(size);
  });

  test("what cannot be cloned is not sent, and the channel stays", async () => {
    const { child, next } = started();
    expect(child.send({ echo: () => 1 })).toBe(false);
    child.send({ echo: 1n });
    expect(await next()).toEqual({ echo: 1n });
  });

  test("a child does not wait for an engine that is busy", async () => {
    const { child, next } = started();
    child.send({ echo: 1 });
    await next();
    child.send({ print: 100 });
    for (const begun = performance.now(); performance.now() - begun < 1000; );
    for (let part = 0; part < 100; part++) expect(String((await next())?.["part"])).toHaveLength(16_384);
    expect(Number((await next())?.["printed"])).toBeLessThan(500);
  });
});

describe("the end", () => {
  test("all that a child sent is read before it counts as gone", async () => {
    const { child, next } = started();
    child.send({ exit: true });
    expect(String((await next())?.["last"])).toHaveLength(1_000_000);
    expect(await next()).toBeUndefined();
    expect(child.send({ echo: 1 })).toBe(true);
  });

  test.each([
    ["no JSON", [0, 0, 0, 2, 0, 0x7b]],
    ["no clone", [0, 0, 0, 3, 1, 0xff, 0x7b]],
    ["an empty frame", [0, 0, 0, 0]],
  ])("a child that sends %s is killed", async (_, forge) => {
    const { child, next } = started();
    child.send({ forge });
    expect(await next()).toBeUndefined();
  });

  test.runIf(process.platform === "linux")("a child ends soon after its engine, however busy it is", async () => {
    const body = JSON.stringify({ busy: true });
    const engine = spawn(process.execPath, ["-e", ENGINE, program, body], { stdio: ["ignore", "pipe", "ignore"] });
    const pid = Number(await once(engine.stdout, "data"));
    const isThere = () => existsSync(`/proc/${pid}/exe`);
    onTestFinished(() => {
      engine.kill("SIGKILL");
      if (isThere()) process.kill(pid, "SIGKILL");
    });
    expect(isThere()).toBe(true);
    engine.kill("SIGKILL");
    await expect.poll(isThere).toBe(false);
  });

  test("a program that cannot be started is gone at once", async () => {
    const { execPath } = process;
    process.execPath = join(temporaryFolder(), "nothing");
    onTestFinished(() => {
      process.execPath = execPath;
    });
    const { child, next } = started();
    expect(child.pid).toBeUndefined();
    expect(child.send({ echo: 1 })).toBe(true);
    expect(await next()).toBeUndefined();
  });
});
