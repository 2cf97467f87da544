/** The prelude of a program on Monty has the functions that the program needs, and no others. */

import { describe, expect, test } from "vitest";
import { CHECKS, SENDING } from "../../../../runtime/run/engine/monty-guard-prelude.js";
import { wrapped } from "../../../../runtime/run/engine/monty-prelude.js";
import { pickerOf } from "../../../../runtime/run/engine/monty-prelude-parts.js";
import { LIMITS } from "../../../support/run-engine.js";

const textOf = (code: string): string =>
  wrapped(code, { taken: () => false, projects: new Map(), limits: LIMITS }).text;

/** Names that the wrapping binds, that the host answers, and attributes. */
const OTHERS = ["__mark", "__depth", "__bytes", "__lack", "__name__", "__main__", "__proto__"];
const namesIn = (text: string): readonly string[] => [...new Set(text.match(/\b__\w+/g))];
const boundIn = (text: string): readonly string[] =>
  Array.from(text.matchAll(/(?:^def |^|; |import json as )(__\w+)(?= =|\(|$|;)/gm), (one) => one[1] ?? "");

describe("prelude", () => {
  const checks = namesIn(`${SENDING}${CHECKS}`).filter((name) => boundIn(`${SENDING}${CHECKS}`).includes(name));

  test.each(checks.map((name) => [name]))("%s comes with all that it needs", (name) => {
    const text = textOf(`${name}`);
    const bound = new Set([...boundIn(text), ...OTHERS]);
    expect(bound).toContain(name);
    expect(namesIn(text).filter((one) => !bound.has(one))).toEqual([]);
  });

  test("a program that prints a number needs none", () => {
    expect(textOf("x = 1")).not.toContain("def ");
  });

  test("a comparison brings no check of other things", () => {
    const text = textOf("__lt((a),(b))");
    expect(text).toContain("def __lt(");
    expect(text).not.toContain("def __sum_of(");
    expect(text.split("\n").length).toBeLessThan(textOf(CHECKS).split("\n").length / 4);
  });

  test("a result that is shown as Python shows it brings the check of such texts", () => {
    expect(textOf('__format__ = "raw"\nreturn __ret((x))')).toContain("def __str_of(");
    expect(textOf("return __ret((x))")).not.toContain("def __str_of(");
  });

  test("a part without a name, and a name with two parts, are mistakes", () => {
    expect(() => pickerOf("x = 1\n")).toThrow("binds no private name");
    expect(() => pickerOf("__a = 1; __a = 2\n")).toThrow("bound twice");
  });
});
