/** Standard output that cannot be written. */

import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { CHECKOUT } from "../../support/project.js";

const LAUNCHER = fileURLToPath(new URL("../../../generator/launch.mjs", import.meta.url));

const onFullDisk = (args: readonly string[], input = "") =>
  new Promise<{ readonly code: number | null; readonly stderr: string }>((resolve) => {
    const stdio = ["pipe", openSync("/dev/full", "w"), "pipe"] as const;
    const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: CHECKOUT, stdio: [...stdio] });
    let stderr = "";
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.stdin?.end(input);
    child.once("close", (code) => resolve({ code, stderr }));
  });

test
  .runIf(process.platform === "linux")
  .each([[["--version"]], [["help"]], [["exec", "onto.task.list", "--json"]], [["serve", "--stdio"]]] as const)(
  "a full disk under %j is one sentence",
  { timeout: 120_000 },
  async (args) => {
    const initialize = {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
    };
    const { code, stderr } = await onFullDisk(args, args[0] === "serve" ? `${JSON.stringify(initialize)}\n` : "");
    expect(code).toBe(2);
    expect(stderr).toContain("error standard output cannot be written: the disk is full\n");
    expect(stderr).not.toMatch(/^ {4}at /m);
  },
);

test("half of a pair of UTF-16 leaves exec as U+FFFD", { timeout: 120_000 }, async () => {
  const args = ["exec", "onto.task.list", "--args", '{"\\ud800":"\\udfff"}', "--json"];
  const child = spawn(process.execPath, [LAUNCHER, ...args], { cwd: CHECKOUT, stdio: ["ignore", "pipe", "ignore"] });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  await new Promise((resolve) => child.once("close", resolve));
  expect(Object.keys(JSON.parse(stdout).error.corrected_call.args)).toEqual(["\ufffd"]);
});
