/** Random Python: short programs that bind few names to whole numbers, floats, texts and other values, in many ways. */

import fc from "fast-check";

const name = fc.constantFrom("a", "b", "c", "d");
const literal = fc.constantFrom(
  ...["0", "1", "7", "-3", "10**18", "0x1f", "1_000", "0.5", "2.0", "1e3", "'a'", "'xyz'", "''", "f'{1}b'"],
  ...["True", "None", "[1]", "(1, 'a')", "b'x'", "3 > 2"],
);
const operator = fc.constantFrom(
  ...["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "and", "or", "<", "==", "in"],
);
const call = fc.constantFrom("len", "ord", "str", "chr", "int", "abs", "float", "bool");
const method = fc.constantFrom(
  "strip()",
  "upper()",
  "find('a')",
  "count('x')",
  "replace('a', 'b')",
  "join(['p', 'q'])",
);

/** An expression; names may have no value yet. */
const expression: fc.Arbitrary<string> = fc.letrec<{ one: string }>((tie) => ({
  one: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    name,
    literal,
    fc.tuple(tie("one"), operator, tie("one")).map(([a, o, b]) => `(${a} ${o} ${b})`),
    fc.tuple(name, operator, fc.constantFrom("0", "2", "3", "'a'", "0.5")).map(([a, o, b]) => `${a} ${o} ${b}`),
    fc.tuple(fc.constantFrom("-", "+", "~", "not "), tie("one")).map(([o, a]) => `(${o}${a})`),
    fc.tuple(tie("one"), tie("one"), tie("one")).map(([a, b, c]) => `(${a} if ${b} else ${c})`),
    fc.tuple(call, tie("one")).map(([f, a]) => `${f}(${a})`),
    fc.tuple(name, method).map(([a, m]) => `${a}.${m}`),
    fc.tuple(name, fc.constantFrom("0", "-1", "1:", "'a'")).map(([a, i]) => `${a}[${i}]`),
    fc.tuple(name, tie("one")).map(([a, b]) => `(${a} := ${b})`),
  ),
})).one;

const update = fc.constantFrom("+=", "-=", "*=", "/=", "//=", "%=", "&=", "|=", "^=");
const iterable = fc.oneof(
  fc.constantFrom("range(3)", "range(2, 5)", "'ab'", "[1, 2]", "[1, 'a']", "(0.5, 1.5)", "[True]", "{'k': 1}"),
  name,
);

/** Statements that bind names; each runs on, whatever the one before it raised. */
const statement: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(name, expression).map(([a, e]) => `${a} = ${e}`),
  // A name that a function declares global takes no annotation.
  expression.map((e) => `c: int = ${e}`),
  fc.tuple(name, name, expression).map(([a, b, e]) => `${a} = ${b} = ${e}`),
  fc.tuple(name, name, expression, expression).map(([a, b, e, f]) => `${a}, ${b} = ${e}, ${f}`),
  fc.tuple(name, name, expression).map(([a, b, e]) => `${a}, *${b} = ${e}`),
  fc.tuple(name, name, expression).map(([a, b, e]) => `[${a}, ${b}] = ${e}`),
  fc.tuple(name, update, expression).map(([a, o, e]) => `${a} ${o} ${e}`),
  fc.tuple(name, iterable, name, expression).map(([a, i, b, e]) => `for ${a} in ${i}: ${b} = ${e}`),
  fc.tuple(name, name, iterable).map(([a, b, i]) => `for ${a}, ${b} in enumerate(${i}): ${b} = ${a}`),
  fc.tuple(name, name, iterable).map(([a, b, i]) => `for ${a}, ${b} in zip(${i}, ${i}): pass`),
  fc.tuple(name, expression, name, iterable).map(([a, e, b, i]) => `${a} = [${e} for ${b} in ${i}]`),
  fc.tuple(name, expression, name, iterable).map(([a, e, b, i]) => `${a} = sum(${e} for ${b} in ${i})`),
  fc.tuple(name, expression, name).map(([a, e, b]) => `${a} = (lambda ${b}: ${e})(None)`),
  fc.tuple(expression).map(([e]) => e),
);

const indented = (text: string): string => text.replaceAll(/^/gm, "    ");
const guarded = (text: string): string => `try:\n${indented(text)}\nexcept Exception as e:\n    pass`;

const block = fc.array(statement, { minLength: 1, maxLength: 4 }).map((all) => all.map(guarded).join("\n"));

/** A program: statements at module level and in functions, some of which bind global names. */
export const typedPrograms: fc.Arbitrary<string> = fc
  .tuple(block, fc.option(fc.tuple(fc.constantFrom("a", "x"), fc.boolean(), block)), expression, block)
  .map(([first, held, argument, last]) => {
    const [parameter = "", isGlobal = false, body = ""] = held ?? [];
    const global = isGlobal ? "    global b\n" : "";
    const called = held ? `def f(${parameter}):\n${global}${indented(body)}\n${guarded(`f(${argument})`)}\n` : "";
    return `${first}\n${called}${last}`;
  });
