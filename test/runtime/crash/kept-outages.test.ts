/**
 * Three servers on one PostgreSQL that restarts under a load of programs that write: no program ends, no write is doubled
 * or left out, and nobody waits much longer than the outage.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import { temporaryFolder } from "../../support/project.js";
import { randomOf, SCALE } from "../../support/random.js";
import { type Replicas, startReplicas } from "../../support/servers/replicas.js";
import { wallBound } from "../../support/used.js";

const SLOW = 1_200_000;
const RESTARTS = Math.max(3, Math.round(100 * SCALE));
/** Programs that each server carries out at once. */
const CALLERS = SCALE < 1 ? 2 : 4;
/** Shortest and longest time without a database, in milliseconds. */
const [SHORTEST_MS, LONGEST_MS] = [100, 3000];
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** A service that heeds no keys: a write that is sent twice is seen twice. */
const EFFECTS = `import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export const pack = { summary: "Writes that a file counts." };

/**
 * Adds a line to a file.
 *
 * @kind write
 */
export async function add({ file, line }: { file: string; line: string }): Promise<string> {
  await sleep(20);
  appendFileSync(file, line + "\\n");
  return line;
}
`;

/** Writes of both kinds, alone and in a batch, and reads between them; its value names them. */
const programOf = (file: string, tag: string): string => `done = []
for step in range(3):
    done.append(effects.add(file="${file}", line=f"${tag}.{step}"))
    oubliette.project.create(name=f"${tag}.{step}")
    done.append(oubliette.project.list(limit=1)["projects"][0]["name"] != "")
ot.batch(calls=[("effects.add", {"file": "${file}", "line": f"${tag}.b{n}"}) for n in range(2)])
done`;

const STEPS = ["0", "1", "2"];
const answerTo = (tag: string): string => JSON.stringify(STEPS.flatMap((step) => [`${tag}.${step}`, true]));

/** A program that was answered. */
interface Ran {
  readonly tag: string;
  readonly text: string;
  readonly began: number;
  readonly ms: number;
}

describe.skipIf(NO_CLUSTER !== "")(`programs on a PostgreSQL that restarts${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  let replicas: Replicas;
  let file: string;
  beforeAll(async () => {
    cluster = await startCluster(later);
    file = join(temporaryFolder(later), "effects");
    writeFileSync(file, "");
    const config = {
      sources: [{ functions: "demo.ts" }, { functions: "effects.ts" }],
      servers: {},
      ops: {},
      limits: { wall_ms: 600_000 },
    };
    replicas = await startReplicas({ url: cluster.url, config, files: { "effects.ts": EFFECTS }, later });
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  async function run(url: string, tag: string): Promise<Ran> {
    const began = performance.now();
    const params = { name: "run", arguments: { command: programOf(file, tag) } };
    const response = await fetch(new URL("/mcp", url), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: `Bearer ${replicas.key}`,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const body = await response.text();
    const [, line = "{}"] = /(?:^|\n)(?:data: )?(\{.*"result".*\})/.exec(body) ?? [];
    const text = JSON.parse(line).result?.content?.[0]?.text ?? `${response.status} ${body}`;
    return { tag, text, began, ms: performance.now() - began };
  }

  /** The time of a program without the database, in milliseconds. */
  const awayOf = ({ began, ms }: Ran, outages: readonly (readonly [from: number, to: number])[]): number =>
    outages.reduce((sum, [from, to]) => sum + Math.max(0, Math.min(to, began + ms) - Math.max(from, began)), 0);

  test(`${RESTARTS} restarts: all programs end as if there were none`, { tags: "slow", timeout: SLOW }, async () => {
    // The first programs start what is needed; the next ones say how long a program takes.
    const calm = async (turn: string): Promise<readonly Ran[]> =>
      Promise.all(
        replicas.servers.flatMap(({ url }, at) =>
          Array.from({ length: CALLERS }, (_, i) => run(url, `${turn}${at}_${i}`)),
        ),
      );
    const before = [...(await calm("first")), ...(await calm("second"))];
    const usual = Math.max(...before.slice(before.length / 2).map(({ ms }) => ms));
    const random = randomOf(20_261_129);
    const outages: [from: number, to: number][] = [];
    let isOver = false;
    const callers = replicas.servers.flatMap(({ url }, at) =>
      Array.from({ length: CALLERS }, async (_, i) => {
        const all: Ran[] = [];
        for (let turn = 0; !isOver; turn++) all.push(await run(url, `p${at}_${i}_${turn}`));
        return all;
      }),
    );
    for (let time = 0; time < RESTARTS; time++) {
      await sleep(500 + random() * 1500);
      const ms = SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS) * (time % 2 === 0 ? 0.1 : 1);
      const from = performance.now();
      await cluster.outage(time % 3 === 0 ? "immediate" : "fast", ms);
      outages.push([from, performance.now()]);
    }
    await sleep(1000);
    isOver = true;
    const done = [...before, ...(await Promise.all(callers)).flat()];

    expect(done.filter(({ tag, text }) => text !== answerTo(tag)).map(({ tag, text }) => ({ tag, text }))).toEqual([]);
    const written = readFileSync(file, "utf8").trim().split("\n").sort();
    expect(written).toEqual(done.flatMap(({ tag }) => [...STEPS, "b0", "b1"].map((step) => `${tag}.${step}`)).sort());
    const stored = cluster.sql("select name from oubliette_projects").trim().split("\n").sort();
    expect(stored).toEqual(done.flatMap(({ tag }) => STEPS.map((step) => `${tag}.${step}`)).sort());
    await expect.poll(() => cluster.sql("select count(*) from runs where status <> 'done'").trim()).toBe("0");
    const longer = done.slice(before.length).map((one) => one.ms - awayOf(one, outages) - usual);
    const hit = done.filter((one) => awayOf(one, outages) > 0).length;
    console.log(
      `${RESTARTS} restarts, ${done.length} programs, ${hit} of them without a database for a while, ${written.length + stored.length} writes; in peace at most ${usual.toFixed(0)} ms, at most ${Math.max(...longer).toFixed(0)} ms longer than the outage`,
    );
    expect(hit).toBeGreaterThan(0);
    expect(Math.max(...longer)).toBeLessThan(wallBound(5000, 30_000));
    expect(replicas.servers.map(({ child }) => child.exitCode)).toEqual(replicas.servers.map(() => null));
  });
});
