/**
 * Programs that agents write over the tools of this repository, through MCP, beside the outcomes that real Python gives
 * them over the same tools. A part runs by default, `SLOW=1` runs all.
 */

import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshRoot, type Served, serve } from "../../support/project.js";
import { seedWorld } from "../../support/run/program-world.js";
import { isReplyOf, OUTCOMES, type Outcome, outcomes, placed, programs, told } from "../../support/run/programs.js";
import { programOutcomes } from "./program-reference.js";

const all = programs();
const cleaning: (() => void)[] = [];
let server: Served;
let ids: ReadonlyMap<string, string>;

async function world(): Promise<readonly [Served, ReadonlyMap<string, string>]> {
  const served = await serve(
    freshRoot((one) => cleaning.push(one)),
    ["--allow-write"],
  );
  return [served, await seedWorld(served)];
}

beforeAll(async () => {
  [server, ids] = await world();
});
afterAll(async () => {
  await server.close();
  for (const one of cleaning) one();
});

/** Programs whose reply is not that of real Python. */
async function wrong(titles: readonly string[]): Promise<readonly object[]> {
  const expected = outcomes();
  const found = [];
  for (const { title, code } of all.filter((one) => titles.includes(one.title))) {
    const command = placed(code, ids);
    const { content } = await server.client.callTool({ name: "run", arguments: { command } });
    const [block] = content as { text: string }[];
    const reply = told(block?.text ?? "", ids);
    const python = expected[title];
    if (!python || !isReplyOf(reply, python)) found.push({ title, reply, python });
  }
  return found;
}

/** One or two of each file. */
const CHOSEN: readonly string[] = [
  "asyncs: gather over projects",
  "classes: a dataclass of tasks",
  "dates: days until due",
  "errors: errors by id",
  "errors: not found is not caught",
  "flow: a helper named round",
  "lists: join tasks with their details",
  "numbers: decimal precision is the default",
  "packs: query kept rows",
  "reports: an aligned table",
  "text: numbers as text",
  "writes: update by a rule",
];

test("the programs are many, their titles differ, and each has an outcome", () => {
  expect(all.length).toBeGreaterThan(300);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  if (!process.env["UPDATE"]) expect(Object.keys(outcomes())).toEqual(all.map(({ title }) => title));
});

test("a program of each kind answers as Python does", async () => {
  expect(await wrong(CHOSEN)).toEqual([]);
});

test("every program answers as Python does", { tags: "slow", timeout: 1_800_000 }, async () => {
  expect(await wrong(all.map(({ title }) => title).filter((title) => !CHOSEN.includes(title)))).toEqual([]);
});

test.runIf(process.env["UPDATE"] || process.env["SCALE"] === "1")(
  "the outcomes are those of the machine's Python",
  { timeout: 1_800_000 },
  async () => {
    const [served, own] = await world();
    const codes = all.map(({ code }) => placed(code, own));
    const found = await programOutcomes(codes, served);
    await served.close();
    const made = Object.fromEntries(
      all.map(({ title }, i) => [title, JSON.parse(told(JSON.stringify(found[i]), own)) as Outcome]),
    );
    if (process.env["UPDATE"]) writeFileSync(OUTCOMES, `${JSON.stringify(made, null, 2)}\n`);
    expect(outcomes()).toEqual(made);
  },
);
