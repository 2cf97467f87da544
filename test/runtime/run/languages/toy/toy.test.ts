/** One more language runs through every step of `run` with a row in the table. */

import { expect, onTestFinished, test } from "vitest";
import type { OpGatewayOptions } from "../../../../../runtime/gateway/gateway.js";
import type { LanguageRows } from "../../../../../runtime/run/languages/table.js";
import { openState } from "../../../../../runtime/state/open.js";
import { temporaryFolder } from "../../../../support/project.js";
import { fixture, handler, principal } from "../../../gateway/fixture.js";
import { LENT_LANGUAGES } from "../../../gateway/lent-engines.js";
import { TOY } from "./language.js";

const looks = async () => "none" as const;
const toy = { name: "toy", label: "Toy", words: ["toy"], extensions: [".toy"], looks, load: async () => TOY };

/** A gateway with both languages, what a program answers, and the arguments of its calls. */
function both(languages: LanguageRows = [...LENT_LANGUAGES, toy], options: Partial<OpGatewayOptions> = {}) {
  const listed: unknown[] = [];
  const list = handler(async ({ limit }) => {
    listed.push(limit);
    return { items: [], limit };
  });
  const { gateway, calls } = fixture({ handlers: { "onto.task.list": list }, options: { languages, ...options } });
  const run = async (command: string, more = {}) => {
    const { text, isError } = await gateway.run({ command, ...more }, principal());
    return { text, isError };
  };
  return { gateway, calls, listed, run };
}

const toyOf = (code: string): string => `\`\`\`toy\n${code}\n\`\`\``;

test("a program in its fence runs, and answers its value", async () => {
  const { run, listed } = both();
  expect(await run(toyOf("onto.task.list limit=3\nonto.task.list lim=4"))).toEqual({
    isError: false,
    text: '{"items":[],"limit":4}',
  });
  expect(listed).toEqual([3, 4]);
  expect((await run("__ot__run ```python 1 + 1```")).text).toBe("2");
});

test.each([
  ["onto.task.lists", "Error at line 1: No: nothing is called onto.task.lists\n  1 | onto.task.lists"],
  ["onto.task.list limit=0", "Error at line 1: No: onto.task.list says: "],
  [
    "onto.task.list limit=1\nonto.task.list limt=2",
    "Error at line 2: No: onto.task.list has an argument that is unexpected",
  ],
])("its own words tell what is wrong with %j", async (code, says) => {
  const { text, isError } = await both().run(toyOf(code));
  expect([text.slice(0, says.length), isError]).toEqual([says, true]);
});

test("the call that was meant is written as it writes calls", async () => {
  const { text } = await both().run(toyOf("onto.task.list limt=2"));
  expect(text).toContain("Did you mean: onto.task.list limit=2");
});

test("a check of it makes no calls", async () => {
  const { gateway, listed } = both();
  expect(await gateway.check(toyOf("onto.task.list"), principal())).toEqual({ kind: "checked", findings: [] });
  expect(listed).toEqual([]);
});

test("it goes on after a failure without making a write again, and its writes have a plan", async () => {
  const state = await openState({ url: "", root: temporaryFolder() });
  onTestFinished(() => state.close());
  const { gateway, calls, run } = both(undefined, { openState: async () => state });
  const create = "onto.task.create title=Tea project_id=proj_a";
  const plan = await gateway.run({ command: toyOf(create) }, principal(), { isPreview: true });
  expect(plan.text).toContain("onto.task.create");
  const { text } = await run(toyOf(`${create}\nonto.task.lst`));
  expect(text).toContain("Already written (run_");
  const after = /after="(run_\w+)"/.exec(text)?.[1];
  expect(await run(toyOf(`${create}\nonto.task.list limit=2`), { after })).toMatchObject({ isError: false });
  expect(calls.filter(({ op }) => op === "onto.task.create")).toHaveLength(1);
});

test("where it is the first language, code without a fence is its own, and messages name it", async () => {
  const { gateway, run } = both([toy, ...LENT_LANGUAGES]);
  expect((await run("onto.task.list limit=5")).text).toBe('{"items":[],"limit":5}');
  expect((await gateway.run({}, principal())).text).toContain('{"command": "<Toy code>"}');
});

test("without its row, its word names no language", async () => {
  expect((await both(LENT_LANGUAGES).run(toyOf("1 + 1"))).text).toBe("2");
});

test("what is prepared are the languages of programs under way, not those of others", async () => {
  let isReady = false;
  const slow = { ...toy, isPrepared: async () => isReady };
  const { gateway, run } = both([...LENT_LANGUAGES, slow]);
  gateway.warm();
  expect(await gateway.preparing()).toEqual([]);
  await run(toyOf("onto.task.list limit=3"));
  expect(await gateway.preparing()).toEqual(["Toy"]);
  isReady = true;
  expect(await gateway.preparing()).toEqual([]);
});
