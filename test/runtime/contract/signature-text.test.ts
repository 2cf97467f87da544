/** Signatures for people: valid Python, and one argument per line where they are long. */

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import registry from "../../../generated/registry.json" with { type: "json" };
import type { Tool } from "../../../runtime/contract/registry.js";
import { boundedSignature, readableSignature, signatureLines } from "../../../runtime/contract/signature-text.js";

const tools = registry.tools as unknown as readonly Tool[];

describe("signatures", () => {
  test("a short one stays on its line", () => {
    expect(signatureLines("a.b(x: int = 1) -> str")).toBe("a.b(x: int = 1) -> str");
  });

  test("an argument a line, whatever its type and default hold", () => {
    const text = `a.b(first: Literal['x, y)', "it's"] = 'x, y)', second: dict[str, list[int]] = {}, third: int = 3) -> dict`;
    expect(signatureLines(text)).toBe(
      `a.b(\n  first: Literal['x, y)', "it's"] = 'x, y)',\n  second: dict[str, list[int]] = {},\n  third: int = 3\n) -> dict`,
    );
  });

  test("TypeScript's object of arguments", () => {
    const text = `a.b(args: { first: "x; }" | "y"; second?: { id: string; to: (x: number) => string }[]; third?: number }): Promise<{ a: 1 }>`;
    expect(signatureLines(text)).toBe(
      `a.b(args: {\n  first: "x; }" | "y";\n  second?: { id: string; to: (x: number) => string }[];\n  third?: number\n}): Promise<{ a: 1 }>`,
    );
  });

  test("an argument that may be left out is None, in valid Python", () => {
    const shown = tools.map(readableSignature);
    expect(shown.find((one) => one.startsWith("onto.task.create("))).toContain("parent: dict | None = None");
    expect(shown.filter((one) => one.includes("'...'"))).toEqual([]);
    const stubs = shown.map((one, at) => `def op_${at}${one.slice(one.indexOf("("))}: ...\n`).join("");
    expect(() =>
      execFileSync("python3", ["-c", "import ast, sys; ast.parse(sys.stdin.read())"], { input: stubs }),
    ).not.toThrow();
  });

  test.each([
    ["a default that is '...'", "a.b(x: str = '...')", { required: false, default: "..." }, "a.b(x: str = '...')"],
    [
      "a type with a comma",
      "a.b(x: Literal['a, b', 'c'] = '...') -> str",
      { required: false },
      "a.b(x: Literal['a, b', 'c'] | None = None) -> str",
    ],
    ["a type that allows None", "a.b(x: str | None = '...')", { required: false }, "a.b(x: str | None = None)"],
    ["Any", "a.b(x: Any = '...')", { required: false }, "a.b(x: Any = None)"],
  ])("are readable with %s", (_what, python, parameter, expected) => {
    expect(readableSignature({ signature: { python }, parameters: [parameter] } as unknown as Tool)).toBe(expected);
  });

  test.each([
    ["two bounds", "integer 1..50", "  # x 1..50"],
    ["one bound of a number that may be null", "number >=0.5?", "  # x >=0.5"],
    ["no bound", "integer", ""],
    ["a list of numbers", "(integer 1..5)[]", ""],
  ])("bounds in the notation of help: %s", (_what, type, behind) => {
    const tool = { signature: { python: "a.b(x: int)" }, parameters: [{ name: "x", type, required: true }] };
    expect(boundedSignature(tool as unknown as Tool)).toBe(`a.b(x: int)${behind}`);
  });

  test("breaking adds and removes nothing but white space", () => {
    const bare = (text: string): string => text.replace(/\s+/g, "");
    for (const { signature } of tools)
      for (const text of [signature.python, signature.typescript, signature.python.slice(0, -9)])
        expect(bare(signatureLines(text))).toBe(bare(text));
  });
});
