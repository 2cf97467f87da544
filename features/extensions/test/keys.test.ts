/** Idempotency keys of calls that a program makes through other calls: `ot.batch` and Python tools. */

import { expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { openRoot, writeTools } from "../../../test/support/open-root.js";
import { generatedRoot } from "../../../test/support/project.js";
import { RUN_DEMO } from "../../../test/support/run/run-demo.js";

const FILES = {
  "keys.ts": `import type { Context } from "toolwright/codegen";
/** Tells its key. */
export async function seen(_: object, ctx: Context) { return ctx.idempotencyKey ?? null; }`,
  "outer.py": `def twice() -> list:
  "Calls it twice."
  return [keys.seen(), keys.seen()]`,
};
const PATIENT = "trust: local\nlimits: { call_timeout_ms: 110000, wall_ms: 110000 }\n";

test("a call has the key of its place in the run, and in the call that makes it", {
  timeout: 300_000,
  tags: "slow",
}, async () => {
  const root = await generatedRoot(RUN_DEMO);
  writeTools(root, FILES);
  const { run, gateway } = await openRoot(root, PATIENT);
  const command = '[keys.seen()] + outer.twice() + ot.batch(calls=[("keys.seen", {}), ("keys.seen", {})])';
  const keys = JSON.parse(await run(command));
  expect(keys).toEqual(Array(5).fill(expect.stringMatching(/^[0-9a-f]{32}$/)));
  expect(new Set(keys).size).toBe(5);
  await gateway.close();
  const state = await openState({ url: "", root });
  const rows = await state.transaction("read", (tx) =>
    queries(tx).selectFrom("ledger").select(["op", "key"]).execute(),
  );
  await state.close();
  const places = rows.map(({ op, key }) => `${op} ${key.split(":")[1]}`).sort();
  expect(places).toEqual([
    "keys.seen 1",
    "keys.seen 2.1",
    "keys.seen 2.2",
    "keys.seen 3.1",
    "keys.seen 3.2",
    "outer.twice 2",
  ]);
});
