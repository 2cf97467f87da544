/** Runs and results of a key that was replaced: the caller with the new key goes on with them. */

import { expect, test } from "vitest";
import { keep, query, resume, runs } from "../../../../definitions/packs/ot.js";
import { openKeys } from "../../../../runtime/access/keys.js";
import { keyPrincipal } from "../../../../runtime/access/principal.js";
import { silentLog } from "../../../../runtime/config/log.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";
import { DELETE, MINUTE, onBoth, type ServerOptions, SLOW } from "./databases.js";

const TEXT = { type: "string" };
const op = (name: string, args: Readonly<Record<string, object>>) =>
  toolOf({
    op: `ot.${name}`,
    tool: `ot_${name}`,
    kind: "read",
    schema: closed(args as never, Object.keys(args)),
    extra: { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" },
  });
const OT: ServerOptions = {
  more: [
    op("runs", {}),
    op("resume", { id: TEXT }),
    op("keep", { value: {} }),
    op("query", { handle: TEXT, sql: TEXT }),
  ],
  handlers: {
    "ot.runs": ((_: unknown, ctx: never) => runs(ctx)) as never,
    "ot.resume": resume as never,
    "ot.keep": keep as never,
    "ot.query": query as never,
  },
};

onBoth((at) => {
  /** A key store with an agent, whose key can be replaced. */
  async function agents() {
    const state = async () => at.state;
    const keys = openKeys({
      root: at.root,
      url: at.url,
      state,
      projectExists: async () => true,
      log: silentLog,
      clock: () => at.now.at,
    });
    const callerOf = async (text: string) => {
      const live = await keys.verify(text);
      if (!live) throw new Error("the key is not live");
      return keyPrincipal(live);
    };
    const made = async (name: string) => callerOf((await keys.create({ name, scope: "write" }, "local")).key);
    const rotated = async (id: string) => {
      const { key } = await keys.rotate(id, MINUTE);
      at.now.at += 2 * MINUTE;
      return callerOf(key);
    };
    return { keys, made, rotated };
  }

  test("its run is listed and resumed, as often as the key is replaced", { timeout: SLOW }, async () => {
    const { keys, made, rotated } = await agents();
    const first = await made("agent one");
    const stranger = await made("stranger");
    const given = { ...OT, keys };
    const { id } = await at.paused(`${DELETE}\nonto.task.delete(task_id="task_2")["deleted"]`, given, first);
    const second = await rotated(first.id);
    const { exec } = at.server(given);
    expect(await exec("ot.runs", {}, {}, stranger)).toMatchObject({ result: [] });
    expect(await exec("ot.resume", { id }, {}, stranger)).toMatchObject({ error: { code: "NOT_FOUND" } });
    expect(await exec("ot.runs", {}, {}, second)).toMatchObject({ result: [{ id, waiting: [{ call: "1" }] }] });
    await at.decidedOnly(id);
    expect(await exec("ot.resume", { id }, {}, second)).toMatchObject({
      error: { details: { status: "paused", run: id, waiting: [{ call: "2" }] } },
    });
    const third = await rotated(second.id);
    await at.decidedOnly(id);
    expect(await exec("ot.resume", { id }, {}, third)).toMatchObject({ result: "task_2" });
    expect(at.sent).toEqual(["task_1", "task_2"]);
    expect(await exec("ot.runs", {}, {}, third)).toMatchObject({ result: [{ id, status: "done" }] });
    await keys.close();
  });

  test("a write that was under way is sent again with the key that it had", { timeout: SLOW }, async () => {
    const { keys, made, rotated } = await agents();
    const first = await made("agent two");
    const passed: unknown[] = [];
    const free: ServerOptions = { ...OT, keys, approve: [], isRepeatable: true };
    const lost = at.server({
      ...free,
      onDelete: async (_, { idempotencyKey }) => (passed.push(idempotencyKey), new Promise(() => undefined)),
    });
    void lost.gateway.run({ command: DELETE }, first);
    await expect.poll(() => passed.length, { timeout: SLOW }).toBe(1);
    await lost.kill();
    const [{ id = "" } = {}] = await at.runs();
    const second = await rotated(first.id);
    const onDelete = async (_: unknown, { idempotencyKey }: { idempotencyKey?: string }) =>
      void passed.push(idempotencyKey);
    const { exec } = at.server({ ...free, onDelete });
    expect(await exec("ot.resume", { id }, {}, second)).toMatchObject({ result: "task_1" });
    expect(passed).toEqual([passed[0], passed[0]]);
    await keys.close();
  });

  test("its stored results are read", { timeout: SLOW }, async () => {
    const { keys, made, rotated } = await agents();
    const first = await made("agent three");
    const stranger = await made("stranger two");
    const { exec } = at.server({ ...OT, keys });
    const kept = await exec("ot.keep", { value: [{ n: 1 }] }, {}, first);
    const handle = kept.ok ? (kept.result as { readonly handle: string }).handle : "";
    const second = await rotated(first.id);
    const asked = { handle, sql: "select n from r" };
    expect(await exec("ot.query", asked, {}, second)).toMatchObject({ ok: true });
    expect(await exec("ot.query", asked, {}, stranger)).toMatchObject({ error: { code: "NOT_FOUND" } });
    await keys.close();
  });
});
