/** Texts on which a careless pattern takes minutes: each must be done within the time limit of a test. */

import { describe, expect, test } from "vitest";
import { withoutNewlines } from "../../../runtime/run/format.js";
import { parsePython } from "../../../runtime/run/languages/python/python-tree.js";
import { unwrapPython } from "../../../runtime/run/languages/python/unwrap.js";
import { redactedText } from "../../../runtime/run/sanitize.js";

const MANY = 1_000_000;

describe("a million characters", () => {
  test("newlines before the end of what was printed", () => {
    expect(withoutNewlines(`${"\n".repeat(MANY)}x\n\n`).length).toBe(MANY + 1);
  });

  test.each(["<", "</", "<external-content-"])("spaces after %s", (start) => {
    expect(redactedText(`${start}${" ".repeat(MANY)}`).length).toBeGreaterThan(10);
  });

  test("spaces in text that is not a call", () => {
    const command = `__ot(command="a${" ".repeat(MANY)}x`;
    expect(unwrapPython(command)).toEqual({ kind: "code", code: command.slice("__ot".length) });
  });

  test("backslashes in a string that does not end", () => {
    expect(parsePython(`'${"\\".repeat(MANY / 4)}x`).faults.length).toBeGreaterThan(0);
  });
});
