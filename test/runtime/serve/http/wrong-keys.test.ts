/** Wrong keys over HTTP: their answers are delayed, those for a right key are not. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey } from "../../../../runtime/access/key-text.js";
import { LIST, raw } from "../../../support/http.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 120_000;
/** Wrong keys of an address that are answered at once within a minute, and the shortest wait of the others. */
const FREE = 10;
const SHORTEST_MS = 50;
const cleaning: (() => unknown)[] = [];
let served: ServedKeys;

beforeAll(async () => {
  const config = process.platform === "linux" ? ["log: { level: trace, file: /dev/full }"] : [];
  served = await serveKeys((clean) => void cleaning.push(clean), config);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** The status of a request with a key, and how long its answer took. */
async function timed(key: string, path = "/mcp"): Promise<{ readonly status: number; readonly ms: number }> {
  const started = performance.now();
  const { status } = await raw(served.server.url, { path, headers: { authorization: `Bearer ${key}` }, body: LIST });
  return { status, ms: performance.now() - started };
}

async function inSequence(count: number): Promise<readonly { readonly status: number; readonly ms: number }[]> {
  const all = [];
  for (let i = 0; i < count; i++) all.push(await timed(newKey().text, i % 2 === 0 ? "/mcp" : "/api/exec"));
  return all;
}

/** The shortest of the times: a busy machine makes others longer. */
const shortest = (times: readonly { readonly ms: number }[]): number => Math.min(...times.map(({ ms }) => ms));

test("each wrong key after the first ten waits, on every path; a right one at the same address does not", {
  timeout: SLOW,
}, async () => {
  const { key } = served.known.admin;
  expect((await timed(key)).status).toBe(200);
  const first = await inSequence(FREE);
  const later = await inSequence(FREE);
  const right = [];
  for (let i = 0; i < FREE; i++) right.push(await timed(key));
  expect([...first, ...later].map(({ status }) => status)).toEqual(Array(2 * FREE).fill(401));
  expect(right.map(({ status }) => status)).toEqual(Array(FREE).fill(200));
  for (const { ms } of later) expect(ms).toBeGreaterThanOrEqual(SHORTEST_MS - 1);
  expect(shortest(first)).toBeLessThan(shortest(later));
  expect(shortest(right)).toBeLessThan(shortest(later));
});

test("many wrong keys at once are all answered, and a right one meanwhile", { timeout: SLOW }, async () => {
  const wrong = Promise.all(Array.from({ length: 150 }, () => timed(newKey().text)));
  expect((await timed(served.known.admin.key)).status).toBe(200);
  expect(new Set((await wrong).map(({ status }) => status))).toEqual(new Set([401]));
  expect(served.server.child.exitCode).toBeNull();
});

test.runIf(process.platform === "linux")("a log that cannot be written is reported once, and harms no answer", () => {
  const told = served.server.stderr().match(/the log \S+ cannot be written/g) ?? [];
  expect(told).toHaveLength(1);
});
