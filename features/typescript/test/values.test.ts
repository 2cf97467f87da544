/** Values of TypeScript programs as arguments and as answers, beside what the table in the documentation says of each kind. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../../../test/support/random.js";
import { type Data, givenBy, typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns();

/** A value that JSON cannot hold as an argument. */
class Refused extends Error {}

const name = (text: string): string => JSON.stringify(text);

/** A value as code. */
function codeOf(value: unknown): string {
  if (value === undefined) return "undefined";
  if (typeof value === "bigint") return `${value < 0n ? `(${value}n)` : `${value}n`}`;
  if (typeof value === "number") return Object.is(value, -0) ? "-0" : `(${value})`;
  if (typeof value === "function") return "function f() {}";
  if (typeof value === "symbol") return "Symbol('s')";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Set) return `new Set([${[...value].map(codeOf).join(", ")}])`;
  if (value instanceof Map) return `new Map<any, any>(${codeOf([...value])})`;
  if (Array.isArray(value)) return `[${value.map(codeOf).join(", ")}]`;
  return `({ ${Object.entries(value)
    .map(([key, one]) => `[${name(key)}]: ${codeOf(one)}`)
    .join(", ")} })`;
}

/** What differs between an answer and an argument. */
interface Form {
  /** A value without JSON: what stands for it. */
  readonly without: (value: unknown) => string;
  /** What stands for nothing in a list. */
  readonly hole: () => string;
}
const refuse = (): string => {
  throw new Refused();
};
const ANSWER: Form = {
  without: (value) =>
    typeof value === "function" ? '"[function f]"' : typeof value === "symbol" ? '"[symbol]"' : "null",
  hole: () => "null",
};
const ARGUMENT: Form = { without: refuse, hole: refuse };

/** A value as the text of JSON; undefined if it is left out. */
function textOf(value: unknown, form: Form): string | undefined {
  const listOf = (items: readonly unknown[]): string =>
    `[${items.map((one) => textOf(one, form) ?? form.hole()).join(",")}]`;
  const objectOf = (entries: readonly (readonly [string, unknown])[]): string => {
    const members = entries.flatMap(([key, one]) => {
      const text = textOf(one, form);
      return text === undefined ? [] : `${name(key)}:${text}`;
    });
    return `{${members.join(",")}}`;
  };
  if (value === undefined) return undefined;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : form.without(value);
  if (typeof value === "function" || typeof value === "symbol") return form.without(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? form.without(value) : name(value.toISOString());
  if (value instanceof Set) return listOf([...value]);
  if (value instanceof Map) return objectOf([...value].map(([key, one]) => [String(key), one]));
  if (Array.isArray(value)) return listOf(value);
  if (typeof value === "object" && value !== null) return objectOf(Object.entries(value));
  return JSON.stringify(value);
}

/** What an op got, as the text of JSON. */
function sentText(value: Data): string {
  if (typeof value === "bigint") return String(value);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (!("$" in value)) return `[${[...value].map(sentText).join(",")}]`;
  if (value.$ === "dict")
    return `{${value.entries.map(([key, one]) => `${name(String(key))}:${sentText(one)}`).join(",")}}`;
  throw new Error(`an op got ${JSON.stringify(value)}`);
}

const text = fc.string({ unit: "binary", maxLength: 12 });
const key = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom("__proto__", "constructor", "toString", "$", "text", "7", "then"),
);
/** Numbers as keys come first in every object, so a map with them comes back in another order. */
const mapKey = fc.oneof(
  key.filter((one) => !/^\d+$/.test(one)),
  fc.boolean(),
);
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.maxSafeInteger());
const plainLeaf = fc.oneof(fc.constant(null), fc.boolean(), text, number);
const leaf = fc.oneof(
  { weight: 6, arbitrary: plainLeaf },
  { weight: 2, arbitrary: fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }) },
  { weight: 1, arbitrary: fc.date({ noInvalidDate: false }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(undefined, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0),
  },
  { weight: 1, arbitrary: fc.constantFrom(function f() {}, Symbol("s")) },
);

const treeOf = (leaves: fc.Arbitrary<unknown>, collections: boolean): fc.Arbitrary<unknown> =>
  fc.letrec((tie) => {
    const inner = tie("value");
    const own = [fc.array(inner, { maxLength: 4 }), fc.dictionary(key, inner, { maxKeys: 4 })];
    const more = [
      fc.array(inner, { maxLength: 4 }).map((items) => new Set(items)),
      fc
        .uniqueArray(fc.tuple(mapKey, inner), { maxLength: 3, selector: ([one]) => String(one) })
        .map((entries) => new Map(entries)),
    ];
    return {
      value: fc.oneof({ maxDepth: 4, depthSize: "medium" }, leaves, ...own, ...(collections ? more : [])),
    };
  })["value"] as fc.Arbitrary<unknown>;

/** The text that an argument is sent as; undefined if it is refused. */
function sentAs(value: unknown): string | undefined {
  try {
    return textOf(value, ARGUMENT) ?? "null";
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

const REFUSED = '"refused"';

/** Runs a list of values as answers, and each as an argument that comes back. */
async function checkAll(values: readonly unknown[]): Promise<void> {
  const list = values.map(codeOf).join(", ");
  expect(givenBy(await run(`const listed = (...all: any[]) => all;\nlisted(${list})`))).toBe(textOf(values, ANSWER));
  const sent = values.map(sentAs);
  const echoed = await run(`const back = [];
const listed = (...all: any[]) => all;
for (const make of listed(${values.map((one) => `() => (${codeOf(one)})`).join(", ")})) {
  try { back.push(await demo.echo({ value: make() })) }
  catch (e: any) { back.push(e instanceof TypeError && e.message.startsWith("demo.echo(): value") ? "refused" : String(e)) }
}
back`);
  expect(givenBy(echoed)).toBe(`[${sent.map((one) => one ?? REFUSED).join(",")}]`);
  const arrived = echoed.calls.map(({ named: [pair] }) => (pair ? sentText(pair[1]) : "null"));
  expect(arrived).toEqual(sent.filter((one) => one !== undefined));
}

const many = (one: fc.Arbitrary<unknown>) => fc.array(one, { minLength: 1, maxLength: 12 });

test("JSON values arrive and come back as they are", async () => {
  await fc.assert(fc.asyncProperty(many(treeOf(plainLeaf, false)), checkAll), runs(500));
});

test("dates, maps, sets, big integers, NaN, undefined, functions and symbols are what the table says", async () => {
  await fc.assert(fc.asyncProperty(many(treeOf(leaf, true)), checkAll), runs(1000));
});

const SHAPED: readonly (readonly [code: string, gives: string])[] = [
  ["const a: any = { n: 1 }; a.self = a; a", '{"n":1,"self":"[circular]"}'],
  ["const a: any = { n: 10n ** 20n }; a.self = a; a", '{"n":100000000000000000000,"self":"[circular]"}'],
  ["const a: any[] = [1n]; a.push({ a }); a", '[1,{"a":"[circular]"}]'],
  [
    "const m = new Map<string, any>([['n', 2n ** 64n]]); m.set('m', m); m",
    '{"n":18446744073709551616,"m":"[circular]"}',
  ],
  ["const a: any = {}; a.self = a; await demo.echo({ value: a })", "TypeError: demo.echo(): value.self holds itself"],
  ["const one = { a: 1 }; [one, one, 5n]", '[{"a":1},{"a":1},5]'],
  ["let a: any = 1n; for (let i = 0; i < 200; i++) a = [a]; a", `${"[".repeat(65)}"..."${"]".repeat(65)}`],
  ["let a: any = {}; a.b = 2n; [demo, demo.echo, a]", '["[pack demo]","[function demo.echo]",{"b":2}]'],
  ["[NaN, 1n, -0]", "[null,1,0]"],
  ["NaN", "null"],
  ["undefined", ""],
  ["demo.echo({ value: 1 }).then((x) => [x])", "[1]"],
  ["[demo.echo({ value: 1 })]", "TypeError: the result[0] is a promise: use await, or await Promise.all([...])"],
  ["[1n, Promise.resolve(1)]", "TypeError: the result[1] is a promise: use await, or await Promise.all([...])"],
  ["await demo.echo({ value: [1, { b: [undefined] }] })", "TypeError: demo.echo(): value[1].b[0] is undefined"],
  ["await demo.echo({ value: new Date(NaN) })", "TypeError: demo.echo(): value is no valid date"],
  [
    "await demo.echo({ value: { x: Infinity } })",
    "TypeError: demo.echo(): value.x is Infinity, which JSON cannot hold",
  ],
  ["const n: any = await demo.echo({ value: 2n ** 60n }); [typeof n, n]", '["bigint",1152921504606846976]'],
  ["typeof await demo.echo({ value: 5n })", '"number"'],
  ["new Error('x')", '{"name":"Error","message":"x"}'],
  ["[/a/g, new Uint8Array([1, 2]), new String('s'), new Boolean(false)]", '["/a/g",[1,2],"s",false]'],
];

test.each(SHAPED)("%s gives what it should", async (code, gives) => {
  expect(givenBy(await run(code))).toBe(gives);
});

test("prints of any length keep every character", async () => {
  const { printed } = await run("console.log('x'.repeat(65535) + '\\u{1f600}'.repeat(40000))");
  expect(printed).toBe(`${"x".repeat(65_535)}${"\u{1f600}".repeat(40_000)}\n`);
});
