/** A run whose child is killed during a call runs again, and its tools are not called again. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import type { Engine, RunRequest, Value } from "../../../../runtime/run/engine/engine.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { createRouter } from "../../../../runtime/run/engine/router.js";
import { namespaceOf, requestOf } from "../../../support/run-engine.js";

const monty = createMonty({ children: 1 });
afterAll(() => monty.dispose());

const FACTS = { parsed: true, features: [], imports: [], bound: new Set<string>() };
const CODE = "a = demo.count()\nb = demo.slow()\n__ret([a, b])";

/** Replaces CPython: makes the given calls. */
const calling = (...paths: readonly string[]): Engine => ({
  id: "cpython",
  supports: () => true,
  async run({ namespace, onPrint }: RunRequest) {
    const stats = { engine: "cpython", wallMs: 1, cpuMs: 1, hostCalls: paths.length, printedBytes: 0 };
    const signal = new AbortController().signal;
    const value: Value[] = [];
    try {
      for (const path of paths)
        value.push(await namespace.call({ path: path.split("."), args: [], kwargs: [], signal }));
    } catch (error) {
      return { ok: false, kind: "runtime", pyType: "RuntimeError", message: String(error), stats };
    }
    onPrint("again");
    return { ok: true, outcome: "value", value, stats };
  },
  dispose: async () => undefined,
});

/** A request whose second call kills the child that asked for it, and answers a little later. */
function killed() {
  let aborted = false;
  const namespace = namespaceOf({
    "demo.count": () => 1,
    "demo.slow": async ({ signal }) => {
      for (const pid of monty.pids()) process.kill(pid, "SIGKILL");
      await sleep(300);
      aborted = signal.aborted;
      return 2;
    },
    "demo.other": () => 3,
  });
  return { request: requestOf(CODE, namespace), namespace, aborted: () => aborted };
}

test("the second run gets the answers of the first, of the call under way too", async () => {
  const { request, namespace, aborted } = killed();
  const router = createRouter({ monty, cpython: calling("demo.count", "demo.slow", "demo.other"), setting: "auto" });
  expect(await router.run(request, FACTS)).toMatchObject({ ok: true, value: [1, 2, 3] });
  expect(namespace.calls.map(({ path }) => path.join("."))).toEqual(["demo.count", "demo.slow", "demo.other"]);
  expect([aborted(), request.printed()]).toEqual([false, "again"]);
});

test("one that would make another call says that the interpreter stopped, and its calls are given up", async () => {
  const { request, namespace, aborted } = killed();
  const router = createRouter({ monty, cpython: calling("demo.other"), setting: "auto" });
  const outcome = await router.run(request, FACTS);
  expect(outcome).toMatchObject({ ok: false, kind: "crashed" });
  expect(namespace.calls.length).toBe(2);
  await expect.poll(aborted).toBe(true);
});
