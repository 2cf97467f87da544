/** What the caller of a paused run is told: where people decide is what the rules say. */

import { describe, expect, test } from "vitest";
import { EVERY_OP } from "../../../../runtime/catalog/advice.js";
import { pausedText } from "../../../../runtime/run/kept/paused-text.js";

const ADDRESS = "https://tools.example.com";
const PAGE = "https://tools.example.com/#/approvals/run_1";
const call = (place: string, by?: readonly ("console" | "cli" | "elicitation")[]) => ({
  ...{ kind: "approval" as const, call: place, op: "a.b", args: {} },
  ...(by ? { by } : {}),
});
const textOf = (calls: readonly ReturnType<typeof call>[], address: string | undefined = ADDRESS) =>
  pausedText("run_1", calls, { address, can: EVERY_OP });

describe("where a person decides", () => {
  test("in the console and on the command line", () => {
    for (const by of [undefined, ["console", "cli"] as const]) {
      const text = textOf([call("1", by)]);
      expect(text).toContain(`Next: Open ${PAGE}, then ot.resume("run_1").`);
      expect(text).toContain('A person decides there, or with "toolwright runs approve run_1"');
    }
  });

  test("on the command line only: the console is not named", () => {
    const text = textOf([call("1", ["cli"])]);
    expect(text).not.toContain(ADDRESS);
    expect(text).toContain('Next: a person decides with "toolwright runs approve run_1"');
  });

  test("in the console only: the command line is not named", () => {
    const text = textOf([call("1", ["console", "elicitation"])]);
    expect(text).toContain(`Next: Open ${PAGE}, then ot.resume("run_1"). A person decides there. `);
    expect(text).not.toContain("runs approve");
    const nowhere = pausedText("run_1", [call("1", ["console"])], { address: undefined, can: EVERY_OP });
    expect(nowhere).toContain("Next: a person decides in the console. Then");
    expect(nowhere).not.toContain("runs approve");
  });

  test("calls that differ say so", () => {
    const lines = textOf([call("1", ["console"]), call("2", ["cli"]), call("3", ["cli", "console"])]).split("\n");
    expect(lines.slice(1, 4)).toEqual([
      "1: a.b {} (decided in the console)",
      "2: a.b {} (decided on the command line)",
      "3: a.b {}",
    ]);
    expect(lines[4]).toContain(`Open ${PAGE}`);
    expect(lines[4]).toContain("runs approve");
  });
});
