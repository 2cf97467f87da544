/** Retries of writes under their idempotency key. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHECKOUT, generatedRoot, type Json, type Served, serve, serverCommand } from "../support/project.js";

const cleaning: (() => void)[] = [];
let root = "";
let server: Served;

beforeAll(async () => {
  root = await generatedRoot(
    join(CHECKOUT, "test/support/demos/retry-demo/definitions"),
    (one) => void cleaning.push(one),
  );
  server = await serve(root, ["--allow-write"]);
});
afterAll(async () => {
  await server.close();
  for (const one of cleaning) one();
});

const exec = async (op: string, args: object, idempotency_key: string): Promise<Json> =>
  (await server.call("tool_exec", { op: `journal.${op}`, args, idempotency_key })).value;

/** A file of its own for each test. */
const place = (name: string): string => join(root, name);
const linesOf = (file: string): readonly string[] =>
  existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries++) await sleep(10);
  expect(isSo()).toBe(true);
}

test("[GW-3.8] a write that is done is answered again from what was kept, and not done again", async () => {
  const file = place("done");
  const first = await exec("append", { file, text: "one" }, "k");
  const { trace_id, latency_ms, ...meta } = first.meta;
  expect(first).toMatchObject({ op: "journal.append", ok: true, result: { line: 1 } });
  const second = await exec("append", { text: "one", file }, "k");
  const { trace_id: other, latency_ms: _, ...again } = second.meta;
  expect({ ...second, meta: again }).toEqual({ ...first, meta: { ...meta, replayed: true } });
  expect(other).not.toBe(trace_id);
  expect(latency_ms).toBeGreaterThanOrEqual(0);
  expect(linesOf(file)).toEqual(["one"]);
});

test("[GW-3.8] the same key with other arguments is CONFLICT; another op may use it", async () => {
  const file = place("other");
  await exec("append", { file, text: "one" }, "k-other");
  const { error } = await exec("append", { file, text: "two" }, "k-other");
  expect(error).toMatchObject({
    code: "CONFLICT",
    details: { reason: "different_arguments" },
    help_path: "journal.append",
  });
  expect(linesOf(file)).toEqual(["one"]);
  writeFileSync(place("go-other"), "");
  const slowly = await exec("append_slowly", { file, until: place("go-other") }, "k-other");
  expect(slowly).toMatchObject({ ok: true, result: { line: 2 } });
  expect(slowly.meta).not.toHaveProperty("replayed");
});

test("[GW-3.8] while the first call is in flight the same key is CONFLICT", async () => {
  const file = place("slow");
  const args = { file, until: place("go") };
  const first = exec("append_slowly", args, "k-slow");
  await until(() => linesOf(file).length === 1);
  expect((await exec("append_slowly", args, "k-slow")).error).toMatchObject({
    code: "CONFLICT",
    details: { reason: "in_flight" },
  });
  expect((await exec("append_slowly", { ...args, until: file }, "k-slow")).error).toMatchObject({
    code: "CONFLICT",
    details: { reason: "different_arguments" },
  });
  writeFileSync(args.until, "");
  expect(await first).toMatchObject({ ok: true, result: { line: 1 } });
  expect(await exec("append_slowly", args, "k-slow")).toMatchObject({
    ok: true,
    result: { line: 1 },
    meta: { replayed: true },
  });
  expect(linesOf(file)).toEqual(["slow"]);
});

test("[GW-3.8] a call that failed may be sent again", async () => {
  const args = { file: place("failed") };
  expect((await exec("append_at_last", args, "k-failed")).error).toMatchObject({ code: "UNAVAILABLE" });
  const second = await exec("append_at_last", args, "k-failed");
  expect(second).toMatchObject({ ok: true, result: { line: 2 } });
  expect(second.meta).not.toHaveProperty("replayed");
  expect(await exec("append_at_last", args, "k-failed")).toMatchObject({
    result: { line: 2 },
    meta: { replayed: true },
  });
  expect(linesOf(args.file)).toEqual(["tried", "tried"]);
});

test("[GW-3.8] after a crash a write with an unknown outcome is CONFLICT, and not repeated", {
  timeout: 60_000,
}, async () => {
  const args = { file: place("crash"), until: place("never") };
  const call = { op: "journal.append_slowly", args, idempotency_key: "k-crash" };
  const transport = new StdioClientTransport(serverCommand(root, ["--allow-write"]));
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const lost = client.callTool({ name: "tool_exec", arguments: call }).catch(() => undefined);
  await until(() => linesOf(args.file).length === 1);
  if (transport.pid) process.kill(transport.pid, "SIGKILL");
  await Promise.all([lost, client.close()]);
  // The claim of a dead process lasts until its lease expires.
  const answer = async (): Promise<Json> => (await exec("append_slowly", args, "k-crash")).error;
  let error = await answer();
  for (let tries = 0; tries < 60 && error.details.reason === "in_flight"; tries++) {
    await sleep(500);
    error = await answer();
  }
  expect(error).toMatchObject({ code: "CONFLICT", details: { reason: "outcome_unknown" } });
  expect(linesOf(args.file)).toEqual(["slow"]);
});
