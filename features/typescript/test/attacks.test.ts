/** Programs that attack: each ends with an error or the value that it should have, in time, and the next program finds nothing of it. */

import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { eachCase } from "../../../test/support/each-case.js";
import { ATTACKS, LATE } from "./attack-list.js";
import { givenBy, typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns();
const CPU_MS = 300;
/** CPU time that a program may take beyond its limit: until the interpreter ends it, until its process is killed. */
const LATE_MS = { interrupted: 50, killed: 600 } as const;
/** Memory of a process beyond the limit of its programs. */
const MORE_BYTES = 128_000_000;
const LIMITS = { cpuMs: CPU_MS, memoryBytes: 64_000_000 };

/** What a program finds: the names and the code of what it can use, and what a call and a print give. */
const LOOK = `
const seen = [];
const show = (one) => typeof one === "function" ? Function.prototype.toString.call(one) : typeof one;
const look = (name, owner) => {
  for (const key of Reflect.ownKeys(owner)) {
    const { get, set, value, writable, configurable } = Reflect.getOwnPropertyDescriptor(owner, key);
    seen.push([name, String(key), show(get), show(set), show(value), writable, configurable, Object.isFrozen(owner)].join(" "));
  }
};
look("globalThis", globalThis);
for (const name of Object.getOwnPropertyNames(globalThis)) {
  const value = globalThis[name];
  if ((typeof value !== "object" && typeof value !== "function") || value === null || value === globalThis || name === "demo") continue;
  look(name, value);
  if (value.prototype) look(name + ".prototype", value.prototype);
}
console.log("one");
[seen.join("\\n"), await demo.echo({ value: { a: [1, new Date(0), "x"] } }), /a+/.exec("caab")[0], Symbol.for("s0").description, Object.keys(demo)]`;

/** The most memory of a process that runs programs for this thread, in bytes; 0 where the system does not tell it. */
function mostMemory(): number {
  try {
    const children = readFileSync("/proc/thread-self/children", "latin1").split(" ").filter(Boolean);
    return Math.max(0, ...children.map(memoryOf));
  } catch {
    return 0;
  }
}
function memoryOf(pid: string): number {
  if (!readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("quickjs-child")) return 0;
  const [, kilobytes = 0] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
  return Number(kilobytes) * 1024;
}
/** Measures until the end of a test. */
function measuredMemory(): () => number {
  let most = 0;
  const look = (): number => {
    most = Math.max(most, mostMemory());
    return most;
  };
  const timer = setInterval(look, 20);
  onTestFinished(() => clearInterval(timer));
  return look;
}

/** What a program finds in a process that has run nothing else. */
let fresh: string | undefined;
const found = async () => givenBy(await run(LOOK));

eachCase(
  ATTACKS,
  ...["a loop", "microtasks", "a regex that goes back", "join of a billion items"],
  ...["a list that grows", "recursion", "a chain of 100,000 bind", "an answer of 100,000 levels"],
  ...["keys of every object", "species that throws", "methods of lists", "then of every object"],
  ...["forged messages in a print", "types that never end", "prints", "calls at once", "nothing that is under way"],
  ...["a revoked proxy that is thrown by a timer", "a huge name of an error", "a format that never ends"],
  ...["a revoked proxy that a microtask throws", "timers", "the parent of ToolError, where a call fails"],
)("%s: an end, and the next program finds nothing of it", { timeout: 120_000 }, async (_name, code, gives) => {
  fresh ??= await found();
  const memory = measuredMemory();
  const outcome = await run(code, { limits: LIMITS });
  expect(memory()).toBeLessThan(LIMITS.memoryBytes + MORE_BYTES);
  expect(givenBy(outcome)).toMatch(gives);
  // That would be a fault of the server, which its log would have to explain.
  expect(outcome.ok ? "" : outcome.name).not.toBe("EngineError");
  const lateMs = gives === LATE ? LATE_MS.interrupted : LATE_MS.killed;
  if ("stats" in outcome) expect(outcome.stats.cpuMs).toBeLessThan(CPU_MS + lateMs);
  expect(await found()).toBe(fresh);
});

test("there is a list of attacks of every kind, each by a name of its own", () => {
  expect(new Set(ATTACKS.map(([name]) => name)).size).toBe(ATTACKS.length);
  expect(ATTACKS.length).toBeGreaterThanOrEqual(57);
});
