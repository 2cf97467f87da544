/** The answer about an id that does not exist says where ids come from. */

import { expect, test } from "vitest";
import { startSession } from "../../../runtime/catalog/session.js";
import type { JsonObject } from "../../../runtime/codegen.js";
import { fail } from "../../../runtime/codegen.js";
import { errorOf, type FixtureOptions, fixture, handler, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

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

const NOTE = { type: "string", pattern: "^n_[0-9]+$" };
const PAGE = { type: "string", examples: ["p-cover"], pattern: "^p-" };
const ofApi = (op: string, send: string, properties: JsonObject = {}, required = Object.keys(properties)) =>
  toolOf({
    op,
    tool: op.replaceAll(".", "_"),
    kind: send.startsWith("GET ") ? "read" : "write",
    schema: closed(properties, required),
    extra: { request: { send } },
  });
const API = [
  ofApi("zeta.notes", "GET /notes"),
  ofApi("zeta.pages", "GET /notes/{id}/pages", { id: NOTE }),
  ofApi("zeta.showPage", "GET /notes/{note}/pages/{page}", { note: NOTE, page: PAGE }),
  ofApi("zeta.dogs", "GET /dogs", { owner: { type: "string" } }),
  ofApi("zeta.showDog", "GET /dogs/{dog}", { dog: NOTE }),
];
const absent = handler(async () => fail("NOT_FOUND", "api answers with 404", { status: 404, server: "api" }));

async function errorOfPage(args: JsonObject, op = "zeta.showPage") {
  const { exec } = fixture({ more: API, handlers: { "zeta.showPage": absent } });
  return errorOf(await exec(op, args));
}

test("an id in the address of an API that is missing or has another form: the ops that list, and the form", async () => {
  const missing = await errorOfPage({});
  expect(missing.message).toBe(
    "2 arguments need attention: note is missing; page is missing. Ids come from zeta.notes or zeta.pages.",
  );
  expect(missing.corrected_call?.args).toEqual({ note: "<note: n_NUMBER>", page: "<page: such as p-cover>" });
  expect((await errorOfPage({ note: "x", page: "p-1" })).message).toMatch(/ Ids come from zeta\.notes\.$/);
});

test("an id in the address of an API that the server does not know: the ops that list", async () => {
  const { message } = await errorOfPage({ note: "n_1", page: "p-1" });
  expect(message).toBe("api answers with 404. Ids come from zeta.notes or zeta.pages.");
});

test("an op that lists only with another argument does not say where ids come from", async () => {
  expect((await errorOfPage({}, "zeta.showDog")).message).toBe("1 argument needs attention: dog is missing.");
});

test("a call that failed three times says it too, and is not the example of an empty call", async () => {
  const { gateway, exec } = fixture({ more: API, handlers: { "zeta.showDog": handler(async () => ({})) } });
  const session = startSession();
  for (let time = 0; time < 9; time++) await exec("zeta.showDog", { dog: "n_1" });
  const empty = async () => errorOf(await gateway.dispatch({}, principal(), { session })).corrected_call?.op;
  expect(await empty()).toBe("zeta.showDog");
  const answers = [];
  for (let time = 0; time < 3; time++)
    answers.push(errorOf(await exec("zeta.showDog", {}, {}, principal(), { session })));
  expect(answers[2]?.message).toMatch(/^Stop: .*Ask the person for dog \(string\)\.$/);
  expect(await empty()).not.toBe("zeta.showDog");
  for (let time = 0; time < 3; time++)
    answers.push(errorOf(await exec("zeta.pages", {}, {}, principal(), { session })));
  expect(answers[5]?.message).toMatch(/^Stop: .*Ask the person for id \(string\)\. Ids come from zeta\.notes\.$/);
});
