/** Code that runs again: after its child was killed during a call, or in another process. Its tools are not called again. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import type { Limits } from "../../../../runtime/config/run-settings.js";
import { type Engine, HostError, type RunRequest, type Value } from "../../../../runtime/run/engine/engine.js";
import { type LoggedCall, openJournal } from "../../../../runtime/run/engine/journal.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { createRouter } from "../../../../runtime/run/engine/router.js";
import { type FakeOp, namespaceOf, requestOf } from "../../../support/run-engine.js";

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
  let isGivenUp = false;
  const namespace = namespaceOf({
    "demo.count": () => 1,
    "demo.slow": async ({ signal }) => {
      signal.addEventListener("abort", () => {
        isGivenUp = true;
      });
      for (const pid of monty.pids()) process.kill(pid, "SIGKILL");
      await sleep(300);
      aborted = signal.aborted;
      return 2;
    },
    "demo.other": () => 3,
  });
  return { request: requestOf(CODE, namespace), namespace, aborted: () => aborted, isGivenUp: () => isGivenUp };
}

test("the second run gets the answers of the first, of the call under way too", async () => {
  const { request, namespace, aborted } = killed();
  const router = createRouter({ monty, cpython: calling("demo.count", "demo.slow", "demo.other"), setting: "auto" });
  expect(await router.run(request, FACTS)).toMatchObject({ ok: true, value: [1, 2, 3] });
  expect(namespace.calls.map(({ path }) => path.join("."))).toEqual(["demo.count", "demo.slow", "demo.other"]);
  expect([aborted(), request.printed()]).toEqual([false, "again"]);
});

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
  const call = () => journal.namespace.call({ path: ["demo", "wait"], args: [], kwargs: [], signal });
  const calls = Array.from({ length: 40 }, call);
  journal.close();
  expect(await Promise.allSettled(calls)).toHaveLength(40);
  // Warnings are emitted in a later tick.
  await sleep(10);
  expect(warnings).toEqual([]);
});

test("one that would make another call says that the interpreter stopped, and its calls are given up", async () => {
  const { request, namespace, isGivenUp } = killed();
  const router = createRouter({ monty, cpython: calling("demo.other"), setting: "auto" });
  const outcome = await router.run(request, FACTS);
  expect(outcome).toMatchObject({ ok: false, kind: "crashed" });
  expect(namespace.calls.length).toBe(2);
  await expect.poll(isGivenUp).toBe(true);
});

const journaled = (
  code: string,
  earlier: readonly LoggedCall[],
  ops: Readonly<Record<string, FakeOp>>,
  limits: Partial<Limits> = {},
) => {
  const namespace = namespaceOf(ops);
  const request = requestOf(code, namespace, limits);
  const journal = openJournal(request, earlier);
  const router = createRouter({ monty, cpython: calling(), setting: "monty" });
  return { namespace, journal, outcome: router.run({ ...request, journal }, FACTS) };
};

/** Calls as they are read from a stored log: the interpreter gets many of their answers at once. */
const stored = (calls: readonly LoggedCall[], length = 1): readonly LoggedCall[] =>
  calls.map((call) => (call.answer ? { ...call, length } : call));

const WAYS = [
  { way: "one by one", keep: (calls: readonly LoggedCall[]) => calls },
  { way: "many at once", keep: stored },
];

describe.each(WAYS)("a journal of an earlier process, whose answers are given $way", ({ keep }) => {
  const code =
    "a = demo.count(1)\nb = demo.count(2)\ntry:\n  demo.nope()\nexcept Exception:\n  pass\nreturn __ret([a, b, demo.count(3)])";
  const counting = (): Readonly<Record<string, FakeOp>> => {
    let last = 0;
    return { "demo.count": () => ++last };
  };

  test("gives its answers, then the code goes on", async () => {
    const first = journaled(code, [], counting());
    expect(await first.outcome).toMatchObject({ ok: true, value: [1, 2, 3] });
    expect(first.namespace.calls.map(({ ordinal }) => ordinal)).toEqual([1, 2, 4]);
    const again = journaled(code, keep(first.journal.calls.slice(0, 2)), counting());
    expect(await again.outcome).toMatchObject({ ok: true, value: [1, 2, 1] });
    expect(again.namespace.calls.map(({ ordinal }) => ordinal)).toEqual([4]);
    expect([again.journal.hasDiverged(), again.journal.left()]).toEqual([false, 0]);
  });

  test("a call without an answer is made again, with its ordinal", async () => {
    const first = journaled(code, [], counting());
    await first.outcome;
    const [one, two] = first.journal.calls as readonly [LoggedCall, LoggedCall];
    const again = journaled(code, keep([one, { asked: two.asked, isOp: true, op: two.op }]), counting());
    expect(await again.outcome).toMatchObject({ ok: true, value: [1, 1, 2] });
    expect(again.namespace.calls.map(({ ordinal }) => ordinal)).toEqual([2, 4]);
  });

  test("what a call raised is raised again", async () => {
    const failing: Readonly<Record<string, FakeOp>> = {
      "demo.count": () => {
        throw new HostError("ValueError", "no");
      },
    };
    const caught = "try:\n  demo.count(1)\nexcept ValueError as error:\n  return __ret(str(error))";
    const first = journaled(caught, [], failing);
    expect(await first.outcome).toMatchObject({ value: "no" });
    const again = journaled(caught, keep(first.journal.calls), counting());
    expect(await again.outcome).toMatchObject({ value: "no" });
    expect(again.namespace.calls).toEqual([]);
  });

  test("other code diverges, and nothing is called", async () => {
    const first = journaled(code, [], counting());
    await first.outcome;
    const other = journaled("a = demo.count(1)\nreturn __ret(demo.count(7))", keep(first.journal.calls), counting());
    expect(await other.outcome).toMatchObject({ ok: false, pyType: "RuntimeError" });
    expect([other.journal.hasDiverged(), other.namespace.calls.length]).toEqual([true, 0]);
    const shorter = journaled("demo.count(1)\nreturn __ret(0)", keep(first.journal.calls), counting());
    await shorter.outcome;
    expect([shorter.journal.hasDiverged(), shorter.journal.left()]).toEqual([false, 3]);
  });
});

describe("a long journal of an earlier process", () => {
  const COUNT = 1300;
  const code = `total = 0\nfor i in range(${COUNT}):\n  total = total + demo.count(i)\nreturn __ret([total, demo.end()])`;
  const ops = (): Readonly<Record<string, FakeOp>> => ({ "demo.count": () => 1, "demo.end": () => "end" });
  const limits = { hostCalls: 2 * COUNT };
  const firstRun = async (): Promise<readonly LoggedCall[]> => {
    const first = journaled(code, [], ops(), limits);
    await first.outcome;
    return first.journal.calls;
  };

  test.each([1, 10_000, 1_000_000])(
    "is given in parts, of answers of %i bytes too",
    { tags: "slow" },
    async (length) => {
      const calls = (await firstRun()).slice(0, COUNT);
      const again = journaled(code, stored(calls, length), ops(), limits);
      expect(await again.outcome).toMatchObject({ value: [COUNT, "end"], stats: { hostCalls: COUNT + 1 } });
      expect(again.namespace.calls.map(({ ordinal }) => ordinal)).toEqual([COUNT + 1]);
      expect([again.journal.hasDiverged(), again.journal.left()]).toEqual([false, 0]);
    },
  );

  test("as many answers as a bound allows are known at once, up to a call that has none", () => {
    const call = { asked: "", op: "demo.count", isOp: true, answer: { value: 1 } };
    const open = { asked: "", op: "demo.count", isOp: true };
    const known = (calls: readonly LoggedCall[], most: number, length: number) =>
      openJournal(requestOf(""), calls).namespace.known?.({ calls: most, length }).length;
    const five = stored([call, call, call, call, call], 10);
    expect([known(five, 3, 100), known(five, 9, 40), known(five, 9, 9)]).toEqual([3, 4, 0]);
    expect([known([...five, open], 9, 100), known([call], 9, 100)]).toEqual([5, 0]);
  });

  test("a call that differs in the middle of a part ends the run before it calls a tool", {
    tags: "slow",
  }, async () => {
    const other = code.replace("demo.count(i)", "demo.count(i if i != 777 else -1)");
    const again = journaled(other, stored((await firstRun()).slice(0, COUNT)), ops(), limits);
    expect(await again.outcome).toMatchObject({ ok: false, pyType: "RuntimeError" });
    expect([again.journal.hasDiverged(), again.namespace.calls.length]).toEqual([true, 0]);
  });

  test("a program that catches the error of a call that differs ends, too", async () => {
    const caught = code.replace("total + demo.count(i)", "total + counted(i)");
    const counted =
      "def counted(i):\n  try:\n    return demo.count(i if i != 777 else -1)\n  except Exception:\n    return 0\n";
    const again = journaled(`${counted}${caught}`, stored((await firstRun()).slice(0, COUNT)), ops(), limits);
    await again.outcome;
    expect([again.journal.hasDiverged(), again.namespace.calls.length]).toEqual([true, 0]);
  });

  test("its calls count towards the limit of calls", { tags: "slow" }, async () => {
    const again = journaled(code, stored(await firstRun()), ops(), { hostCalls: 700 });
    expect(await again.outcome).toMatchObject({ ok: false, message: "more than 700 tool calls in one run" });
  });
});
