/** A COMMIT without an answer: it is unknown whether it took effect, and no answer claims otherwise. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, exec, names, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import type { HttpServed } from "../../support/http.js";
import { olderCaller } from "../../support/servers/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";
import { type Cut, type CuttingProxy, startCuttingProxy } from "./cutting-proxy.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const WRITE = /insert into "oubliette_projects"/;

describe.skipIf(NO_DATABASE !== "")(`a COMMIT whose answer is lost${NO_DATABASE}`, () => {
  let proxy: CuttingProxy;
  let server: HttpServed;
  beforeAll(async () => {
    const database = await startSharedDatabase(later);
    proxy = await startCuttingProxy(Number(database.port), later);
    database.port = String(proxy.port);
    server = await serveWithState(await statefulRoot({ later }), database.href, later);
    expect((await exec(server, create("first"))).answer.ok).toBe(true);
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  /** Sends a call whose COMMIT is cut. */
  async function cutOff(cut: Cut, name: string, key?: string) {
    const done = proxy.cutAtCommit(cut, WRITE);
    const [{ answer }] = await Promise.all([exec(server, create(name, key)), done]);
    return answer.error;
  }

  test.each<[Cut, readonly string[]]>([
    ["after", ["unkeyed after"]],
    ["before", []],
  ])(
    "without a key, cut %s it: the outcome is unknown, and no retry is suggested",
    { timeout: SLOW },
    async (cut, stored) => {
      const error = await cutOff(cut, `unkeyed ${cut}`);
      expect(error).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
      expect(error.details).not.toHaveProperty("retry_after_ms");
      expect(error.message).toMatch(/not known: read before/);
      expect(error.message).not.toMatch(/try again/i);
      expect(error).not.toHaveProperty("corrected_call");
      expect((await names(server)).filter((name) => name === `unkeyed ${cut}`)).toEqual(stored);
    },
  );

  test.each<[Cut, boolean]>([
    ["after", true],
    ["before", false],
  ])(
    "with a key, cut %s it: the same call again finds out, and it is done once",
    { timeout: SLOW },
    async (cut, isReplayed) => {
      const [name, key] = [`keyed ${cut}`, `key ${cut}`];
      const error = await cutOff(cut, name, key);
      expect(error).toMatchObject({ code: "UNAVAILABLE", details: { outcome: "unknown" } });
      expect(error.message).toMatch(/same idempotency_key/);
      const { answer } = await exec(server, create(name, key));
      expect(answer).toMatchObject({ ok: true, result: { name } });
      expect(answer.meta.replayed === true).toBe(isReplayed);
      expect((await exec(server, create(name, key))).answer).toMatchObject({
        result: answer.result,
        meta: { replayed: true },
      });
      expect((await names(server)).filter((one) => one === name)).toEqual([name]);
    },
  );

  test("a large result of a run cannot be kept: the reply says so, and shows what fits", {
    timeout: SLOW,
  }, async () => {
    const client = await olderCaller(server);
    const run = async (command: string): Promise<string> => {
      const call = { id: "run", method: "tools/call", params: { name: "run", arguments: { command } } };
      return (await client.send(server, call)).find(({ id }) => id === "run").result.content[0].text;
    };
    const { handle } = JSON.parse(await run('"y" * 60000'));
    const page = { op: "ot.result", args: { handle } };
    expect((await exec(server, page)).answer).toMatchObject({ ok: true, result: { total_lines: 30 } });
    const cut = proxy.cutAtCommit("before", /insert into "results"/);
    const [text] = await Promise.all([run('"x" * 60000'), cut]);
    expect(text).toMatch(
      /^x{49000,50000}\.\.\.\n\(The rest is lost: the result could not be stored, UNAVAILABLE: The connection to the database broke .+\)$/,
    );
    proxy.away(true);
    expect((await exec(server, page)).answer.error).toMatchObject({ code: "UNAVAILABLE" });
    proxy.away(false);
    expect((await exec(server, page)).answer.ok).toBe(true);
  });

  test("a connection that breaks before COMMIT leaves nothing, and may be tried again", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    proxy.away(true);
    const { answer } = await exec(server, create("away"));
    expect(answer.error).toMatchObject({
      code: "UNAVAILABLE",
      details: { reason: "unreachable", retry_after_ms: 1000 },
    });
    expect(answer.error.details).not.toHaveProperty("outcome");
    proxy.away(false);
    expect((await exec(server, create("away"))).answer.ok).toBe(true);
  });
});
