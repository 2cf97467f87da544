/** Programs and values that are nested at random, far deeper than any stack: each ends in order, and the next program runs. */

import { expect, test } from "vitest";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { givenBy, typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns();
const LIMITS = { cpuMs: 300, memoryBytes: 64_000_000 };
/** Inputs of this run, and between two looks at a program that is in order. */
const INPUTS = Math.max(40, Math.round(10_000 * SCALE * SCALE));
const LOOKS = 20;

/** What may stand around an expression. */
const AROUND: readonly (readonly [open: string, close: string])[] = [
  ...([
    ["(", ")"],
    ["[", "]"],
    ["[...[", "]]"],
    ["({ a: ", "})"],
    ["`${", "}`"],
    ["f(", ")"],
    ["f`${", "}`"],
  ] as const),
  ...([
    ["(() => ", ")()"],
    ["(async () => ", ")()"],
    ["(function () { return ", " })()"],
    ["await (", ")"],
  ] as const),
  ...([
    ["- ", ""],
    ["!", ""],
    ["typeof ", ""],
    ["void ", ""],
    ["new ", ""],
    ["1 + ", ""],
    ["1 ? ", ": 2"],
    ["0 ? 1 : ", ""],
  ] as const),
  ...([
    ["a = ", ""],
    ["a => ", ""],
    ["", "?.a"],
    ["", "[0]"],
    ["", ".then()"],
    ["", "!"],
    ["", " as any"],
    ["", "\n+ 1"],
  ] as const),
  ...([
    ["(class { a = ", " })"],
    ["(class extends (", ") {})"],
    ["({ get a() { return ", " } }).a"],
    ["1 ** ", ""],
  ] as const),
  ...([
    ["JSON.parse(`", "`)"],
    ["(0, eval)('", "')"],
    ["/(?:", ")/"],
    ["(function* () { yield* ", " })()"],
  ] as const),
  ...([
    ["(x as Array<", ">)"],
    ["(1 as unknown extends ", " ? 1 : 2)"],
    ["f<", ">(1)"],
    ["(1 satisfies [", "])"],
  ] as const),
];
/** What may stand around statements. */
const BLOCKS: readonly (readonly [open: string, close: string])[] = [
  ...([
    ["{ ", " }"],
    ["if (1) ", ""],
    ["if (0) 1; else ", ""],
    ["for (;;) { ", " break }"],
    ["a: ", ""],
    ["try { ", " } catch {}"],
  ] as const),
  ...([
    ["switch (1) { case 1: ", " }"],
    ["function g() { ", " }"],
    ["class A { static { ", " } }"],
    ["while (1) ", ""],
  ] as const),
];
/** What may be done with a value. */
const USES: readonly string[] = [
  ...[
    "v",
    "[v]",
    "console.log(v)",
    "console.table([v])",
    "JSON.stringify(v)",
    "structuredClone(v)",
    "String(v)",
    "[v].flat(Infinity)",
  ],
  ...[
    "await demo.echo({ value: v })",
    "throw v",
    "throw new Error('x', { cause: v })",
    "__format__ = v; 1",
    "await v",
    "new Map([[1, v]])",
  ],
];
const VALUES: readonly string[] = [
  ...[
    "[v]",
    "[v, v]",
    "{ a: v }",
    "new Map([['a', v]])",
    "new Set([v])",
    "new Proxy(v, {})",
    "Object.create(v)",
    "() => v",
  ],
  ...[
    "{ get a() { return v } }",
    "{ toJSON: () => v }",
    "Promise.resolve(v)",
    "new Error('x', { cause: v })",
    "{ then: (ok) => ok(v) }",
  ],
  ...[
    "(typeof v === 'function' ? v : () => 1).bind(null)",
    "[v][Symbol.iterator]()",
    "{ [Symbol.toPrimitive]: () => v, toString: () => '' + v }",
  ],
];

/** A random input, whose depth has any order of magnitude. */
function inputOf(random: () => number): string {
  const one = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const depth = Math.floor(10 ** (random() * 4.3));
  if (random() < 0.3)
    return `let v: any = [1]; for (let i = 0; i < ${depth * 5}; i++) { const w = v; v = ((v: any) => (${one(VALUES)}))(w); }\n${one(USES)}`;
  const kinds = Array.from({ length: 1 + Math.floor(random() * 3) }, () => one(random() < 0.7 ? AROUND : BLOCKS));
  const opened = Array.from({ length: depth }, (_, at) => kinds[at % kinds.length] as readonly [string, string]);
  // Some are not closed, or closed too often.
  const closed = random() < 0.2 ? opened.slice(0, Math.floor(random() * depth)) : opened;
  return `let a: any, f: any = (x: any) => x;\n${opened.map(([open]) => open).join("")}1${closed
    .map(([, close]) => close)
    .reverse()
    .join("")}`;
}

test(`${INPUTS} inputs that are nested at random end in order`, { timeout: 60_000 + INPUTS * 1000 }, async () => {
  const random = randomOf(Number(process.env["SEED"] ?? "20261201"));
  for (let n = 1; n <= INPUTS; n++) {
    const code = inputOf(random);
    const outcome = await run(code, { limits: LIMITS });
    const said = `${n}: ${code.slice(0, 200)} … ${code.slice(-100)}`;
    expect(outcome.ok ? "" : outcome.name, said).not.toBe("EngineError");
    if ("stats" in outcome) expect(outcome.stats.cpuMs, said).toBeLessThan(LIMITS.cpuMs + 600);
    if (n % LOOKS === 0) expect(givenBy(await run("(await demo.echo({ value: 1 })) + 1")), said).toBe("2");
  }
});
