/** Servers that are killed during writes, on every database: no write is lost or done twice. */

import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { queries as ontoQueries } from "../../../definitions/onto/backend/schema.js";
import { queries } from "../../../runtime/state/schema.js";
import { freshRoot, type Json, serverCommand } from "../../support/project.js";
import { randomOf, SCALE } from "../../support/random.js";
import { DATABASES } from "../state/databases.js";

/** Few by default: each round starts a process. */
const ROUNDS = Math.max(2, Math.round(200 * SCALE * SCALE));
/** Keyed creates under way when the server is killed. */
const AT_ONCE = 6;
/** The kill comes within this time after the calls were sent: some are answered by then, some are not. */
const LATEST_KILL_MS = 60;
/** Longest time that a claim may block a retry. */
const LEASE_MS = 10_000;

/** A server process on a database that outlives it. */
async function start(
  root: string,
  url: string,
): Promise<{ readonly client: Client; readonly kill: () => Promise<void> }> {
  const flags = ["--allow-write", ...(url === "" ? [] : ["--state", url])];
  const transport = new StdioClientTransport(serverCommand(root, flags));
  const client = new Client({ name: "killer", version: "1" });
  await client.connect(transport);
  const kill = async (): Promise<void> => {
    if (transport.pid) process.kill(transport.pid, "SIGKILL");
    await client.close();
  };
  return { client, kill };
}

async function exec(client: Client, op: string, args: object, key?: string): Promise<Json> {
  const call = { op, args, ...(key === undefined ? {} : { idempotency_key: key }) };
  return (await client.callTool({ name: "tool_exec", arguments: call })).structuredContent;
}

/** Repeats a keyed create until it is answered; a claim that another process left must go within its lease. */
async function retry(client: Client, project_id: string, key: string): Promise<void> {
  const deadline = Date.now() + LEASE_MS + 5000;
  for (;;) {
    const answer = await exec(client, "onto.task.create", { project_id, title: key }, key);
    if (answer.ok) return;
    expect(answer.error.details.reason, JSON.stringify(answer.error)).toBe("in_flight");
    expect(Date.now(), `${key} is stuck in the ledger`).toBeLessThan(deadline);
    await sleep(200);
  }
}

describe.for(DATABASES)("on $name", ({ skip, place }) => {
  test.skipIf(skip)(
    `${ROUNDS} times a server is killed under ${AT_ONCE} keyed creates: retried with the same keys, each exists exactly once`,
    { timeout: ROUNDS * 20_000, tags: "slow" },
    async () => {
      const here = await place();
      const root = here.url === "" ? freshRoot() : here.root;
      const serving = here.url === "" ? root : freshRoot();
      const random = randomOf(20_261_121);
      const first = await start(serving, here.url);
      const { result } = await exec(first.client, "onto.project.create", {
        project: { name: "Launch", type_key: "project.business.launch" },
        entities: [],
        relationships: [],
      });
      await first.kill();
      let open: readonly string[] = [];
      const all: string[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const { client, kill } = await start(serving, here.url);
        await Promise.all(open.map((key) => retry(client, result.project.id, key)));
        open = Array.from({ length: AT_ONCE }, (_, i) => `round-${round}-${i}`);
        all.push(...open);
        const calls = open.map((key) =>
          exec(client, "onto.task.create", { project_id: result.project.id, title: key }, key).catch(() => undefined),
        );
        await sleep(random() * LATEST_KILL_MS);
        await kill();
        await Promise.all(calls);
      }
      const { client, kill } = await start(serving, here.url);
      await Promise.all(open.map((key) => retry(client, result.project.id, key)));
      await kill();
      await expectOnce(here, root, all);
      await here.remove();
    },
  );
});

describe.for(DATABASES)("two servers on $name", ({ skip, place }) => {
  test.skipIf(skip)(
    "do a keyed create once, whichever gets it, and answer alike afterwards",
    { tags: "full", timeout: 60_000 },
    async () => {
      const here = await place();
      const serving = here.url === "" ? freshRoot() : here.root;
      const roots = here.url === "" ? [serving, serving] : [freshRoot(), freshRoot()];
      const servers = await Promise.all(roots.map((root) => start(root, here.url)));
      const [one, other] = servers.map((server) => server.client) as [Client, Client];
      const { result } = await exec(one, "onto.project.create", {
        project: { name: "Launch", type_key: "project.business.launch" },
        entities: [],
        relationships: [],
      });
      const keys = Array.from({ length: 20 }, (_, i) => `shared-${i}`);
      const create = (client: Client, key: string): Promise<Json> =>
        exec(client, "onto.task.create", { project_id: result.project.id, title: key }, key);
      const raced = await Promise.all(keys.flatMap((key) => [create(one, key), create(other, key)]));
      expect(raced.filter((answer) => answer.ok && !answer.meta.replayed).length).toBe(keys.length);
      for (const answer of raced.filter((one) => !one.ok)) expect(answer.error.details.reason).toBe("in_flight");
      for (const key of keys) {
        const [left, right] = await Promise.all([create(one, key), create(other, key)]);
        expect(left).toMatchObject({ ok: true, meta: { replayed: true } });
        expect(right.result).toEqual(left.result);
      }
      await Promise.all(servers.map((server) => server.kill()));
      await expectOnce(here, serving, keys);
      await here.remove();
    },
  );
});

type Place = Awaited<ReturnType<(typeof DATABASES)[number]["place"]>>;

async function expectOnce(here: Place, root: string, keys: readonly string[]): Promise<void> {
  const { openState } = await import("../../../runtime/state/open.js");
  const state = await openState({ url: here.url, root });
  const { titles, pending } = await state.transaction("read", async (tx) => ({
    titles: (await ontoQueries(tx).selectFrom("onto_tasks").select("title").execute()).map((row) => row.title),
    pending: await queries(tx).selectFrom("ledger").select("key").where("status", "=", "pending").execute(),
  }));
  await state.close();
  expect([...titles].sort()).toEqual([...keys].sort());
  expect(pending).toEqual([]);
}
