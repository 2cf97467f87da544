/** `ot.reload` and SIGHUP: the configuration changes at once, or not at all. */

import { appendFileSync, cpSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import {
  CHECKOUT,
  generatedRoot,
  type Json,
  type Served,
  serve,
  serverCommand,
  toolwright,
} from "../support/project.js";
import { SCALE } from "../support/random.js";
import { SLOW } from "../support/run/run-demo.js";
import { type Side, sides } from "../support/servers/sides.js";

const DONE = "OK: Configuration reloaded";
const SIDE_A = join(CHECKOUT, "test/support/demos/sides/A");

async function text(client: Client, command: string): Promise<{ readonly text: string; readonly isError: boolean }> {
  const { content, isError } = await client.callTool({ name: "run", arguments: { command } });
  const [block] = content;
  return { text: block?.type === "text" ? block.text : "", isError: isError === true };
}

/** What all the ways to ask say of the side in force: each must carry the same letter. */
const SAYS = `pause = mark.wait(ms=20)
f"{mine()} {pause} {ot.config()['aliases']['mine'][-1]} {ot.tools(pattern='only', info='list')[0][-1]} {ot.packs(pattern='mark', info='full')[0]}"`;

const letters = (said: string): ReadonlySet<string> =>
  new Set(
    [...said.matchAll(/\b([AB])\b|only_([ab])|'([ab])\b/g)].map((found) => found.slice(1).join("").toUpperCase()),
  );

async function serveRoot(root: string, flags: readonly string[] = []): Promise<Served> {
  const server = await serve(root, flags);
  onTestFinished(() => server.close());
  return server;
}

test("[OT-5.1] reload config: aliases, instructions, snippets and the registry are read again", {
  timeout: SLOW,
}, async () => {
  const { root, show } = await sides(onTestFinished);
  const { client, call } = await serveRoot(root);
  expect((await text(client, "$hi")).text).toBe("A");
  const said = (await text(client, SAYS)).text;
  expect([...letters(said)]).toEqual(["A"]);
  show("B");
  expect([...letters((await text(client, SAYS)).text)]).toEqual(["A"]);
  expect(await text(client, "ot.reload()")).toEqual({ text: DONE, isError: false });
  expect([...letters((await text(client, SAYS)).text)]).toEqual(["B"]);
  expect((await text(client, "$hi")).text).toBe("B");
  expect(said.replaceAll("A", "B").replaceAll("_a", "_b")).toContain("Instructions B.");

  show("A");
  const { value } = await call("tool_exec", { op: "ot.reload" });
  expect(value).toMatchObject({ ok: true, result: DONE });
  expect((await call("tool_exec", { op: "mine" })).value).toMatchObject({
    ok: true,
    result: "A",
    meta: { executed_op: "mark.only_a" },
  });
  const { stdout } = await toolwright(["exec", "ot.reload", "--json", "--root", root]);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: DONE });
});

test("[OT-5.1] what cannot be used is refused with its place, and the old stays", { timeout: SLOW }, async () => {
  const root = await generatedRoot(SIDE_A);
  const { client } = await serveRoot(root);
  const file = join(root, "definitions", "toolwright.yaml");
  const good = readFileSync(file, "utf8");
  const refused = async (why: RegExp): Promise<void> => {
    const answer = await text(client, "ot.reload()");
    expect(answer.text).toMatch(why);
    expect(answer.isError).toBe(true);
    expect((await text(client, "mine()")).text).toBe("A");
  };
  appendFileSync(file, "alias: { x: mark.only_a }\n");
  await refused(/^Error: Configuration not reloaded: definitions\/toolwright\.yaml:4 .*'?aliases'?/);
  writeFileSync(file, `${good}state: "\${UNSET_VARIABLE}"\n`);
  await refused(/^Error: Configuration not reloaded: .*UNSET_VARIABLE/);
  writeFileSync(file, "sources: [\n");
  await refused(/^Error: Configuration not reloaded: definitions\/toolwright\.yaml:\d/);
  writeFileSync(file, good.replace("mark.only_a", "mark.nowhere"));
  await refused(/^Error: Configuration not reloaded: [\s\S]*definitions\/toolwright\.yaml:3:\d+ .*mark\.nowhere/);
  writeFileSync(file, good);

  const index = join(root, "generated", "help", "index.json");
  const help = readFileSync(index, "utf8");
  writeFileSync(index, help.replace(/"registry_version": "./, '"registry_version": "x'));
  await refused(/^Error: Configuration not reloaded: generated\/.* of two builds/);
  unlinkSync(index);
  await refused(/^Error: Configuration not reloaded: there is no generated\/help\/index.json/);
  writeFileSync(index, help);
  expect(await text(client, "ot.reload()")).toEqual({ text: DONE, isError: false });
});

test("[OT-5.1] definitions that are newer than generated/ are reported by ot.health and the log, not by ot.reload", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const root = await generatedRoot(SIDE_A);
  const { client, call, stderr } = await serveRoot(root);
  const registry = async (): Promise<Json> => (await call("tool_exec", { op: "ot.health" })).value.result.registry;
  expect(await registry()).toEqual({ status: "ok", tool_count: expect.any(Number) });
  appendFileSync(
    join(root, "definitions", "mark.ts"),
    "\n/** More. */\nexport function more(): string { return '' }\n",
  );
  expect(await text(client, "ot.reload()")).toEqual({ text: DONE, isError: false });
  const told = 'generated/ is older than definitions/mark.ts: run "toolwright generate"';
  expect(await registry()).toEqual({ status: "stale", tool_count: expect.any(Number), remedy: told });
  expect(stderr()).toContain(JSON.stringify(told));
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  expect(await text(client, "ot.reload()")).toEqual({ text: DONE, isError: false });
  expect(await registry()).toEqual({ status: "ok", tool_count: expect.any(Number) });
});

test("a caller that may only read cannot reload, nor see that it could", { tags: "full", timeout: SLOW }, async () => {
  const root = await generatedRoot(SIDE_A);
  appendFileSync(join(root, "definitions", "toolwright.yaml"), "access: { local: read }\n");
  const { call } = await serveRoot(root);
  const { value } = await call("tool_exec", { op: "ot.reload" });
  expect(value.error).toMatchObject({ code: "NOT_FOUND" });
});

test("the current configuration decides the access of the caller", { timeout: SLOW }, async () => {
  const root = await generatedRoot(SIDE_A);
  const { call } = await serveRoot(root);
  appendFileSync(join(root, "definitions", "toolwright.yaml"), "access: { local: read }\n");
  expect((await call("tool_exec", { op: "ot.reload" })).value.result).toContain(DONE);
  expect((await call("tool_exec", { op: "ot.reload" })).value).toMatchObject({ error: { code: "NOT_FOUND" } });
});

test("a run continues with the configuration that it began with", { timeout: SLOW }, async () => {
  const { root, show } = await sides(onTestFinished);
  const { client } = await serveRoot(root);
  // Code of handlers is read when it is first needed; from then on it stays.
  await text(client, "mine()");
  const long = text(client, `first = mine()\nmark.wait(ms=1500)\n[first, mine(), mark.which(side=first)]`);
  await sleep(500);
  show("B");
  expect((await text(client, "[ot.reload(), mine()]")).text).toBe(`["${DONE}","A"]`);
  expect((await text(client, "mine()")).text).toBe("B");
  expect(await long).toEqual({ text: '["A","A","AA"]', isError: false });
});

test("clients are notified, and list the current tools", { tags: "full", timeout: SLOW }, async () => {
  const { root, show } = await sides(onTestFinished);
  const { client } = await serveRoot(root);
  const told = new Promise<void>((resolve) => {
    client.setNotificationHandler("notifications/tools/list_changed", () => resolve());
  });
  const index = async () => (await client.listTools()).tools.find(({ name }) => name === "run")?.description;
  expect(await index()).toContain("only_a");
  show("B");
  await text(client, "ot.reload()");
  await told;
  expect(await index()).toContain("only_b");
  expect(await index()).not.toContain("only_a");
});

test.runIf(process.platform !== "win32")(
  "SIGHUP reloads and says so in the log",
  { timeout: SLOW, tags: "slow" },
  async () => {
    const { root, show } = await sides(onTestFinished);
    const transport = new StdioClientTransport(serverCommand(root, ["--log-level", "info"]));
    const client = new Client({ name: "test", version: "1" });
    let lines = "";
    transport.stderr?.on("data", (chunk) => (lines += String(chunk)));
    await client.connect(transport);
    onTestFinished(() => client.close());
    expect((await text(client, "mine()")).text).toBe("A");
    show("B");
    process.kill(transport.pid ?? 0, "SIGHUP");
    await expect.poll(async () => (await text(client, "mine()")).text, { timeout: SLOW / 4 }).toBe("B");
    expect(lines).toContain(DONE);
    rmSync(join(root, "generated"));
    process.kill(transport.pid ?? 0, "SIGHUP");
    await expect.poll(() => lines, { timeout: SLOW / 4 }).toContain("Configuration not reloaded");
    expect((await text(client, "mine()")).text).toBe("B");
  },
);

test("validators that were written since the start are not mixed with the registry in force", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await generatedRoot(SIDE_A);
  const other = await generatedRoot(join(CHECKOUT, "test/support/demos/sides/B"));
  const { call } = await serveRoot(root);
  cpSync(join(other, "generated", "validators"), join(root, "generated", "validators"), { recursive: true });
  const { value } = await call("tool_exec", { op: "mark.which", args: { side: "A" } });
  expect(value.error).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("ot.reload()") });
});

const CALLS = Math.round(10_000 * SCALE);
const RELOADS = Math.max(2, Math.round(50 * SCALE));
const WORKERS = 8;

/** Ways to ask; each gives the letters of its answer, of which there must be one. */
const ASKS: readonly ((server: Served) => Promise<ReadonlySet<string>>)[] = [
  async ({ call }) => {
    const { value } = await call("tool_exec", { op: "mine" });
    return new Set([value.result, value.meta.executed_op.at(-1).toUpperCase()]);
  },
  async ({ call }) => {
    const { value } = await call("tool_help", { path: "mark", format: "full" });
    return letters(JSON.stringify(value));
  },
  async ({ call }) => {
    const ops = ["mine", "mark.wait", "mine"].map((op) => ({ type: "exec", op, args: op === "mine" ? {} : { ms: 3 } }));
    const { value } = await call("tool_batch", { ops });
    return new Set(value.results.map((one: Json) => one.result));
  },
  async ({ client }) => letters((await text(client, SAYS.replace("20", "3"))).text),
];

test(`${CALLS} calls during ${RELOADS} reloads: none is lost, none sees two configurations`, {
  tags: "full",
  timeout: 600_000,
}, async () => {
  const { root, show } = await sides(onTestFinished);
  const server = await serveRoot(root);
  const seen = { A: 0, B: 0 };
  const mixed: string[] = [];
  let left = CALLS;
  const work = async (): Promise<void> => {
    while (left-- > 0) {
      const found = await ASKS[left % ASKS.length]?.(server);
      const [side] = found ?? [];
      if (found?.size === 1 && (side === "A" || side === "B")) seen[side]++;
      else mixed.push([...(found ?? [])].join(" "));
    }
  };
  let done = false;
  const reloads: string[] = [];
  const reload = async (): Promise<void> => {
    for (let n = 1; n <= RELOADS; n++) {
      const share = Math.round((CALLS * n) / (RELOADS + 1));
      while (CALLS - left < share && !done) await sleep(2);
      show((["A", "B"] as const)[n % 2] as Side);
      reloads.push((await server.call("tool_exec", { op: "ot.reload" })).value.result);
    }
  };
  const working = Promise.all(Array.from({ length: WORKERS }, work)).finally(() => {
    done = true;
  });
  await Promise.all([working, reload()]);
  expect(mixed).toEqual([]);
  expect(seen.A + seen.B).toBe(CALLS);
  expect(Math.min(seen.A, seen.B)).toBeGreaterThan(CALLS / 5);
  expect(reloads).toEqual(Array.from({ length: RELOADS }, () => DONE));
});
