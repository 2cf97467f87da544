/** The answer about an id that does not exist says where ids come from. */

import { expect, test } from "vitest";
import { fail } from "../../../runtime/codegen.js";
import { errorOf, type FixtureOptions, fixture, handler } from "../gateway/fixture.js";

const lost = handler(async ({ task_id }) =>
  fail("NOT_FOUND", `No task ${task_id}.`, { kind: "task", id: String(task_id) }),
);
const found = (items: readonly unknown[]) => handler(async () => ({ items }));

async function messageOf(task_id: string, handlers: FixtureOptions["handlers"] = {}) {
  const made = fixture({ handlers: { "onto.task.delete": lost, ...handlers } });
  return { ...made, message: errorOf(await made.exec("onto.task.delete", { task_id })).message };
}

test("the nearest titles, for an id with words", async () => {
  const items = [{ id: "task_1", title: "Call Anna" }, { id: "task_2", label: "Call Bob" }, { id: 3, title: "x" }, "y"];
  const { message } = await messageOf("task_call_anna", { "onto.task.search": found(items) });
  expect(message).toBe("No task task_call_anna. Nearest by title: Call Anna (task_1), Call Bob (task_2).");
});

test("the ops that list and search, if an id has no words or nothing is found", async () => {
  const says = (id: string): string => `No task ${id}. Ids come from onto.task.list or onto.task.search.`;
  const { message, calls } = await messageOf("task_00000001");
  expect(message).toBe(says("task_00000001"));
  expect(calls).toEqual([]);
  expect((await messageOf("task_call_anna")).message).toBe(says("task_call_anna"));
  const broken = handler(async () => fail("UNAVAILABLE", "away"));
  expect((await messageOf("task_call_anna", { "onto.task.search": broken })).message).toBe(says("task_call_anna"));
});

test("nothing for a kind that no op lists", async () => {
  const other = handler(async () => fail("NOT_FOUND", "No goal goal_1.", { kind: "goal", id: "goal_1" }));
  expect((await messageOf("task_1", { "onto.task.delete": other })).message).toBe("No goal goal_1.");
});
