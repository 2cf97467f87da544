/**
 * Sources that are hard to parse: the server answers other clients meanwhile, and each source gets an answer.
 *
 * @module-tag full
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isParseLimitError,
  type PyTree,
  parsePython,
  unparsedTree,
} from "../../../../runtime/run/languages/python/python-tree.js";
import { createReader } from "../../../../runtime/run/languages/python/reader.js";
import { readQuickly } from "../../../../runtime/run/languages/python/reading.js";
import { rewrite } from "../../../../runtime/run/languages/python/rewrite.js";
import { eachCase } from "../../../support/each-case.js";
import { type HttpServed, raw, serveHttp } from "../../../support/http.js";
import { generatedRoot } from "../../../support/project.js";
import { randomOf, runs, SCALE, shuffled } from "../../../support/random.js";
import { RUN_DEMO, SLOW } from "../../../support/run/run-demo.js";
import { expectAlive, pingsDuring } from "../../../support/servers/liveness.js";
import { threadMs } from "../../../support/used.js";
import { SHAPES } from "./source-shapes.js";

/** What `limits.code_bytes` lets pass by default. */
const MOST_BYTES = 262_144;

/** Shapes that once took the event loop for seconds; of the others a hundredth is drawn, and all of them with SCALE=1. */
const ALWAYS = ["spaces before a number", "members of a text", '"a=1;"', "parentheses that match", '"`"'];
const drawn = shuffled([...SHAPES.keys()], randomOf(runs(1).seed));
const NAMES = [...new Set([...ALWAYS, ...drawn.slice(0, Math.ceil(SHAPES.size * Math.min(1, SCALE * SCALE)))])];

const sourceOf = (name: string, length: number): string => SHAPES.get(name)?.(length) ?? "";

const VOCABULARY = {
  names: {
    aliases: new Map([["ws", "demo.search"]]),
    packs: new Set(["demo", "ot"]),
    bare: new Map([["search", ["demo.search", "other.search"]]]),
  },
};

describe("a server that is sent 256 KB of hard source", () => {
  const cleaning: (() => unknown)[] = [];
  let server: HttpServed;
  beforeAll(async () => {
    const root = await generatedRoot(RUN_DEMO, (one) => void cleaning.push(one));
    server = await serveHttp(root, [], (one) => void cleaning.push(one));
    // Python and a worker are started, so that only reading is measured.
    for (const command of ["1+1", "x = 1\n".repeat(1000)]) await run(command);
  }, SLOW);
  afterAll(async () => {
    for (const one of cleaning.reverse()) await one();
  });

  const run = async (command: string): Promise<string> => {
    const params = { name: "run", arguments: { command } };
    return (await raw(server.url, { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } })).text;
  };

  // What blocks the event loop does so every time; a busy machine does not.
  eachCase(NAMES, "spaces before a number", "parentheses that match")(
    "answers others meanwhile: %s",
    { timeout: SLOW, retry: 2 },
    async (name) => {
      // A character outside of ASCII has up to four bytes.
      const bytes = Buffer.from(sourceOf(name, MOST_BYTES)).subarray(0, MOST_BYTES - 4);
      const texts: string[] = [];
      const seen = await pingsDuring({ url: server.url, pid: server.child.pid }, async () => {
        texts.push(await run(bytes.toString()));
      });
      expectAlive(seen, { worst: 100 });
      for (const text of texts) {
        expect(text).toContain('"content"');
        expect(text).not.toContain("EngineError");
      }
    },
  );
});

describe("reading", () => {
  eachCase(NAMES, ...ALWAYS)(
    "is linear in the length of %s, but for the parser",
    { tags: "full", timeout: SLOW },
    (name) => {
      const used = threadMs();
      let parseMs = 0;
      const parse = (code: string): PyTree => {
        const before = threadMs();
        try {
          return parsePython(code, performance.now() + 4000);
        } catch (error) {
          if (!isParseLimitError(error)) throw error;
          return unparsedTree(code);
        } finally {
          parseMs += threadMs() - before;
        }
      };
      const rewritten = rewrite(sourceOf(name, MOST_BYTES / 2), VOCABULARY.names, () => undefined, parse);
      rewritten.checkable();
      expect(threadMs() - used - parseMs).toBeLessThan(4000);
    },
  );

  test("is done at once for 2 KB of anything, or given up soon", { tags: "full", timeout: SLOW }, () => {
    const times = new Map<string, number>();
    const isSlow = (ms: number): boolean => ms > 30;
    // The first rounds compile the code, so a slow one is looked at more often.
    for (let round = 0; round < 12; round++)
      for (const [name, make] of SHAPES) {
        if (round >= 3 && !isSlow(times.get(name) ?? 0)) continue;
        const source = make(2048);
        const before = threadMs();
        readQuickly("command", source, VOCABULARY, 5);
        times.set(name, Math.min(times.get(name) ?? Number.POSITIVE_INFINITY, threadMs() - before));
      }
    const slow = [...times].filter(([, ms]) => isSlow(ms));
    expect(slow).toEqual([]);
  });
});

describe("a reader", () => {
  const bounds = { limits: { cpuMs: 10_000, wallMs: 55_000 } };
  const long = "x = 1\n".repeat(2000);

  test("gives the same for long code as for short code", { timeout: SLOW }, async () => {
    const reader = createReader();
    const code = `${long}import re\nws(1)\nsearch(2)\nlambda: demo.search`;
    const read = await reader.read("command", code, VOCABULARY, bounds);
    const { checkable: _, ...expected } = rewrite(code, VOCABULARY.names);
    expect(read).toMatchObject({ kind: "read", rewritten: { code: expected.code, ambiguous: expected.ambiguous } });
    if (read.kind !== "read") throw new Error("not read");
    expect(read.rewritten).toEqual(expected);
    await reader.close();
  });

  test("ends what takes too long, says so, and reads on", { tags: "full", timeout: SLOW }, async () => {
    const reader = createReader();
    const hard = sourceOf('"1 "', MOST_BYTES);
    const slow = await reader.read("command", hard, VOCABULARY, { limits: { cpuMs: 300, wallMs: 55_000 } });
    expect(slow).toEqual({
      kind: "fault",
      type: "TimeoutError",
      message: "reading the code took longer than 0.3 s (limits.cpu_ms)",
      hints: ["Next: send a shorter program, or several one after the other"],
    });
    expect(await reader.read("command", long, VOCABULARY, bounds)).toMatchObject({ kind: "read" });
    await reader.close();
  });

  test("another caller is next while one keeps both workers' line full, and none waits longer than its run", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const reader = createReader();
    const hard = sourceOf('"1 "', MOST_BYTES);
    const order: string[] = [];
    const limits = { cpuMs: 400, wallMs: 55_000 };
    const read = async (caller: string): Promise<void> => {
      await reader.read("command", hard, VOCABULARY, { limits, caller });
      order.push(caller);
    };
    await Promise.all([...Array(6).fill("a"), ...Array(6).fill("b"), "c"].map(read));
    expect(order.indexOf("c")).toBeLessThan(6);
    const greedy = [..."aaaabbbb"].map((caller) => reader.read("command", hard, VOCABULARY, { limits, caller }));
    const impatient = { limits: { cpuMs: 400, wallMs: 100 }, caller: "c" };
    expect(await reader.read("command", hard, VOCABULARY, impatient)).toMatchObject({
      type: "TimeoutError",
      message: "the run took longer than 0.1 s (limits.wall_ms) while its code waited to be read",
    });
    await Promise.all(greedy);
    await reader.close();
  });

  test("ends with the client, and with the time of the run", { tags: "full", timeout: SLOW }, async () => {
    const reader = createReader();
    const hard = sourceOf('"1 "', MOST_BYTES);
    const cancelled = reader.read("command", hard, VOCABULARY, { ...bounds, signal: AbortSignal.timeout(200) });
    expect(await cancelled).toMatchObject({ kind: "fault", type: "CancelledError" });
    const late = { limits: { cpuMs: 10_000, wallMs: 200 } };
    const all = await Promise.all([1, 2, 3].map(() => reader.read("command", hard, VOCABULARY, late)));
    for (const one of all) expect(one).toMatchObject({ kind: "fault", type: "TimeoutError" });
    await reader.close();
    expect(await reader.read("command", long, VOCABULARY, bounds)).toMatchObject({
      kind: "fault",
      type: "EngineError",
    });
  });
});
