/** One pool for several projects, as after a reload: unchanged servers keep their connection. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../support/project.js";
import { called, calls, lives, pidsIn } from "../../support/upstream/upstreams.js";

/** Two projects of one pool, the first of them in use. */
async function reloaded(before: object, after: object) {
  const [kept, other] = [join(temporaryFolder(), "kept"), join(temporaryFolder(), "other")];
  const entries = (change: object) => ({ kept: calls({ pids: kept }), other: calls({ pids: other }, change) });
  const accepted = { kept: calls(), other: calls() };
  const first = await called({ servers: entries(before), accepted });
  await Promise.all([first.call("kept.words"), first.call("other.words")]);
  const second = await called({ servers: entries(after), accepted, pool: first.pool, root: first.root });
  return { first, second, kept, other };
}

test("unchanged servers are kept, changed ones connected, and unused ones end", { tags: "full" }, async () => {
  const { first, second, kept, other } = await reloaded({}, { env: { NEW: "value" } });
  expect([...second.upstreams.states()].map(([name, { state }]) => [name, state])).toEqual([
    ["kept", "connected"],
    ["other", "idle"],
  ]);
  await second.upstreams.connectNew(10_000);
  expect(second.upstreams.states().get("other")).toEqual({ state: "connected" });
  const [pid] = pidsIn(kept);
  expect((await second.call("kept.pid")).pid).toBe(pid);
  // A call in flight finishes on the project that it started with.
  const running = first.call("other.progress");
  expect((await second.call("other.environment"))["NEW"]).toBe("value");
  expect(await running).toEqual({ done: true });
  await first.upstreams.close();
  expect((await second.call("kept.pid")).pid).toBe(pid);
  await expect.poll(() => pidsIn(other).filter(lives)).toEqual([pidsIn(other)[1]]);
  await second.upstreams.close();
  await expect.poll(() => [...pidsIn(kept), ...pidsIn(other)].filter(lives)).toEqual([]);
});

test("a restart ends the process and starts another; an unknown server is not restarted", async () => {
  const pids = join(temporaryFolder(), "pids");
  const { upstreams, call } = await called({ servers: { one: calls({ pids }) }, accepted: { one: calls() } });
  const { pid } = await call("one.pid");
  expect(upstreams.identities().get("one")?.version).toEqual(expect.any(String));
  expect(await upstreams.restart("one")).toBe(true);
  expect((await call("one.pid")).pid).not.toBe(pid);
  await expect.poll(() => pidsIn(pids).filter(lives).length).toBe(1);
  expect(await upstreams.restart("none")).toBe(false);
});

test("connecting new servers respects the time limit and never rejects", async () => {
  const servers = { slow: calls({ silent: true }), gone: { command: "no-such-command-here" } };
  const { upstreams } = await called({ servers, accepted: {} });
  const started = performance.now();
  await upstreams.connectNew(300);
  expect(performance.now() - started).toBeLessThan(5_000);
  // A busy machine may take longer than the limit to find that the command does not exist.
  await expect.poll(() => upstreams.states().get("gone")).toMatchObject({ state: "disconnected" });
});

test("a server that is to be there is connected in the background, and again after it was lost", async () => {
  const pids = join(temporaryFolder(), "pids");
  const servers = { eager: calls({ pids }, { lazy: false }), lazy: calls() };
  const { call, failure, upstreams } = await called({
    servers,
    accepted: { eager: calls(), lazy: calls() },
    backoff: { firstMs: 50, longestMs: 100 },
    idleMs: 50,
  });
  const states = () => [...upstreams.states()].map(([, { state }]) => state);
  expect(states()).toEqual(["disconnected", "idle"]);
  upstreams.warm();
  await expect.poll(states).toEqual(["connected", "idle"]);
  await failure("eager.die");
  await expect.poll(() => pidsIn(pids).length).toBe(2);
  await expect.poll(states).toEqual(["connected", "idle"]);
  expect(await call("eager.words")).toBe("plain words");
});

test("other values of secrets make another connection", async () => {
  const secrets = { KEY: "11111111" };
  const servers = { one: calls({}, { env: { KEY: `\${KEY}` } }) };
  const accepted = { one: calls() };
  const first = await called({ servers, accepted, secrets });
  const before = await first.call("one.environment");
  const second = await called({ servers, accepted, secrets: { KEY: "22222222" }, pool: first.pool, root: first.root });
  expect([before["KEY"], (await second.call("one.environment"))["KEY"]]).toEqual(["11111111", "22222222"]);
  expect(before).not.toHaveProperty("OUBLIETTE_API_KEY");
});
