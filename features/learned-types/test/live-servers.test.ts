/**
 * Real servers that declare nothing: their types are learned from varied calls, and a served project reports each change of
 * their results, and none of results as they were. `features/learned-types/bench/coverage.ts` has the figures of all calls.
 */

import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";
import { pick } from "../../../test/support/live/arguments.js";
import { type Answer, callAll } from "../../../test/support/live/call.js";
import { type Change, changed } from "../../../test/support/live/changes.js";
import { type LiveServer, referenceServers } from "../../../test/support/live/servers.js";
import { type Json, serverCommand, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { readLearned } from "../learned-file.js";

const CALLS = Math.max(40, Math.round(200 * SCALE));
const CHANGES = 20;
const SEED = 25;
const ALTERING = fileURLToPath(new URL("../../../test/support/live/altering.mjs", import.meta.url));

/** The same server behind a program that changes what it answers. */
const altered = ({ entry }: LiveServer, changeFile: string) => ({
  ...entry,
  args: [ALTERING, changeFile, entry.command ?? "", ...(entry.args ?? [])],
  command: process.execPath,
});

async function project(servers: readonly LiveServer[], changeFile: string): Promise<string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  const config = {
    use: ["ot"],
    sources: [{ mcp: "servers/*.json" }],
    access: { allow_write: true },
    servers: Object.fromEntries(servers.map((one) => [one.name, altered(one, changeFile)])),
  };
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  return root;
}

/** Records answers on two days, and learns from them. */
async function learn(root: string, answers: ReadonlyMap<string, readonly Answer[]>): Promise<void> {
  mkdirSync(join(root, "samples"));
  for (const [op, all] of answers) {
    const line = ({ args, result }: Answer, at: number) =>
      JSON.stringify({ args, result, day: `2026-11-0${1 + (at % 2)}` });
    writeFileSync(join(root, "samples", `${op}.ndjson`), all.map(line).join("\n"));
  }
  await must(root, "learn", "--from", "samples");
}

async function must(root: string, ...words: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await toolwright([...words, "--root", root]);
  if (code !== 0) throw new Error(`${words.join(" ")}: ${stdout}${stderr}`);
}

interface Planned {
  readonly op: string;
  readonly args: Answer["args"];
  readonly change: Change;
}

/** Seeded changes of results that were recorded. */
function plannedChanges(root: string, answers: ReadonlyMap<string, readonly Answer[]>): () => Planned {
  const random = randomOf(SEED);
  const locked = ["filesystem", "memory", "thinking", "everything"].flatMap((pack) => {
    const file = join(root, "definitions/learned", `${pack}.json`);
    return existsSync(file)
      ? [...readLearned(readFileSync(file, "utf8"))].filter(([, one]) => one.level === "locked")
      : [];
  });
  return () => {
    for (;;) {
      const [op, { schema }] = pick(locked, random);
      const { args, result } = pick(answers.get(op) ?? [], random);
      const change = changed(result, schema, random);
      if (change) return { op, args, change };
    }
  };
}

async function served(root: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport(serverCommand(root)));
  onTestFinished(() => client.close());
  return client;
}

async function exec(client: Client, op: string, args: object): Promise<Json> {
  const { structuredContent } = await client.callTool({ name: "tool_exec", arguments: { op, args } as never });
  return structuredContent;
}

/** Results that differed, of all ops. */
async function drifted(client: Client): Promise<number> {
  const { result } = await exec(client, "ot.stats", {});
  return (result.tools as readonly Json[]).reduce((sum, one) => sum + Number(one["drifted"] ?? 0), 0);
}

test("each of 20 seeded changes is reported, and no result as it was", { tags: "full", timeout: 900_000 }, async () => {
  const files = realpathSync(temporaryFolder());
  const changeFile = join(files, "change.json");
  const done = `${changeFile}.done`;
  const none = (): void => writeFileSync(changeFile, "{}");
  none();
  writeFileSync(done, "");
  const servers = referenceServers(files);
  const root = await project(servers, changeFile);
  for (const command of ["snapshot", "generate"]) await must(root, command);
  const answers = new Map<string, readonly Answer[]>();
  for (const one of servers)
    for (const { tool, answers: own } of await callAll(one, files, CALLS, SEED))
      if (own.length > 0) answers.set(`${one.name}.${tool.op.replaceAll("-", "_")}`, own);
  await learn(root, answers);
  await must(root, "generate");

  const next = plannedChanges(root, answers);
  const client = await served(root);
  let changes = 0;
  for (let at = 0; changes < CHANGES; at++) {
    expect(at).toBeLessThan(10 * CHANGES);
    const { op, args, change } = next();
    none();
    await exec(client, op, args);
    writeFileSync(
      changeFile,
      JSON.stringify({ tool: op.slice(op.indexOf(".") + 1), path: change.path, kind: change.kind }),
    );
    await exec(client, op, args);
    changes = readFileSync(done, "utf8").split("\n").length - 1;
  }
  none();
  await vi.waitFor(async () => expect(await drifted(client)).toBe(changes), { timeout: 120_000, interval: 2000 });
});
