/** Ops that count as reads and change something: by the calls that they pass on, or by themselves. */

import { expect, test } from "vitest";
import { localPrincipal } from "../../../runtime/gateway/gateway.js";
import { openRoot, writeTools } from "../../../test/support/open-root.js";
import { generatedRoot } from "../../../test/support/project.js";
import { RUN_DEMO, SLOW } from "../../../test/support/run/run-demo.js";

const FILES = {
  "ledge.ts": `const kept: string[] = [];
/** Adds a book. @kind write */
export async function add_book({ title }: { title: string }): Promise<{ count: number }> { return { count: kept.push(title) }; }
/** Lists books. @kind read */
export async function list_books(): Promise<{ count: number }> { return { count: kept.length }; }`,
  "outer.py": `readonly = True
def list_all() -> dict:
  "Lists books."
  return ledge.list_books()`,
};

const ADD = { calls: [["ledge.add_book", { title: "a" }]] };
const LOOK = { calls: [["ledge.list_books"]] };

async function opened() {
  const root = await generatedRoot(RUN_DEMO);
  writeTools(root, FILES);
  const { gateway, project } = await openRoot(root, "trust: local\n");
  const principal = { ...localPrincipal(project.settings), allowWrite: true };
  const exec = (op: string, more: object = {}) => gateway.dispatch({ op, ...more }, principal);
  const count = async () => (await exec("ledge.list_books")) as object;
  return { exec, count, batch: (request: object) => gateway.batch(request, principal) };
}

test("a dry run and a key of a call that passes calls on are refused", { timeout: SLOW }, async () => {
  const { exec, count } = await opened();
  for (const [field, value] of [
    ["dry_run", true],
    ["idempotency_key", "k"],
  ] as const) {
    expect(await exec("ot.batch", { args: ADD, [field]: value })).toMatchObject({
      ok: false,
      error: { code: "VALIDATION_ERROR", message: expect.stringMatching(`^ot.batch takes no ${field}: .* tool_batch`) },
    });
    for (const [op, args] of [
      ["ot.notify", { topic: "status:x", message: "m" }],
      ["ot.reload", {}],
      ["ot.resume", { id: "run_k3v9q2m4x7ab" }],
    ] as const)
      expect(await exec(op, { args, [field]: value })).toMatchObject({
        error: { message: expect.stringMatching(`^${op} takes no ${field}: .* Leave it out`) },
      });
  }
  expect(await count()).toMatchObject({ ok: true, result: { count: 0 } });
  expect(await exec("ot.batch", { args: ADD, dry_run: false })).toMatchObject({ result: [{ count: 1 }] });
  const { meta } = await exec("outer.list_all", { dry_run: true });
  expect(meta.warnings).toEqual(["dry_run_ignored: a read changes nothing"]);
});

test("calls that are passed on in a parallel batch only read", { timeout: SLOW }, async () => {
  const { batch, count } = await opened();
  const entries = (...ops: readonly object[]) => batch({ mode: "parallel", ops });
  const refused = "ledge.add_book changes something, and a parallel batch only reads";
  expect(
    await entries({ op: "ot.batch", args: ADD }, { op: "ot.batch", args: LOOK }, { op: "outer.list_all" }),
  ).toMatchObject({
    results: [
      { ok: true, result: [{ error: expect.stringContaining(refused) }] },
      { ok: true, result: [{ count: 0 }] },
      { ok: true, result: { count: 0 } },
    ],
  });
  expect(await entries({ op: "ot.resume", args: { id: "run_k3v9q2m4x7ab" } })).toMatchObject({
    results: [{ ok: false, error: { message: expect.stringContaining('Use mode "sequential"') } }],
  });
  expect(await count()).toMatchObject({ result: { count: 0 } });
  expect(await batch({ ops: [{ op: "ot.batch", args: ADD }] })).toMatchObject({
    results: [{ result: [{ count: 1 }] }],
  });
});
