/** Everyday code, and values at which other interpreters differ: `run` answers as the machine's Python does. */

import { expect, test } from "vitest";
import { pythonEngine } from "../../support/run/python.js";
import { differences } from "./python-replies.js";

const engine = pythonEngine();

const NUMBERS = [
  ...["0", "5", "-7", "999", "1000", "-1000", "12345", "-123456", "1234567", "10**12", "-(2**62)"],
  ...["0.0", "-0.0", "0.5", "999.995", "999.9999", "-999.9999", "1234.5", "-1234567.891", "1e15", "123456789012.125"],
];
const INTEGER_FORMATS = [",", ",d", "12,", ">12,", "<12,", "^12,d", "*>20,", ",>20,", "3,"];
const FORMATS = [",.2f", ",.0f", ",.1f", "12,.2f", "<20,.2f", "^20,.3f", "*>20,.2f", "_^21,.10f", ",.02f"];

const CODES = [
  ...NUMBERS.flatMap((number) => [
    `f"{${number}:${FORMATS.join(`}|{${number}:`)}}"`,
    ...(number.includes(".") || number.includes("e")
      ? []
      : [`f"{${number}:${INTEGER_FORMATS.join(`}|{${number}:`)}}"`]),
  ]),
  'v = 1234.5\nf"""{v :,.2f}\n{v * 1000:>15,.1f}"""',
  "[round(x, n) for x in (0, 7, -1234, 10**30) for n in (0, 1, 2, 20)]",
  ...[
    "list(enumerate('ab', start=1))",
    "list(enumerate(['x'], start = 10**9))",
    "x = [4]\n[i for i, v in enumerate(x, start=-1)]",
  ],
  "n = 2\nlist(enumerate([(1, 2)],\n  start=n * 3,\n))",
];

test("grouped thousands, rounded integers and counts from a start", { tags: "full", timeout: 120_000 }, async () => {
  expect(await differences(engine(), CODES)).toEqual([]);
});

const WITHOUT_BLANKS = [
  "x = 5\nnot-x == -5",
  "def f(x):\n    return-x==-5\nf(5)",
  "x = 5\nassert-x==-5\nx",
  "x = 3\nr = 0\nif(x)in(1,3)and-x==-3:r = 1\nr",
  "[x for x in'abc'if x in'ab']",
  "[-x==-1for x in[1,2]if-x==-1or-x==-2]",
  "x = 0\nwhile-x>-3and-x<=0:x += 1\nx",
  "(lambda x:-x==-2)(2)",
  "x = 1\n-x==-1if-x==-1else-x==1",
  "x = 7\nx if-x%5==3else-x",
  "sum(-x for x in(1,2)if not-x==-1)",
];

test("operators beside keywords without a blank", { timeout: 120_000 }, async () => {
  expect(await differences(engine(), WITHOUT_BLANKS)).toEqual([]);
});

test("formats and arguments that are refused, or rare", { timeout: 120_000 }, async () => {
  const codes = [
    ...[
      "f'{True:,}'",
      "f'{1.5:,}'",
      "f'{10**20:,}'",
      "f'{float(\"nan\"):,.2f}'",
      "f'{1.5:,d}'",
      "f'{1:012,}'",
      "f'{1:+,}'",
    ],
    ...["f'{\"a\":,}'", "round(True, 2)", "round(15, -1)", "round(15, True)", "enumerate([1], start=1)"],
  ];
  expect(await differences(engine(), codes)).toEqual([]);
});

test("frozen sets beside sets, and loops that change what they go over", { timeout: 120_000 }, async () => {
  const loop = (over: string, change: string) =>
    `xs = [3, 1, 2]\nys = ["a", "b", "c"]\nseen = []\nfor x in ${over}:\n    seen.append(x)\n    if len(seen) < 3:\n        ${change}\nseen`;
  const codes = [
    ...["{1} == frozenset([1])", "frozenset() == set()", "frozenset([1]) in [{1}]", "{1} <= frozenset([1, 2])"],
    ...["xs", "zip(xs, ys)", "enumerate(xs)", "reversed(xs)", "map(str, xs)", "filter(None, xs)"].flatMap((over) =>
      ["xs.sort()", "xs.reverse()", "del xs[0]", "xs += [7]", "xs[2] += 5", "ys[0], xs[2] = 1, 9"].map((change) =>
        loop(over, change),
      ),
    ),
  ];
  expect(await differences(engine(), codes)).toEqual([]);
});

test("sequences times integers below -2^63", { timeout: 120_000 }, async () => {
  const refused = ["-10**20 * 'a'", "n = -(2**63) - 1\n'ab' * n", "n = -10**20\n[0] * n", "x = 'a'\nx *= -10**20\nx"];
  const repeated = [
    "n = -3\n'ab' * n",
    "x = [1]\ny = x\nx *= len('ab')\ny",
    "a, b = 3, 'ab'\na * b",
    "d = {1: 2}\nd[1] *= -4\nd",
  ];
  expect(await differences(engine(), [...refused, ...repeated])).toEqual([]);
});

test("augmented assignments change the list or set that another name holds", { timeout: 120_000 }, async () => {
  const kept = (start: string, change: string) => `x = ${start}\ny = x\nd = {"k": x}\n${change}\nsorted(y)`;
  const codes = [
    ...["x *= 2", "x *= 1", "x *= 0", "x *= -3", "d['k'] *= 3", "x += [9]"].map((change) => kept("[1, 2]", change)),
    ...["x |= {3}", "x &= {2, 5}", "x -= {2}", "x ^= {2, 7}", "x ^= x", "x -= y", "d['k'] |= {8}", "d['k'] -= {1}"].map(
      (change) => kept("{1, 2}", change),
    ),
    ...["x |= 8", "x &= 6", "x -= 2", "x ^= 3", "x *= 4"].map((change) => `x = 5\ny = x\n${change}\n[x, y]`),
    "def grow(found, more):\n    found |= more\nseen = {1}\ngrow(seen, {2})\nlen(seen)",
  ];
  expect(await differences(engine(), codes)).toEqual([]);
});

/** Texts and values for which an interpreter easily gives another answer. */
const BORDERS = [
  ...["'一二三'.isnumeric()", "'零'.isnumeric()", "[c.isnumeric() for c in 'a1²¼百']"],
  ...["'ΑΣ'.swapcase()", "'aΣ.'.swapcase()", "'Σa'.swapcase()", "'é'.swapcase()"],
  ...["type(type)", "type(str) is type", "[type]", "f'{type}'", "isinstance(int, type)", "list(map(type, [1, int]))"],
  ...["dict.fromkeys({2, 1})", "dict.fromkeys(frozenset([3, 1]), 0)", "dict.fromkeys([2, 1, 2])", "dict.fromkeys({5})"],
  ...["a = {}\na['x'] = a\nstr(a)", "a = {}\nb = [a]\na['x'] = b\nrepr(b)", "a = [1]\na.append(a)\nprint(a)"],
  ...["a = []\nb = {'k': (a,)}\na.append(b)\nf'{a}'", "a = [1]\nrepr([a, a, {'x': a}])"],
  ...["def f(): return {30, 20, 10}\n[*f()]", "s = {30, 20, 10} - {20}\n(0, *s)", "s = {30, 20} | {10}\nprint(*s)"],
  ...["s = {30, 20} | {10}\nx = *s, 1\nx", "def f(s):\n    return 0, *s\nf({30, 20})", "[a, *b] = {30, 20} | {7}\nb"],
  ...["a, *b = [1, 2]\n[*c, d] = 'xyz'\n(e, *f), g = (1, 2), 3\n[*b, *c, *f]", "[a for [a, *b] in [[1, 2]]]"],
  ...["s = {30, 20} | {10}\nf = lambda *a: a\nf(*s)", "[*range(3), *'ab', *[1], *sorted({2, 1})]"],
  ...[
    "min({30, 20}, key=lambda v: v % 10)",
    "max({30, 20, 40}, key=lambda v: 0)",
    "s = {30, 20} | {40}\nmax(s, key=str.__len__)",
  ],
  ...[
    "sorted({30, 20}, key=lambda v: v % 10)",
    "s = {30, 20}\nsorted((x for x in s), key=lambda v: v % 10)",
    "sorted({30, 20})",
  ],
  ...["s = {1, 0} | {2}\nany(10 / x > 4 for x in s)", "s = {2, 1, 0}\nall(10 / x > 6 for x in s)"],
  ...["f = str\nf(1e16)", "def run(f, *a): return f(*a)\nrun(str, 1e16)", "fs = [list, tuple]\nfs[0]({30, 20})"],
  ...["list(map(list, ['ab', {30, 20}]))", "d = {'a': int}\nd['a'](2.0**70)", "(lambda f=set: f([1, True]))()"],
  ...["sorted([1e16, 2], key=str)", "list(map(str, [1e16]))", "isinstance(1, (int, str)), type(1) is int, int == int"],
  // Characters that Unicode 16 does not assign, and of which some are assigned by a later version.
  ...["218c", "2427", "243f", "244b", "1f6d8", "1f7fa", "1f8bc", "a7ce", "10940", "16ea0", "1e6c0", "2b73a"].map(
    (point) => `repr(chr(0x${point}))`,
  ),
  ...["88f", "c5c", "cdc", "11de0", "187f8", "18d80"].map((point) => `str([chr(0x${point})])`),
];

test("values at which interpreters differ", { tags: "full", timeout: 120_000 }, async () => {
  expect(await differences(engine(), BORDERS)).toEqual([]);
});
