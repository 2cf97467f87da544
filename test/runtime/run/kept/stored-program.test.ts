/** What is stored of a program that pauses: its code, and the lines of the calls that wait. */

import { describe, expect, test } from "vitest";
import type { LoggedCall } from "../../../../runtime/run/engine/journal.js";
import { programAt, programOf, programRecord } from "../../../../runtime/run/kept/stored-program.js";

const call = (op: string, line?: number): LoggedCall => ({ asked: op, isOp: true, op, line });
const known = {
  command: "x",
  source: "x",
  language: "toy",
  lineOf: (op: string, nth: number) => (op === "a.read" ? undefined : 10 + nth),
};
const waiting = (...places: readonly string[]) => places.map((place) => ({ key: `run_1:${place}` }));
/** Seals nothing. */
const seal = { seal: (text: string) => `sealed ${text}`, open: (text: string) => text.replace(/^sealed /, "") };

describe("lines of calls that wait", () => {
  test("are those that the engine says, else those of the code; of calls within a call, that of the outer one", () => {
    const calls = [call("a.write", 3), call("a.write"), call("a.read"), call("a.write")];
    const { lines } = programAt(known, waiting("1", "2", "3", "4.2", "9", "0"), calls);
    expect(lines).toEqual({ 1: 3, 2: 11, "4.2": 12 });
  });
});

describe("the code", () => {
  test("is stored where the command is not the code itself, as of a fence", () => {
    expect(programAt(known, [], [])).not.toHaveProperty("code");
    expect(programAt({ ...known, command: "```python\nx\n```" }, [], [])).toMatchObject({ code: "x" });
  });

  test("comes back from a record, sealed; a record of an earlier version has none", () => {
    const program = { code: "secret = 1", lines: { 1: 2 } };
    const record = programRecord(program, seal);
    expect(record.program).toMatch(/^sealed /);
    expect(programOf({ record: JSON.stringify(record) }, seal)).toEqual(program);
    expect(programRecord(undefined, seal)).toEqual({});
    expect(programOf({ record: "{}" }, seal)).toBeUndefined();
  });
});
