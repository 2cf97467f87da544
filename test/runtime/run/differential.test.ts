/** Both engines on the same code: what Monty answers where the router would let it, CPython answers too. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { createMonty } from "../../../runtime/run/engine/monty.js";
import { createRouter } from "../../../runtime/run/engine/router.js";
import { rewrite } from "../../../runtime/run/rewrite.js";
import { expressions } from "../../support/python-expressions.js";
import { runs } from "../../support/random.js";
import { namespaceOf, pythonBatch, requestOf } from "../../support/run-engine.js";

const NAMES = { aliases: new Map(), packs: new Set<string>(), bare: new Map() };

/** The reply of Monty, where it stands: none where the router leaves the code to CPython, at once or for a second run. */
async function montyReplies(codes: readonly string[]): Promise<readonly (string | undefined)[]> {
  const monty = createMonty({ children: 1 });
  const elsewhere = { ok: false, kind: "crashed", pyType: "Elsewhere", message: "" } as const;
  const router = createRouter({
    monty,
    cpython: {
      id: "cpython",
      supports: () => true,
      run: async () => ({
        ...elsewhere,
        stats: { engine: "cpython", wallMs: 0, cpuMs: 0, hostCalls: 0, printedBytes: 0 },
      }),
      dispose: async () => undefined,
    },
    setting: "auto",
    fault: async () => undefined,
  });
  const replies: (string | undefined)[] = [];
  for (const code of codes) {
    const { code: rewritten, facts } = rewrite(code, NAMES);
    const request = requestOf(rewritten, namespaceOf({}));
    const outcome = await router.run(request, facts);
    if (!outcome.ok && outcome.pyType === "Elsewhere") replies.push(undefined);
    else replies.push(outcome.ok ? request.printed() : `${request.printed()}${outcome.pyType}: ${outcome.message}`);
  }
  await monty.dispose();
  return replies;
}

/** Where the engines differ for a reason. */
const REASONS: readonly (readonly [reason: string, pattern: RegExp])[] = [
  ["the type of a builtin that a check stands for", /\btype\(/],
  ["whole numbers beyond 64 bits beside floats", /10\*\*20/],
  ["division of infinity", /float\('inf'\)/],
];

test("expressions: Monty's answer is CPython's", async () => {
  const { seed, numRuns } = runs(20_000);
  const codes = fc.sample(expressions, { seed, numRuns }).map((one) => `print(repr(${one}))`);
  const [monty, python] = await Promise.all([montyReplies(codes), pythonBatch(codes)]);
  const differ = codes
    .map((code, i) => ({ code, monty: monty[i], python: python[i] }))
    .filter((one) => one.monty !== undefined && one.monty !== one.python);
  const unexplained = differ.filter(({ code }) => !REASONS.some(([, pattern]) => pattern.test(code)));
  expect(unexplained).toEqual([]);
  // Monty takes a good part of them.
  expect(monty.filter((one) => one !== undefined).length).toBeGreaterThan(numRuns / 10);
}, 600_000);
