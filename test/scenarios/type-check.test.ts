/** The type check of code: alone through the command line, and with the error of a run. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Json, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run/run-demo.js";

const { root, bad } = runDemo();
const check = async (code: string, flags: readonly string[] = []) =>
  toolwright(["run", "--root", root(), "--check", "-c", code, ...flags]);

/** Line and message of each finding. */
async function found(code: string): Promise<readonly string[]> {
  const { stdout, code: exit } = await check(code, ["--json"]);
  const { ok, findings }: Json = JSON.parse(stdout);
  expect([ok, exit]).toEqual(findings.length === 0 ? [true, 0] : [false, 1]);
  return findings.map(({ line, message }: Json) => `${line}: ${message}`);
}

describe("toolwright run --check", () => {
  test("wrong names, arguments and result keys, each at its line and with what was meant", {
    timeout: SLOW,
  }, async () => {
    const code = [
      'books = shelf.find(author="Ann")',
      'shelf.fined(author="Ann")',
      "shelf.find(autor=5)",
      "shelf.find(5)",
      'shelf.find("a", "b")',
      "books['itmes']",
      "[one['titel'] for one in books['items']]",
      "book['items']",
      "shelf(1)",
      "del books['total']; books['more'] = 1",
      "search('x')",
    ];
    expect(await found(code.join("\n"))).toEqual([
      "2: pack 'shelf' has no function 'fined'; did you mean shelf.find?",
      "3: shelf.find() is missing 'author'",
      "3: shelf.find() has no argument 'autor'; did you mean author?",
      "4: an argument of shelf.find() must be str, not 5",
      "5: shelf.find() takes 1 by position at most, not 2",
      "6: the result of shelf.find() has no key 'itmes'; did you mean 'items'?",
      "8: name 'book' is not defined; did you mean books?",
      "9: 'shelf' is a pack, not a function",
      "11: name 'search' is ambiguous: demo.search, other.search",
    ]);
  });

  test("what is right in a run has no findings", { timeout: SLOW, tags: "slow" }, async () => {
    const code = [
      'b = ws(q="t")',
      "class A:",
      "  x = 1",
      "import itertools, requests",
      "open, vars, super",
      "def f(n):",
      "  yield from range(n)",
      "proj.onetool / 'src'",
      'other.quality(m="full")',
      "if b: return list(f(2))",
      "await_me = 1",
      'shelf.find(a="Ann")["items"][0]["title"].upper()',
    ];
    expect(await found(code.join("\n"))).toEqual([]);
    expect(await found("```python\nfrom __future__ import annotations\n  \n1\n```")).toEqual([]);
    expect(await found("$hi name=x")).toEqual([]);
  });

  test("as text: the place first, the line below it; and from a file", { tags: "full", timeout: SLOW }, async () => {
    const { stdout, code } = await check("x = 1\nshelf.fined()");
    expect([stdout, code]).toEqual([
      "code:2 pack 'shelf' has no function 'fined'; did you mean shelf.find?\n  2 | shelf.fined()\n1 found\n",
      1,
    ]);
    const file = join(root(), "report.py");
    writeFileSync(file, "x = (1");
    const syntax = await toolwright(["run", "--root", root(), "--check", file]);
    expect(syntax.stdout).toContain(`${file}:1 syntax: `);
    expect((await check("1")).stdout).toBe("nothing found\n");
  });

  test("nothing is executed; a fault before the code is reported", { timeout: SLOW, tags: "slow" }, async () => {
    const { stdout, code } = await check("while True: other.hang()");
    expect([stdout, code]).toEqual(["nothing found\n", 0]);
    const legacy = await check("!onetool x");
    expect([legacy.code, legacy.stdout]).toEqual([1, expect.stringContaining("the '!onetool' prefix is not accepted")]);
  });
});

describe("Check: in the text of a failed run", () => {
  test("says what was meant, between the line and what to do", { timeout: SLOW }, async () => {
    expect(await bad('r = shelf.find(author="Ann")\nr["itmes"]')).toBe(
      [
        "Error at line 2: KeyError: 'itmes'. shelf.find() answered the keys items, total. Write r[\"items\"]",
        '  2 | r["itmes"]',
        "Calls already made: shelf.find (1)",
        "Next: correct line 2 and send the whole code again; no variables are kept.",
      ].join("\n"),
    );
  });

  test("only for the line that failed", { timeout: SLOW }, async () => {
    const text = await bad('if False: shelf.fined()\nr = shelf.find(author="Ann")\n1/0');
    expect(text).not.toContain("Check:");
  });
});
