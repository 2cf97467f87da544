/** The process of an upstream server: it ends with its transport, whenever that is closed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { processTransport } from "../../../runtime/upstream/process.js";
import { temporaryFolder } from "../../support/project.js";
import { lives } from "../../support/upstream/upstreams.js";

/** Writes its id, and never ends by itself. */
const PROGRAM = 'require("node:fs").writeFileSync(process.argv[1], String(process.pid)); setInterval(() => {}, 1000);';

test("a transport that is closed while its process starts leaves no process behind", async () => {
  const cwd = temporaryFolder();
  const file = join(cwd, "pid");
  const command = { command: process.execPath, args: ["-e", PROGRAM, file], env: { PATH: process.env["PATH"] ?? "" } };
  const transport = processTransport({ ...command, cwd, messageBytes: 1000, graceMs: 2000 });
  const starting = transport.start();
  await transport.close();
  await expect(starting).rejects.toThrow("the server was closed while it started");
  expect(lives(Number(readFileSync(file, "utf8")))).toBe(false);
});
