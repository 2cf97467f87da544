/** Python extension tools that pause: their programs go on with what they have received, as programs of `run` do. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { createInnerRuns } from "../../../runtime/run/kept/inner-runs.js";
import { decideCalls } from "../../../runtime/run/kept/ready-runs.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { type Opened, openRoot, writeTools } from "../../../test/support/open-root.js";
import { generatedRoot, temporaryFolder } from "../../../test/support/project.js";
import { lendSnapshots } from "../../../test/support/run/python-snapshots.js";

const SLOW = 300_000;

/** A pack with what the test sees of it. */
const SHOP = `const shop = (globalThis as { shop?: { items: string[]; notes: string[] } }).shop!;
export const pack = { summary: "Things." };

/** Lists what there is.
 *
 * @kind read
 */
export async function list(): Promise<{ items: string[] }> {
  return { items: [...shop.items] };
}

/** Drops a thing.
 *
 * @kind write
 */
export async function drop({ name }: { name: string }): Promise<{ dropped: string }> {
  shop.items = shop.items.filter((one) => one !== name);
  return { dropped: name };
}

/** Notes a text.
 *
 * @kind write
 */
export async function note({ text }: { text: string }): Promise<{ noted: string }> {
  shop.notes.push(text);
  return { noted: text };
}
`;
const CONFIG = `sources: [{ functions: shop.ts }]
approve: [{ ops: ["shop.drop"] }]
limits: { call_timeout_ms: 110000, wall_ms: 110000 }
`;
const TOOLS = {
  "ext.py": `import asyncio, random, time, uuid

def sweep() -> list:
    """Drops all."""
    return [shop.drop(name=one)["dropped"] for one in shop.list()["items"]]

def draw() -> list:
    """Notes what differs each time, and drops a thing."""
    seen = [random.random(), str(uuid.uuid4()), time.time()]
    shop.note(text=str(seen))
    shop.list()
    seen.append(time.time())
    shop.drop(name="a " + str(seen))
    return seen

def outer() -> list:
    """Calls a tool that calls others."""
    return ext.sweep()

def tidy(name: str) -> str:
    """Drops one."""
    return shop.drop(name=name)["dropped"]
`,
};

const shop = { items: [] as string[], notes: [] as string[] };
const cleaning: (() => unknown)[] = [];
let root = "";
let state: State;

beforeAll(async () => {
  (globalThis as { shop?: typeof shop }).shop = shop;
  const definitions = join(
    temporaryFolder((one) => void cleaning.push(one)),
    "definitions",
  );
  mkdirSync(definitions);
  writeFileSync(join(definitions, "shop.ts"), SHOP);
  writeFileSync(join(definitions, "toolwright.yaml"), CONFIG);
  root = await generatedRoot(definitions, (one) => void cleaning.push(one));
  lendSnapshots(join(root, ".onetool", "cache"));
  state = await openState({ url: "", root });
}, SLOW);
afterAll(async () => {
  await state.close();
  for (const one of cleaning.reverse()) await one();
});
beforeEach(() => {
  rmSync(join(root, ".onetool", "tools"), { recursive: true, force: true });
  writeTools(root, TOOLS);
  shop.items = ["a", "b", "c"];
  shop.notes = [];
});

/** Runs on a server that ends then. */
async function once<T>(work: (server: Opened) => Promise<T>, more = ""): Promise<T> {
  const closing: (() => Promise<void>)[] = [];
  try {
    return await work(await openRoot(root, more, (close) => void closing.push(close)));
  } finally {
    for (const close of closing) await close();
  }
}
const idOf = (text: string): string => /^Paused (run_\w+)/.exec(text)?.[1] ?? `no pause: ${text}`;
const resumed = (id: string, more = ""): Promise<string> =>
  once(async ({ gateway }) => (await gateway.resume(id, undefined)).text, more);
const approved = (id: string, places: readonly string[]) =>
  decideCalls(state, id, places, { status: "approved", by: "anna", via: "cli", reason: "" }, Date.now());

test("a tool that lists and then drops each thing drops each, on a server for each approval", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const id = idOf(await once(({ run }) => run("ext.outer()")));
  for (const name of ["a", "b"]) {
    await approved(id, []);
    expect(await resumed(id)).toContain(`shop.drop {"name":"${name === "a" ? "b" : "c"}"}`);
    expect(shop.items).not.toContain(name);
  }
  await approved(id, []);
  expect(JSON.parse(await resumed(id))).toEqual(["a", "b", "c"]);
  expect(shop.items).toEqual([]);
});

test("random numbers, UUIDs and times of a tool are the same when it goes on", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const id = idOf(await once(({ run }) => run("ext.draw()")));
  const [noted] = shop.notes;
  await approved(id, []);
  const seen = JSON.parse(await resumed(id)) as readonly unknown[];
  expect(shop.notes).toEqual([noted]);
  expect(String(noted)).toContain(String(seen[1]));
  expect(String(noted)).toContain(String(seen[2]));
});

test("a plan with what a tool draws is carried out as it was approved", { tags: "full", timeout: SLOW }, async () => {
  const more = "expose: { run_preview: writes }\n";
  const id = idOf(await once(({ run }) => run('ext.draw()\next.tidy(name="b")'), more));
  await approved(id, []);
  expect(await resumed(id, more)).toBe("b");
  expect(shop.notes).toHaveLength(1);
  expect(shop.items).toEqual(["a", "c"]);
});

test("a run whose tool has other code now does not go on, until the code is back", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const command = 'try:\n  ext.tidy(name="a")\nexcept Exception as e:\n  shop.note(text="gone on")';
  const id = idOf(await once(({ run }) => run(command)));
  writeTools(root, { "ext.py": TOOLS["ext.py"].replace("shop.drop(name=name)", 'shop.drop(name="b")') });
  await approved(id, []);
  expect(await resumed(id)).toMatch(/^Error: RuntimeError: ext\.tidy changed since the run began/);
  expect(shop).toEqual({ items: ["a", "b", "c"], notes: [] });
  writeTools(root, TOOLS);
  await resumed(id);
  expect(shop).toEqual({ items: ["b", "c"], notes: [] });
});

test("once a tool has made another call than before, nothing more is called", async () => {
  const made: string[] = [];
  const runs = createInnerRuns({
    origin: { seed: "s", startedAt: 1 },
    log: { deliveries: [] },
    earlier: new Map([["1", { code: "of another file", startedAt: 1, calls: [], deliveries: [], rows: 1 }]]),
  });
  const namespace = {
    packs: new Map(),
    hidden: new Set<string>(),
    projects: new Map(),
    call: async ({ path }: { path: readonly string[] }) => made.push(path.join(".")),
  };
  const { signal } = new AbortController();
  const { namespace: names } = runs.open({ place: "1", code: "1", namespace, signal });
  expect(runs.hasDiverged()).toBe(true);
  await expect(names.call({ path: ["shop", "note"], positional: [], named: [], ordinal: 1, signal })).rejects.toThrow(
    "makes other calls than before",
  );
  expect(made).toEqual([]);
});
