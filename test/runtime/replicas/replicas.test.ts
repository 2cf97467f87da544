/** Three servers with disks of their own on one PostgreSQL, called in turn, as behind a balancer without sticky routing. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { HttpServed } from "../../support/http.js";
import { exec, LIST } from "../../support/outage.js";
import { type Json, temporaryFolder } from "../../support/project.js";
import { SCALE } from "../../support/random.js";
import { olderCaller, p99, type Replicas, startReplicas } from "../../support/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 300_000;
/** Times that something is measured. */
const TIMES = Math.max(3, Math.round(100 * SCALE));
/** Longest time that a message between servers may take, and a default run on a busy machine. */
const MOST_MS = SCALE === 1 ? 100 : 1500;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const holds = (file: string, text: string) =>
  expect.poll(() => read(file), { timeout: 20_000, interval: 2 }).toBe(text);

describe.skipIf(NO_DATABASE !== "")(`three servers on one PostgreSQL${NO_DATABASE}`, () => {
  let replicas: Replicas;
  beforeAll(async () => {
    const { href: url } = await startSharedDatabase(later);
    replicas = await startReplicas({ url, later });
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  /** Two different servers, others each time. */
  const pair = (): readonly [HttpServed, HttpServed] => [replicas.next(), replicas.next()];

  test("a call is cancelled by a notification at any server", { timeout: SLOW }, async () => {
    const times: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const [one, other] = pair();
      const client = await olderCaller(one, replicas.key);
      const file = join(temporaryFolder(), "held");
      const params = { name: "tool_exec", arguments: { op: "demo.hold", args: { file, until: "/nowhere/at/all" } } };
      const call = client.send(one, { id: "held", method: "tools/call", params }).catch((error: unknown) => error);
      await holds(file, "started\n");
      const stranger = await olderCaller(other, replicas.key);
      const cancelled = { method: "notifications/cancelled", params: { requestId: "held" } };
      await stranger.send(other, cancelled);
      const began = performance.now();
      await client.send(other, cancelled);
      await holds(file, "started\naborted\n");
      times.push(performance.now() - began);
      await call;
    }
    console.log(`cancelled: p99 ${p99(times).toFixed(1)} ms of ${times.length}`);
    expect(p99(times)).toBeLessThan(MOST_MS);
  });

  test("a question is answered at any server, by the client that was asked, once", { timeout: SLOW }, async () => {
    const times: number[] = [];
    for (let time = 0; time < TIMES; time++) {
      const [one, other] = pair();
      const client = await olderCaller(one, replicas.key);
      const stranger = await olderCaller(other, replicas.key);
      const answered: Promise<void>[] = [];
      let began = 0;
      const answer = async ({ id }: Json): Promise<void> => {
        const message = { id, result: { action: "accept", content: { name: "Anna", about: "ü".repeat(5000) } } };
        await expect(stranger.send(other, message)).rejects.toThrow(/^400 .+No call waits for this answer/);
        began = performance.now();
        await client.send(other, message);
        await expect(client.send(other, message)).rejects.toThrow(/^400 .+No call waits for this answer/);
      };
      const params = { name: "tool_exec", arguments: { op: "older.ask" } };
      const messages = await client.send(one, { id: "asked", method: "tools/call", params }, (message) => {
        if (message.method === "elicitation/create") answered.push(answer(message));
      });
      times.push(performance.now() - began);
      expect(answered).toHaveLength(1);
      await answered[0];
      const { result } = messages.find(({ id }) => id === "asked");
      expect(result.structuredContent).toMatchObject({ ok: true, result: { content: { name: "Anna" } } });
    }
    console.log(`answered: p99 ${p99(times).toFixed(1)} ms of ${times.length}`);
    expect(p99(times)).toBeLessThan(MOST_MS);
  });
});

describe.skipIf(NO_DATABASE !== "")("the rate of a key", { tags: "full" }, () => {
  const RATE = { burst: 60, per_second: 40 };
  afterAll(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  test("three servers admit burst + rate × time, whichever of them is called", { timeout: SLOW }, async () => {
    const { href: url } = await startSharedDatabase(later);
    const replicas = await startReplicas({ url, config: { access: { rate: RATE } }, later });
    const began = performance.now();
    let admitted = 0;
    const caller = async (): Promise<void> => {
      while (performance.now() - began < 3000) {
        const { status, answer } = await exec(replicas.next(), LIST, replicas.key);
        if (status === 200) admitted++;
        else expect([status, answer.error.code]).toEqual([429, "RATE_LIMITED"]);
      }
    };
    await Promise.all(Array.from({ length: 12 }, caller));
    const most = RATE.burst + (RATE.per_second * (performance.now() - began)) / 1000;
    console.log(`admitted ${admitted} of ${most.toFixed(1)}`);
    expect(admitted).toBeLessThanOrEqual(most);
    expect(admitted).toBeGreaterThan(most / 2);
  });
});
