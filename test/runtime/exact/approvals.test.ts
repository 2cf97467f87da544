/** What a person reads about a call that waits is what runs, to the last digit; and a dry run goes on with no program. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { writeJson } from "../../../runtime/contract/exact-number.js";
import { pausedObject } from "../../../runtime/gateway/caller-runs.js";
import { localPrincipal } from "../../../runtime/gateway/gateway.js";
import { decideCalls } from "../../../runtime/run/kept/ready-runs.js";
import { openState } from "../../../runtime/state/open.js";
import { exactWorld, type World } from "../../support/exact/world.js";
import { type Opened, openRoot } from "../../support/open-root.js";
import { toolwright } from "../../support/project.js";

const SLOW = 300_000;
const finished: (() => unknown)[] = [];
const later = (close: () => unknown): void => void finished.push(close);
afterAll(async () => {
  for (const close of finished.reverse()) await close();
}, SLOW);

let world: World;
let opened: Opened;
beforeAll(async () => {
  world = await exactWorld(later);
  opened = await openRoot(world.root, "\napprove: [{ ops: [api.putItem] }]\n", later);
}, SLOW);

const ARGS = '{"id":1234567890123456789,"value":9007199254740993,"amount":10.0}';
const PROGRAM = "api.putItem(id=1234567890123456789, value=2**53 + 1, amount=10.0)";

/** Runs a program until it waits. */
async function paused(program: string): Promise<{ readonly id: string; readonly text: string }> {
  const text = await opened.run(program);
  const id = /run_\w+/.exec(text)?.[0];
  if (id === undefined) throw new Error(text);
  return { id, text };
}

test("every place shows the arguments that are sent", { timeout: SLOW }, async () => {
  const { gateway, project, exec } = opened;
  const principal = { ...localPrincipal(project.settings), allowWrite: true };
  const { id, text } = await paused(PROGRAM);
  expect(text).toContain(`api.putItem ${ARGS}`);
  const waiting = await gateway.callerRuns.paused(id, principal);
  if (!waiting) throw new Error("it does not wait");
  expect(waiting.text).toContain(`api.putItem ${ARGS}`);
  expect(writeJson(pausedObject(waiting))).toContain(`"args":${ARGS}`);
  const listed = await exec("ot.runs");
  expect(listed.ok && writeJson(listed.result)).toContain(ARGS);
  const seen = await gateway.consoleData.approvals.waiting(principal);
  expect(seen.map(({ args }) => writeJson(args))).toEqual([ARGS]);
  for (const json of [[], ["--json"]]) {
    const { stdout } = await toolwright(["runs", "show", id, ...json, "--root", world.root]);
    expect(stdout).toContain(ARGS);
  }
  const state = await openState({ url: "", root: world.root });
  const decision = { status: "approved", by: "test", via: "cli", reason: "" } as const;
  await decideCalls(state, id, [], decision, Date.now());
  await state.close();
  await gateway.resume(id, principal);
  expect(world.api.url).toBe("/api/items/1234567890123456789");
  expect(world.api.body).toBe('{"value":9007199254740993,"amount":10.0}');
  const { stdout } = await toolwright(["runs", "show", id, "--root", world.root]);
  expect(stdout).toContain(`1 approved: api.putItem ${ARGS}`);
});

test("what nobody sees is an escape, wherever a person reads it", { timeout: SLOW }, async () => {
  const { id, text } = await paused(
    'api.putItem(id=1, value=["anna@exam\\u200bple.com", "a\\u202eb\\u3164c\\U000e0041d"])',
  );
  const shown = '{"id":1,"value":["anna@exam\\u200bple.com","a\\u202eb\\u3164c\\udb40\\udc41d"]}';
  expect(text).toContain(shown);
  const { stdout } = await toolwright(["runs", "show", id, "--root", world.root]);
  expect(stdout).toContain(shown);
});

test("a dry run of ot.resume goes on with no program", { timeout: SLOW }, async () => {
  const { gateway, project } = opened;
  const principal = { ...localPrincipal(project.settings), allowWrite: true };
  const { id } = await paused(PROGRAM);
  const envelope = await gateway.dispatch({ op: "ot.resume", args: { id }, dry_run: true }, principal);
  expect(envelope).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining("ot.resume takes no dry_run") },
  });
});
