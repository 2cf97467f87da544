/** `generate --watch` as a real process with real files, ended by a signal. */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const snapshot = (...names: readonly string[]): string =>
  JSON.stringify({
    tools: names.map((name) => ({ name, description: `Do ${name}.`, inputSchema: { type: "object" } })),
  });

interface Watching {
  readonly root: string;
  readonly stderr: () => string;
  readonly stop: (signal: NodeJS.Signals) => Promise<number | null>;
}

function startWatching(extra: Readonly<Record<string, string>> = {}): Watching {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  const files = {
    "definitions/toolwright.yaml": "sources: [{ mcp: servers/*.json }, { mcp: ../elsewhere/*.json }]\n",
    ...extra,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a"));
  writeFileSync(join(root, "elsewhere/b.json"), snapshot("list_b"));
  const child = spawn(process.execPath, [
    join(CHECKOUT, "generator/launch.mjs"),
    "generate",
    "--watch",
    "--root",
    root,
  ]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const stop = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return ended;
  };
  return { root, stderr: () => stderr, stop };
}

const ops = (root: string): string => {
  const file = join(root, "generated/ops.ts");
  return existsSync(file) ? readFileSync(file, "utf8") : "";
};
const soon = (check: () => void): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 50 });
/** Ready for the next change: as many runs as that have ended. */
const runs = (one: Watching, count: number): Promise<void> =>
  soon(() => expect(one.stderr().split("watching definitions/").length - 1).toBe(count));

test("every change is generated: inside definitions/, outside, a new file; a fault is reported and can be fixed", async () => {
  const one = startWatching();
  const { root } = one;
  await runs(one, 1);
  expect(ops(root)).toContain('"a.list_a"');
  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a", "list_more"));
  await soon(() => expect(ops(root)).toContain('"a.list_more"'));
  expect(one.stderr()).toContain("changed: definitions/servers/a.json");
  await runs(one, 2);
  writeFileSync(join(root, "elsewhere/b.json"), snapshot("list_far"));
  await soon(() => expect(ops(root)).toContain('"b.list_far"'));
  await runs(one, 3);
  writeFileSync(join(root, "definitions/servers/c.json"), "{ broken");
  await soon(() => expect(one.stderr()).toContain("definitions/servers/c.json:1:3 error syntax-error"));
  expect(ops(root)).toContain('"b.list_far"');
  await runs(one, 4);
  writeFileSync(join(root, "definitions/.beside"), snapshot("list_mended"));
  renameSync(join(root, "definitions/.beside"), join(root, "definitions/servers/c.json"));
  await soon(() => expect(ops(root)).toContain('"c.list_mended"'));
  expect(await one.stop("SIGINT")).toBe(0);
}, 60_000);

test("a change of a file that a plugin imports, outside of definitions/, is a change", {
  timeout: 60_000,
  tags: "full",
}, async () => {
  const one = startWatching({
    "definitions/toolwright.yaml": "plugins: [../elsewhere/plugin.ts]\nsources: [{ mcp: servers/*.json }]\n",
    "elsewhere/plugin.ts": `import { name } from "./name.ts";
      export default { name, emitters: [{ name, emit: () => [{ path: name + ".txt", text: name }] }] };`,
    "elsewhere/name.ts": 'export const name = "first";',
  });
  await runs(one, 1);
  expect(readFileSync(join(one.root, "generated/first.txt"), "utf8")).toBe("first");
  writeFileSync(join(one.root, "elsewhere/name.ts"), 'export const name = "second";');
  await soon(() => expect(existsSync(join(one.root, "generated/second.txt"))).toBe(true));
  await runs(one, 2);
  expect(existsSync(join(one.root, "generated/first.txt"))).toBe(false);
  expect(await one.stop("SIGINT")).toBe(0);
});

test("of several changes at once the last one counts, and SIGTERM ends it as well", {
  timeout: 60_000,
  tags: "full",
}, async () => {
  const one = startWatching();
  await runs(one, 1);
  for (const name of ["list_1", "list_2", "list_3"])
    writeFileSync(join(one.root, "definitions/servers/a.json"), snapshot(name));
  await soon(() => expect(ops(one.root)).toContain('"a.list_3"'));
  expect(await one.stop("SIGTERM")).toBe(0);
});

test("definitions/ may go away and come back, as a checkout does it; then every change counts again", {
  timeout: 60_000,
  tags: "full",
}, async () => {
  const one = startWatching();
  const { root } = one;
  await runs(one, 1);
  renameSync(join(root, "definitions"), join(root, "away"));
  await soon(() => expect(one.stderr()).toContain("error project-missing"));
  await runs(one, 2);
  writeFileSync(join(root, "away/servers/a.json"), snapshot("list_back"));
  renameSync(join(root, "away"), join(root, "definitions"));
  await soon(() => expect(ops(root)).toContain('"a.list_back"'));
  await runs(one, 3);
  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_again"));
  await soon(() => expect(ops(root)).toContain('"a.list_again"'));
  expect(await one.stop("SIGINT")).toBe(0);
});
