/** Three servers with disks of their own on one PostgreSQL, called in turn, as behind a balancer without sticky routing. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exec, LIST } from "../../support/databases/outage.js";
import { type HttpServed, MODERN } from "../../support/http.js";
import { type Json, temporaryFolder } from "../../support/project.js";
import { SCALE } from "../../support/random.js";
import { olderCaller, p99, type Replicas, startReplicas } from "../../support/servers/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";
import { wallBound } from "../../support/used.js";

const SLOW = 300_000;
/** Times that something is measured. */
const TIMES = Math.max(2, Math.round(40 * SCALE));
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const holds = (file: string, text: string) => expect.poll(() => read(file), { interval: 2 }).toBe(text);

const RELOAD = { op: "ot.reload", args: {} };

/** Adds a synonym to the configuration of servers, on their disks. */
function edit(roots: readonly string[], word: string): void {
  for (const root of roots) appendFileSync(join(root, "definitions", "toolwright.yaml"), `  ${word}: echo\n`);
}

/** Expects that another server adds little to what one alone takes, and prints what was measured. */
function expectLittle(
  what: string,
  { one, other }: { readonly one: readonly number[]; readonly other: readonly number[] },
): void {
  console.log(`${what}: p99 ${p99(other).toFixed(1)} ms, at one server ${p99(one).toFixed(1)} ms, of ${other.length}`);
  expect(p99(other) - p99(one)).toBeLessThan(wallBound(100, 1500));
}

/** What `/readyz?verbose` says. */
const ready = async ({ url }: HttpServed): Promise<Json> => (await fetch(new URL("/readyz?verbose", url))).json();

/** Listens at a server; returns the times at which it was told that tools have changed. */
async function listening({ url }: HttpServed, key: string): Promise<number[]> {
  const times: number[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(url), { authProvider: { token: async () => key } });
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: MODERN } } });
  client.setNotificationHandler("notifications/tools/list_changed", () => void times.push(performance.now()));
  await client.connect(transport);
  await client.listen({ toolsListChanged: true });
  later(() => client.close());
  return times;
}

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

  /** How long it takes until a call at one server ends, from its cancellation at another or the same. */
  async function cancelled(one: HttpServed, other: HttpServed): Promise<number> {
    const client = await olderCaller(one, replicas.key);
    const file = join(temporaryFolder(), "held");
    const params = { name: "tool_exec", arguments: { op: "demo.hold", args: { file, until: "/nowhere/at/all" } } };
    const call = client.send(one, { id: "held", method: "tools/call", params }).catch((error: unknown) => error);
    await holds(file, "started\n");
    const stranger = await olderCaller(other, replicas.key);
    const cancel = { method: "notifications/cancelled", params: { requestId: "held" } };
    await stranger.send(other, cancel);
    const began = performance.now();
    await client.send(other, cancel);
    await holds(file, "started\naborted\n");
    const took = performance.now() - began;
    await call;
    return took;
  }

  test("a call is cancelled by a notification at any server", { timeout: SLOW }, async () => {
    const times = { one: [] as number[], other: [] as number[] };
    for (let time = 0; time < TIMES; time++) {
      const [one, other] = pair();
      times.one.push(await cancelled(one, one));
      times.other.push(await cancelled(one, other));
    }
    expectLittle("cancelled", times);
  });

  /** How long it takes until a call at one server is answered, from the answer to its question at another or the same. */
  async function answered(one: HttpServed, other: HttpServed): Promise<number> {
    const client = await olderCaller(one, replicas.key);
    const stranger = await olderCaller(other, replicas.key);
    const answers: Promise<void>[] = [];
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
      if (message.method === "elicitation/create") answers.push(answer(message));
    });
    const took = performance.now() - began;
    expect(answers).toHaveLength(1);
    await answers[0];
    const { result } = messages.find(({ id }) => id === "asked");
    expect(result.structuredContent).toMatchObject({ ok: true, result: { content: { name: "Anna" } } });
    return took;
  }

  test("a question is answered at any server, by the client that was asked, once", { timeout: SLOW }, async () => {
    const times = { one: [] as number[], other: [] as number[] };
    for (let time = 0; time < TIMES; time++) {
      const [one, other] = pair();
      times.one.push(await answered(one, one));
      times.other.push(await answered(one, other));
    }
    expectLittle("answered", times);
  });

  test("a revoked key is refused at every server at once, and its calls end", { timeout: SLOW }, async () => {
    const { admitted, aborted } = await revocations(replicas, TIMES);
    console.log(`revoked: p99 ${admitted.toFixed(1)} ms, calls ended: p99 ${aborted.toFixed(1)} ms of ${TIMES}`);
    expect(admitted).toBeLessThan(wallBound(100, 1500));
    expect(aborted).toBeLessThan(wallBound(100, 1500));
  });

  test("a large result of a run is read and queried at any server, by its caller alone", {
    timeout: SLOW,
  }, async () => {
    const command = '[{"state": "open" if n % 3 else "done", "note": f"{n} " * 20} for n in range(1500)]';
    const { answer } = await exec(replicas.next(), newKey("stranger"), replicas.key);
    const times = { one: [] as number[], other: [] as number[] };
    for (let time = 0; time < TIMES; time++) {
      const [one, other] = pair();
      const { handle } = JSON.parse(await run(one, command, replicas.key));
      const page = { op: "ot.result", args: { handle, offset: 1500 } };
      const [here, there] = [await exec(one, page, replicas.key), await exec(other, page, replicas.key)];
      expect(there.answer.result).toMatchObject({ total_lines: 1500, returned: 1, has_more: false });
      expect(there.answer.result).toEqual(here.answer.result);
      times.one.push(here.ms);
      times.other.push(there.ms);
      const sql = "select state, count(*) n from r group by 1 order by 1";
      const grouped = await exec(other, { op: "ot.query", args: { handle, sql } }, replicas.key);
      expect(grouped.answer.result.rows).toEqual([
        ["done", 500],
        ["open", 1000],
      ]);
      expect((await exec(other, page, answer.result.key)).answer).toMatchObject({
        ok: false,
        error: { code: "NOT_FOUND", message: expect.stringMatching(`^Result '${handle}' not found`) },
      });
      const asked = await exec(other, { op: "ot.query", args: { handle, sql } }, answer.result.key);
      expect(asked.answer).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    }
    for (const root of replicas.roots) expect(existsSync(join(root, ".onetool", "tmp"))).toBe(false);
    expectLittle("read a large result", times);
  });

  test("the console of any server shows the calls of all", { timeout: SLOW }, async () => {
    const text = `shown ${Math.random()}`;
    const headers = { authorization: `Bearer ${replicas.key}` };
    for (const server of replicas.servers)
      expect((await exec(server, { op: "demo.echo", args: { text } }, replicas.key)).status).toBe(200);
    for (const { url } of replicas.servers) {
      const found: Json = await (await fetch(new URL("/api/calls?limit=200", url), { headers })).json();
      expect(found.servers).toEqual({ asked: 3, answered: 3 });
      const echoes = found.calls.filter(({ span }: Json) => span === "demo.echo");
      expect(new Set(echoes.map(({ fields }: Json) => fields.server)).size).toBe(3);
      expect(found.calls.map(({ at }: Json) => at)).toEqual(
        found.calls
          .map(({ at }: Json) => at)
          .sort()
          .reverse(),
      );
    }
  });

  describe("a configuration that changes", () => {
    let told: number[][];
    beforeAll(async () => {
      // A map at the end of the file, so that lines can be added to it.
      for (const root of replicas.roots)
        appendFileSync(join(root, "definitions", "toolwright.yaml"), "synonyms:\n  first: echo\n");
      expect((await exec(replicas.next(), RELOAD, replicas.key)).answer).toMatchObject({ ok: true });
      told = await Promise.all(replicas.servers.map((server) => listening(server, replicas.key)));
    }, SLOW);

    const all = () => Promise.all(replicas.servers.map(ready));
    /** Reloads one server, and waits until the streams at all of them were told. */
    async function reload(server: HttpServed): Promise<{ readonly one: number; readonly other: number }> {
      const before = told.map(({ length }) => length);
      const { answer, ms } = await exec(server, RELOAD, replicas.key);
      const began = performance.now();
      expect(answer).toMatchObject({ ok: true, result: expect.stringMatching(/^OK/) });
      await expect.poll(() => told.every(({ length }, i) => length > (before[i] ?? 0))).toBe(true);
      return { one: ms, other: Math.max(...told.map((times, i) => (times[before[i] ?? 0] ?? 0) - began)) };
    }

    test("servers whose files changed reload when one does; all clients are told", {
      tags: "full",
      timeout: SLOW,
    }, async () => {
      const times: { readonly one: number; readonly other: number }[] = [];
      for (let time = 0; time < TIMES; time++) {
        edit(replicas.roots, `word${time}`);
        times.push(await reload(replicas.next()));
        await expect.poll(async () => new Set((await all()).map(({ digest }) => digest)).size).toBe(1);
      }
      await expect
        .poll(all)
        .toEqual(
          Array(3).fill(expect.objectContaining({ ok: true, replicas: 3, messages: "pushed", configuration: "same" })),
        );
      // The other servers reload after the one that was asked, all at once.
      expectLittle("list_changed", { one: times.map(({ one }) => one), other: times.map(({ other }) => other) });
    });

    test("servers whose files are others say so, and tell their clients all the same", {
      tags: "full",
      timeout: SLOW,
    }, async () => {
      edit(replicas.roots.slice(0, 1), "only");
      const [first] = replicas.servers;
      await reload(first as HttpServed);
      await expect
        .poll(async () => (await all()).map(({ ok, configuration }) => [ok, configuration]))
        .toEqual(Array(3).fill([true, "different"]));
      for (const { stderr } of replicas.servers)
        await expect.poll(stderr).toMatch(/other servers of this database have another configuration/);
    });
  });
});

describe.skipIf(NO_DATABASE !== "")("without a connection that delivers", { tags: "full" }, () => {
  afterAll(async () => {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  });

  test("a revoked key is refused within a second", { timeout: SLOW }, async () => {
    const database = await startSharedDatabase(later);
    const { href: url } = database;
    const elsewhere = new URL(url);
    elsewhere.pathname = "/template1";
    const replicas = await startReplicas({ url, config: { state: { url, listen_url: elsewhere.href } }, later });
    for (const { stderr } of replicas.servers)
      await expect.poll(stderr).toMatch(/do not arrive on the connection that listens.+polled/);
    const { admitted, aborted } = await revocations(replicas, 5);
    console.log(`revoked, polled: p99 ${admitted.toFixed(1)} ms, calls ended: p99 ${aborted.toFixed(1)} ms`);
    expect(admitted).toBeLessThan(1000);
    expect(aborted).toBeLessThan(wallBound(1100, 3000));
  });
});

const newKey = (name: string) => ({ op: "oubliette.token.create", args: { name, scope: "read" } });
const revoke = (key_id: string) => ({ op: "oubliette.token.revoke", args: { key_id } });

/** The text that a run is answered with. */
async function run(server: HttpServed, command: string, key: string): Promise<string> {
  const client = await olderCaller(server, key);
  const call = { id: "run", method: "tools/call", params: { name: "run", arguments: { command } } };
  const answer = (await client.send(server, call)).find(({ id }) => id === "run");
  return answer.result.content[0].text;
}

/** How long calls with a revoked key are admitted at any server, and how long a call under way with it goes on. */
async function revocations({ servers, key }: Replicas, times: number) {
  const admitted: number[] = [];
  const aborted: number[] = [];
  for (let time = 0; time < times; time++) {
    const { answer } = await exec(servers[0] as HttpServed, newKey(`key ${time}`), key);
    const { key: own, key_id } = answer.result;
    for (const server of servers) expect((await exec(server, LIST, own)).status).toBe(200);
    const file = join(temporaryFolder(), "held");
    const held = exec(servers[1] as HttpServed, { op: "demo.hold", args: { file, until: "/nowhere/at/all" } }, own);
    await holds(file, "started\n");
    const revoked = await exec(servers[time % servers.length] as HttpServed, revoke(key_id), key);
    const began = performance.now();
    expect(revoked.answer).toMatchObject({ ok: true });
    const ends = servers.map(async (server) => {
      let lastMs = 0;
      for (;;) {
        const sentMs = performance.now() - began;
        if ((await exec(server, LIST, own)).status === 401) break;
        lastMs = sentMs;
      }
      admitted.push(lastMs);
    });
    await Promise.all([...ends, holds(file, "started\naborted\n").then(() => aborted.push(performance.now() - began))]);
    expect((await held).answer).toMatchObject({ error: { code: "UNAUTHENTICATED" } });
  }
  return { admitted: p99(admitted), aborted: p99(aborted) };
}

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
    expect(admitted).toBeGreaterThan(most / 3);
  });
});
