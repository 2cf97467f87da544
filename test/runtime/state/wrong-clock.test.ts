/** Processes whose clock is days wrong lose nothing that the state database of a project holds, and repeat nothing. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { CHECKOUT, generatedRoot, serve, toolwright } from "../../support/project.js";
import { notesOf } from "../../support/servers/approving.js";

const SLOW = 400_000;
const DAY = 86_400_000;

/** A project with a call that waits for a person and a write with a key, both made by commands. */
async function project() {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/access-demo/definitions"));
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    'sources: [{ functions: vault.ts }]\napprove: [{ ops: ["vault.add_note"], when: { text: { const: asked } } }]\n',
  );
  const shift = join(root, "shift.mjs");
  writeFileSync(
    shift,
    `const by = Number(process.env.SHIFT_MS), Now = Date;
     globalThis.Date = class extends Now {
       constructor(...given) { given.length === 0 ? super(Now.now() + by) : super(...given); }
       static now() { return Now.now() + by; }
     };`,
  );
  const env = (days: number) =>
    days === 0 ? {} : { NODE_OPTIONS: `--import ${pathToFileURL(shift)}`, SHIFT_MS: String(days * DAY) };
  const args = { text: "once", file: join(root, "notes.txt") };
  const command = (days: number, ...given: readonly string[]) =>
    toolwright([...given, "--root", root], { env: env(days) });
  const add = (days: number) => {
    const flags = ["--args", JSON.stringify(args), "--allow-write", "--idempotency-key", "k1"];
    return command(days, "exec", "vault.add_note", ...flags);
  };
  const code = `vault.add_note(text="asked", file=${JSON.stringify(args.file)})["text"]`;
  const paused = await command(0, "run", "--allow-write", "-c", code);
  const [run = ""] = /run_\w+/.exec(paused.stdout + paused.stderr) ?? [];
  expect(run, paused.stdout + paused.stderr).not.toBe("");
  const first = await add(0);
  expect(first.stderr).toBe("");
  expect(JSON.parse(first.stdout)).toMatchObject({ ok: true });
  /** What must be there still. */
  const kept = async () => {
    const state = await openState({ url: "", root });
    const found = await state.transaction("read", async (tx) => ({
      runs: (await queries(tx).selectFrom("runs").select(["id", "status"]).execute()).filter(({ id }) => id === run),
      approvals: await queries(tx).selectFrom("approvals").select("status").where("run_id", "=", run).execute(),
      keys: await queries(tx).selectFrom("ledger").select("status").where("key", "=", "k1").execute(),
    }));
    await state.close();
    return found;
  };
  return { root, run, args, env, command, add, kept };
}

const ALL = {
  runs: [{ id: expect.any(String), status: "running" }],
  approvals: [{ status: "waiting" }],
  keys: [{ status: "succeeded" }],
};

describe.each([8, -8])("a clock that is %i days wrong", (days) => {
  test("in commands: all stays, and a repeated key does not act again", { timeout: SLOW }, async () => {
    const { root, run, command, add, kept } = await project();
    await command(days, "run", "-c", "len(vault.list_notes())");
    await command(days, "exec", "vault.list_notes");
    await command(days, "runs", "list");
    for (const at of [days, 0]) {
      const again = JSON.parse((await add(at)).stdout);
      expect(again).toMatchObject({ ok: true, meta: { replayed: true } });
    }
    expect(notesOf(root)).toEqual(["local: once"]);
    expect(await kept()).toEqual(ALL);
    expect((await command(0, "runs", "approve", run)).stdout).toContain("approved");
  });

  test("in servers, one after the other: all stays, and the one ahead says so", { timeout: SLOW }, async () => {
    const { root, args, env, kept } = await project();
    for (let round = 0; round < 2; round++) {
      const served = await serve(root, ["--allow-write"], { ...env(days) } as Readonly<Record<string, string>>);
      for (const key of ["k1", `other ${round}`, "k1"]) {
        const asked = { op: "vault.add_note", args: { ...args, text: key === "k1" ? "once" : key } };
        const { value } = await served.call("tool_exec", { ...asked, idempotency_key: key });
        expect(value).toMatchObject({ ok: true });
        await served.call("tool_exec", { op: "vault.list_notes" });
      }
      // Statistics are written each second, and jobs look for work every five.
      await new Promise((resolve) => setTimeout(resolve, 7000));
      if (round === 0) expect(served.stderr()).toContain("old rows of the state database are kept");
      await served.close();
    }
    expect(notesOf(root)).toEqual(["local: once", "local: other 0", "local: other 1"]);
    expect(await kept()).toEqual(ALL);
    const right = await serve(root, ["--allow-write"]);
    const { value } = await right.call("tool_exec", { op: "vault.add_note", args, idempotency_key: "k1" });
    expect(value).toMatchObject({ meta: { replayed: true } });
    await right.close();
    expect(await kept()).toEqual(ALL);
  });
});
