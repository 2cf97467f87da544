/** Code that runs again in another process, with the calls of the first one: its tools are not called again. */

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { HostError } from "../../../../runtime/run/engine/engine.js";
import { type Journal, type LoggedCall, openJournal } from "../../../../runtime/run/engine/journal.js";
import type { Data } from "../../../../runtime/run/languages/language.js";
import { pythonEngine } from "../../../support/run/python.js";
import { type FakeOp, namespaceOf, requestOf } from "../../../support/run/run-engine.js";

test("many calls may wait at once: Node.js does not warn of their listeners", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  onTestFinished(() => void process.off("warning", warned));
  const namespace = namespaceOf({
    "demo.wait": ({ signal }) => new Promise<never>((_, reject) => signal.addEventListener("abort", reject)),
  });
  const { signal } = new AbortController();
  const journal = openJournal({ namespace, signal });
  const call = () => journal.namespace.call({ path: ["demo", "wait"], positional: [], named: [], signal });
  const calls = Array.from({ length: 40 }, call);
  journal.close();
  expect(await Promise.allSettled(calls)).toHaveLength(40);
  // Warnings are emitted in a later tick.
  await sleep(10);
  expect(warnings).toEqual([]);
});

type Asked = readonly [path: string, ...args: readonly Data[]];

/** Opens a journal of earlier calls, and makes calls as code does that catches what they raise. */
async function journaled(
  calls: readonly Asked[],
  earlier: readonly LoggedCall[],
  ops: Readonly<Record<string, FakeOp>>,
): Promise<{ journal: Journal; made: readonly (number | undefined)[]; values: readonly unknown[] }> {
  const namespace = namespaceOf(ops);
  const journal = openJournal({ namespace }, earlier);
  const { signal } = new AbortController();
  const values: unknown[] = [];
  for (const [path, ...args] of calls)
    values.push(
      await journal.namespace
        .call({ path: path.split("."), positional: args, named: [], signal })
        .catch((error: Error) => error),
    );
  return { journal, made: namespace.calls.map(({ ordinal }) => ordinal), values };
}

const counting = (): Readonly<Record<string, FakeOp>> => {
  let last = 0;
  return { "demo.count": () => ++last };
};
const THREE: readonly Asked[] = [1, 2, 3].map((n) => ["demo.count", n]);

describe("a journal of an earlier process", () => {
  test("gives its answers, then the code goes on", async () => {
    const first = await journaled(THREE, [], counting());
    expect([first.values, first.made]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    const again = await journaled(THREE, first.journal.calls.slice(0, 2), counting());
    expect([again.values, again.made]).toEqual([[1, 2, 1], [3]]);
    expect([again.journal.hasDiverged(), again.journal.left()]).toEqual([false, 0]);
  });

  test("a call without an answer is made again, with its ordinal", async () => {
    const { journal } = await journaled(THREE, [], counting());
    const [one, two] = journal.calls as readonly [LoggedCall, LoggedCall];
    const again = await journaled(THREE, [one, { asked: two.asked, isOp: true, op: two.op }], counting());
    expect([again.values, again.made]).toEqual([
      [1, 1, 2],
      [2, 3],
    ]);
  });

  test("what a call raised is raised again", async () => {
    const failing: Readonly<Record<string, FakeOp>> = {
      "demo.count": () => {
        throw new HostError("ValueError", "no");
      },
    };
    const one = THREE.slice(0, 1);
    const first = await journaled(one, [], failing);
    expect(first.values).toEqual([new HostError("ValueError", "no")]);
    const again = await journaled(one, first.journal.calls, counting());
    expect([again.values, again.made]).toEqual([first.values, []]);
  });

  test("another call diverges, and nothing is called from then on, whatever the code catches", async () => {
    const { journal } = await journaled(THREE, [], counting());
    const other = await journaled([THREE[0] as Asked, ["demo.count", 7], ...THREE], journal.calls, counting());
    expect(other.values.slice(1)).toEqual(
      Array(4).fill(expect.objectContaining({ message: "the call differs from the one that was made" })),
    );
    expect([other.journal.hasDiverged(), other.made]).toEqual([true, []]);
    const shorter = await journaled(THREE.slice(0, 1), journal.calls, counting());
    expect([shorter.journal.hasDiverged(), shorter.journal.left()]).toEqual([false, 2]);
  });

  test("calls of unknown names, which earlier versions made, may be left out", async () => {
    const nope: Asked = ["demo.nope"];
    const { journal } = await journaled([...THREE.slice(0, 2), nope, ...THREE.slice(2), nope], [], counting());
    expect(journal.calls.map(({ isOp }) => isOp)).toEqual([true, true, false, true, false]);
    const again = await journaled(THREE, journal.calls, counting());
    expect([again.values, again.made]).toEqual([[1, 2, 3], []]);
    expect([again.journal.hasDiverged(), again.journal.left()]).toEqual([false, 0]);
  });
});

describe("on the engine", () => {
  const engine = pythonEngine();

  test("answers that are given again count towards the limit of calls", async () => {
    const { journal } = await journaled(THREE, [], counting());
    const request = requestOf("for i in (1, 2, 3): demo.count(i)", namespaceOf(counting()), { hostCalls: 2 });
    const { namespace } = openJournal(request, journal.calls);
    const outcome = await engine().run({ ...request, namespace });
    expect(outcome).toMatchObject({ ok: false, message: "more than 2 tool calls in one run" });
  });

  test("a program gets its whole journal, and goes on", async () => {
    const count = 300;
    const code = `total = 0\nfor i in range(${count}): total += demo.count(i)\n__ret([total, demo.end()])`;
    const ops = { "demo.count": () => 1, "demo.end": () => "end" };
    const calls = Array.from({ length: count }, (_, i): Asked => ["demo.count", i]);
    const { journal } = await journaled(calls, [], ops);
    const namespace = namespaceOf(ops);
    const request = requestOf(code, namespace, { hostCalls: 2 * count, wallMs: 100_000 });
    const again = openJournal(request, journal.calls);
    const outcome = await engine().run({ ...request, namespace: again.namespace });
    expect(outcome).toMatchObject({ value: [count, "end"], stats: { hostCalls: count + 1 } });
    expect(namespace.calls.map(({ ordinal }) => ordinal)).toEqual([count + 1]);
    expect([again.hasDiverged(), again.left()]).toEqual([false, 0]);
  });
});
