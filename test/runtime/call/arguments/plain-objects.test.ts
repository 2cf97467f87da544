/** Handlers get plain objects, and functions with one map as their parameter get it whole. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, type Served, serve, temporaryFolder, toolwright } from "../../../support/project.js";

const SLOW = 120_000;

const PACK = `
import { MessageChannel } from "node:worker_threads";

/** Sends the value to another thread, and says what arrives. */
export async function send(value: Record<string, unknown>): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  const arrived = new Promise((resolve) => port2.once("message", resolve));
  port1.postMessage(structuredClone(value));
  try {
    return await arrived;
  } finally {
    port1.close();
  }
}

/** Gives back one value of any kind. */
export function give(value: unknown): unknown {
  return { value: structuredClone(value) };
}

/** Counts the members. */
export function count(labels?: Record<string, string>): number {
  return Object.keys(labels ?? {}).length;
}

/** Gives a map whose years stand behind a word. */
export function years(): unknown {
  return { b: 1, "2024": { z: 1, "1": 2 } };
}
`;

let served: Served;
const cleaning: (() => unknown)[] = [];
const run = async (command: string): Promise<Json> => {
  const { content } = (await served.client.callTool({ name: "run", arguments: { command } })) as Json;
  return JSON.parse(content[0].text);
};
const exec = async (op: string, args: unknown): Promise<Json> => (await served.call("tool_exec", { op, args })).value;

beforeAll(async () => {
  const root = temporaryFolder((clean) => void cleaning.push(clean));
  mkdirSync(join(root, "definitions", "packs"), { recursive: true });
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    'sources: [{ functions: "packs/*.ts" }]\naccess: { allow_write: true }\n',
  );
  writeFileSync(join(root, "definitions", "packs", "map.ts"), PACK);
  const { code, stdout, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stdout + stderr);
  served = await serve(root);
  cleaning.push(() => served.close());
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const DEEP = { b: 1, "2024": { z: [{ y: 1, "7": 2, "3": null }], "1": 2 }, "10": 1.5 };

test("objects with keys like numbers can be cloned and sent, from every entry", { timeout: SLOW }, async () => {
  expect((await exec("map.send", { value: DEEP })).result).toEqual(DEEP);
  expect((await exec("map.send", JSON.stringify({ value: DEEP }))).result).toEqual(DEEP);
  const literal = '{"b": 1, "2024": {"z": [{"y": 1, "7": 2, "3": None}], "1": 2}, "10": 1.5}';
  expect(await run(`map.send(value=${literal})`)).toEqual(DEEP);
  expect(await run(`map.send(${literal})`)).toEqual(DEEP);
  const ops = [
    { op: "map.years", id: "y" },
    { op: "map.send", args: { value: { "2": 1, given: { $ref: "y#/result" } } } },
  ];
  const { results } = (await served.call("tool_batch", { ops })).value;
  expect(results[1].result).toEqual({ "2": 1, given: { b: 1, "2024": { z: 1, "1": 2 } } });
});

test("a parameter of any type is one argument", { timeout: SLOW }, async () => {
  for (const value of [{ a: 1 }, [1, "x"], "", 0, false, null]) {
    expect((await exec("map.give", { value })).result).toEqual({ value });
    expect(
      await run(`map.give(value=${value === null ? "None" : value === false ? "False" : JSON.stringify(value)})`),
    ).toEqual({ value });
  }
  expect((await exec("map.count", { labels: { a: "1", "b-c": "" } })).result).toBe(2);
  expect((await exec("map.count", {})).result).toBe(0);
  expect((await exec("map.count", { labels: null })).result).toBe(0);
  expect(await run("map.count(labels=None)")).toBe(0);
  expect((await exec("map.count", { a: "1" })).error.details.field_errors[0].path).toBe("a");
});
