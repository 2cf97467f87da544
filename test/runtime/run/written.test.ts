/** What a failed program says after a write: what is written, with ids, and never that it is to be sent again. */

import { describe, expect, test } from "vitest";
import { DESK_DEMO, runDemo, SLOW } from "../../support/run/run-demo.js";

const { bad, notes } = runDemo(DESK_DEMO, ["--allow-write"]);

describe("a program that fails", () => {
  test(
    "a failure after writes names them with their ids",
    async () => {
      const text = await bad(`a = desk.create(title="a")\nb = desk.create(title="b")\n1/0`);
      const [, id] = /after="(run_\w+)"/.exec(text) ?? [];
      expect(text.split("\n").slice(1)).toEqual([
        `  ${3} | 1/0`,
        `Already written (${id}): line 1 desk.create -> task_a; line 2 desk.create -> task_b`,
        `Next: correct line ${3} and send the whole code with after="${id}": calls with these arguments are not made again. Or continue with the ids above.`,
      ]);
    },
    SLOW,
  );

  test(
    "a failure of any other kind does not advise a repeat either",
    async () => {
      for (const end of ["desk.creat()", "desk.create(titel='b')", "while True: pass", "'x' * 10**9", "x = y"]) {
        const text = await bad(`desk.create(title="a")\n${end}`);
        expect(text).toMatch(/^Already written \(run_\w+\): line 1 desk\.create -> task_a$/m);
        expect(text).toMatch(
          /^Next: (?:(?:correct line \d|let line \d do less) and )?send the whole code with after="run_\w+": calls with these arguments /m,
        );
        expect(text).not.toMatch(/whole code again|send the code again/);
      }
    },
    2 * SLOW,
  );

  test(
    "a program that only read, or whose write was refused, is sent again",
    async () => {
      const again = "and send the whole code again; no variables are kept.";
      expect(await bad("desk.list()\n1/0")).toContain(again);
      const refused = await bad('desk.create(title="taken")');
      expect(refused).toContain(again);
      expect(refused).not.toContain("ritten");
    },
    SLOW,
  );
});

test(
  "nothing is said of a write that never began, in a batch neither",
  async () => {
    const direct = await bad('desk.create(title="away")');
    expect(direct).toMatch(/^Next: .*send the (?:whole )?code again/m);
    const other = await bad(`desk.create(title="a")\ndesk.create(title="away")`);
    expect(other).toMatch(/^Already written \(run_\w+\): line 1 desk\.create -> task_a$/m);
    const batch = await bad('ot.batch(calls=[("desk.create", {"title": "away"}), ("desk.list", {})])\n1/0');
    for (const text of [direct, other, batch]) expect(text).not.toContain("May have been written");
    const mixed = await bad(
      'ot.batch(calls=[("desk.create", {"title": "away"}), ("desk.create", {"title": "a"})])\n1/0',
    );
    expect(mixed).toContain("May have been written by calls within calls: desk.create (1)\n");
  },
  2 * SLOW,
);

test(
  "an answer has one line about what to do next",
  async () => {
    const text = await bad('desk.create(title="a")\nd = {"title": 1}\nd.title');
    expect(text.match(/^Next: /gm)).toHaveLength(1);
    expect(text).toMatch(/\nNext: results are dicts: write \["title"\] instead of \.title; .*after="run_\w+"/);
  },
  SLOW,
);

test(
  "a write whose outcome is unknown is named as such",
  async () => {
    for (const [call, step] of [
      // The service failed, and not the code.
      ["desk.hang()", ""],
      ['desk.create(title="broken")', ", then correct line 2"],
    ] as const) {
      const text = await bad(`desk.create(title="a")\n${call}`);
      expect(text).toMatch(/^Already written \(run_\w+\): line 1 desk\.create -> task_a$/m);
      expect(text).toContain(`May have been written: line 2 ${call.replace(/\(.*/, "")}\n`);
      expect(text).toContain(`Next: read what may have been written${step} and send the whole code with after=`);
    }
  },
  SLOW,
);

test(
  "a write whose outcome is unknown is noted though the program took its exception for handled",
  async () => {
    const program = (titles: string): string =>
      `for title in ${titles}:\n  try:\n    desk.create(title=title)\n  except Exception as e: print(e)`;
    const unknown = "the outcome is unknown, so read it before you write again.";
    const calls = "line 3 desk.create (call 2); line 3 desk.create (call 4)";
    expect(await notes(program('["a", "broken", "taken", "broken"]'))).toBe(
      `Note: May have been written: ${calls}; ${unknown}`,
    );
    expect(await notes(program('["a", "taken"]'))).toBe(undefined);
  },
  SLOW,
);

test(
  "a write of a loop whose outcome is unknown is named by its place among the calls of its line",
  async () => {
    const text = await bad('for title in ["a", "b", "broken", "c"]:\n  desk.create(title=title)');
    expect(text).toContain("May have been written: line 2 desk.create (call 3)\n");
  },
  SLOW,
);

test(
  "writes of a loop and of a batch are counted, and at most 12 are named",
  async () => {
    const loop = await bad('for i in range(30): desk.create(title=f"t{i}")\n1/0');
    expect(loop).toContain("line 1 desk.create -> task_t0; line 1 desk.create -> task_t1; ");
    expect(loop).toContain("; and desk.create (18)\n");
    expect(loop).not.toContain("task_t12");
    const batch = await bad('ot.batch(calls=[("desk.create", {"title": "a"}), ("desk.list", {})])\n1/0');
    expect(batch).toContain("May have been written by calls within calls: desk.create (1)\n");
    expect(batch).toContain("send the whole code with after=");
  },
  SLOW,
);

test(
  "a program without an answer and without output has a note of what it wrote; any other has none",
  async () => {
    expect(await notes('a = desk.create(title="a")\nb = 1')).toBe(
      "Note: Already written: line 1 desk.create -> task_a",
    );
    for (const quiet of [
      'desk.create(title="a")["task"]["id"]',
      'print(desk.create(title="a"))',
      "a = desk.list(limit=50)",
    ])
      expect(await notes(quiet)).toBeUndefined();
  },
  SLOW,
);
