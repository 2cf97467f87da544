/** `toolwright serve --watch` as a client and a person see it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { watchServed } from "../../../generator/cli/watch-served.js";
import { type Json, serve, temporaryFolder, toolwright } from "../../support/project.js";
import { onTerminal } from "../../support/terminal.js";

const snapshot = (...names: readonly string[]): string =>
  JSON.stringify({
    tools: names.map((name) => ({ name, description: `Do ${name}.`, inputSchema: { type: "object" } })),
  });

function project(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  mkdirSync(join(root, "elsewhere"));
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "sources: [{ mcp: servers/*.json }, { mcp: ../elsewhere/*.json }]\n",
  );
  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a"));
  writeFileSync(join(root, "elsewhere/b.json"), snapshot("list_b"));
  return root;
}

const soon = (check: () => void | Promise<void>): Promise<void> => vi.waitFor(check, { timeout: 60_000, interval: 50 });

test("a change is generated and served, clients are told, a line each; a fault keeps what is served", {
  tags: "full",
  timeout: 120_000,
}, async () => {
  const root = project();
  const { client, call, stderr, close } = await serve(root, ["--watch", "--log-level", "info"]);
  onTestFinished(close);
  let told = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void told++);
  const lines = (): readonly Json[] =>
    stderr()
      .split("\n")
      .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []));
  const says = (text: RegExp | string) => () =>
    expect(lines().map(({ msg }) => msg)).toContainEqual(expect.stringMatching(text));
  const has = async (path: string) => (await call("tool_help", { path })).value.type;
  await soon(says("watching definitions/ for changes"));
  expect(await has("a.list_a")).toBe("op");

  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a", "list_more"));
  await soon(says("reloaded: clients are told with list_changed"));
  says(/^changed: definitions\/servers\/a\.json$/)();
  says(/^generated: \d+ ops?, \d+ files? written$/)();
  expect(await has("a.list_more")).toBe("op");
  await soon(() => expect(told).toBeGreaterThan(0));

  writeFileSync(join(root, "definitions/servers/a.json"), "{ broken");
  await soon(says("not reloaded: what was served before is still served"));
  says(/^definitions\/servers\/a\.json:1:3 error syntax-error/)();
  expect(lines().filter(({ level }) => level >= 50).length).toBe(2);
  expect(await has("a.list_more")).toBe("op");

  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a"));
  writeFileSync(join(root, "elsewhere/b.json"), snapshot("list_far"));
  await soon(async () => expect(await has("b.list_far")).toBe("op"));
  expect(await has("a.list_more")).toBe("not_found");
});

test("what was edited while the server started is generated", async () => {
  const root = project();
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_a", "list_more"));
  const [end, said] = [new AbortController(), [] as string[]];
  const say = (text: string): void => void said.push(text);
  const log = { info: say, warn: say, error: say };
  const generate = async () => {
    end.abort();
    return { ok: true, ops: 1, written: 1 } as const;
  };
  const features = async () => [];
  await watchServed(
    { root, home: ".onetool", generate, features },
    { log, reload: async () => "OK: done" },
    end.signal,
  );
  expect(said).toEqual(["watching definitions/ for changes", "changed: definitions/servers/a.json"]);
}, 120_000);

test("a changed file of a feature that the server has loaded asks for a restart; others do not", {
  timeout: 120_000,
}, async () => {
  const root = temporaryFolder();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const feature = (name: string): string =>
    `import { defineFeature } from "toolwright/feature";
export default defineFeature({ name: "${name}", serve: async () => (await import("./serve.js")).serve });
`;
  write(
    "definitions/toolwright.yaml",
    "use: []\nsources: []\ntrust: local\nplugins: [./quota/feature.ts, ../beside/feature.ts]\n",
  );
  write("definitions/quota/feature.ts", feature("quota"));
  write("definitions/quota/serve.ts", 'export { serve } from "./part.js";\n');
  write("definitions/quota/part.ts", "export const serve = () => undefined;\n");
  write("definitions/quota/notes.md", "");
  write("beside/feature.ts", feature("beside"));
  write("beside/serve.ts", "export const serve = () => undefined;\n");
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0 });
  const { stderr, close } = await serve(root, ["--watch", "--log-level", "info"]);
  onTestFinished(close);
  const says = (text: string) => soon(() => expect(stderr()).toContain(text));
  await says("watching definitions/ for changes");
  const asked = (): readonly string[] =>
    [...stderr().matchAll(/"msg":"([^"]*restart the server[^"]*)"/g)].map(([, text = ""]) => text);
  const line = (name: string, origin: string, file: string): string =>
    `the feature ${name} (${origin}) has changed in ${file}: restart the server, which has loaded its code and loads it once`;

  write("definitions/quota/notes.md", "a note");
  await says("changed: definitions/quota/notes.md");
  await says("reloaded");
  expect(asked()).toEqual([]);
  write("definitions/quota/part.ts", "export const serve = () => ({});\n");
  const first = line("quota", "./quota/feature.ts", "definitions/quota/part.ts");
  await soon(() => expect(asked()).toEqual([first]));
  write("beside/serve.ts", "a fault of syntax");
  const second = line("beside", "../beside/feature.ts", "beside/serve.ts");
  await soon(() => expect(asked()).toEqual([first, second]));
});

test("on a terminal generate shows a bar, and the log has lines for people", {
  timeout: 120_000,
  tags: "full",
}, async ({ skip }) => {
  const root = project();
  const ran = await onTerminal(["generate", "--root", root, "--stats"]);
  if (!ran) return skip("python3 is not there");
  expect(ran.text).toMatch(/█+░+ 4\/9 normalize {2}\d+ tools {2}\d+\.\d s/);
  expect(ran.text).toMatch(/emit +\d+\.\d ms {2}\d+ files/);
  const served = await onTerminal(["serve", "--http", "0", "--watch", "--root", root], {
    steps: [["watching definitions/", "\u0003"]],
  });
  expect(served?.code).toBe(0);
  expect(served?.text).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: watching definitions\/ for changes\r?$/m);
  expect(served?.text).not.toContain('{"level"');
});

test("generate --json says how many tools each stage gave", { tags: "full" }, async () => {
  const root = project();
  const {
    counts,
    timings_ms: timings,
    ops,
  } = JSON.parse((await toolwright(["generate", "--root", root, "--json"])).stdout);
  expect(Object.keys(counts)).toEqual(Object.keys(timings).filter((one) => one !== "load"));
  expect(counts.normalize).toBe(ops);
});
