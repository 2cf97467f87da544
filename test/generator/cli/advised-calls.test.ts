/** What is advised exists: without the pack `ot` no text names its ops, and a command that is printed is accepted. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolwright } from "../../support/project.js";

const TOOLS = `/** Lists numbers.
 * @kind read
 */
export function list_numbers({ count }: { count: number }): { n: number; text: string }[] {
  return Array.from({ length: count }, (_, n) => ({ n, text: "a number" }));
}

/** Adds a note.
 * @kind write
 */
export function add_note({ text }: { text: string }): { id: string } { return { id: text }; }
`;

function place() {
  const [folder, cache] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(folder, "notes.ts"), TOOLS);
  return (...args: readonly string[]) =>
    toolwright([...args, "--tools", "notes.ts"], { cwd: folder, env: { XDG_CACHE_HOME: cache } });
}

/** The ops of the pack `ot` that every caller has. */
const advised = (text: string) => [...text.matchAll(/\bot\.(?!result\b)\w+/g)].map(([op]) => op);

test("programs without a project are advised to call no op that is not there", { timeout: 120_000 }, async () => {
  const run = place();
  const program = (code: string, ...more: readonly string[]) => run("run", "-c", code, "--allow-write", ...more);
  const failed = await program("x = notes.add_note(text='a')\n1/0");
  const id = /after="(run_\w+)"/.exec(failed.stdout)?.[1] ?? "";
  const corrected = "notes.add_note(text='a')";
  const said = [
    failed,
    await program("notes.list_numbers(count=5000)"),
    await program("import numpy"),
    await program("SELECT n FROM numbers"),
    await program(corrected, "--after", id),
    await program(corrected, "--after", id),
  ].map(({ stdout }) => stdout);
  expect(said.map((one) => advised(one))).toEqual(said.map(() => []));
  expect(said[1]).toContain("ot.result(handle='");
  expect(said[2]).toContain("Next: lists and dicts hold the data, and comprehensions");
  expect(said[3]).toMatch(/Write: x = notes\.list_numbers\(\); \[r for r in x\]/);
  expect(said[5]).toMatch(/has ended well\n.*\nNext: leave after out for another program/);
});

/** What a printed command may hold that is no command yet: values to fill in. */
const TO_FILL_IN = /<\w+(?::[^>]*)?>/;
/** The words of a printed command. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'((?:[^']|'\\'')*)'|(\S+)/g)].map(([, text, word = ""]) =>
    text === undefined ? word : text.replaceAll("'\\''", "'"),
  );

test.each([
  ["a misspelt flag", ["list_numbers", "count=2", "--alow-write"], "did you mean --allow-write?"],
  ["an unknown argument", ["list_numbers", "count=2", "zzz=3"], "left out: zzz"],
  ["an unknown flag", ["list_numbers", "count=2", "--foo", "3"], "left out: foo"],
  ["a misspelt argument", ["list_numbers", "cuont=2"], "count=2"],
  ["an argument of another type", ["list_numbers", "count=two"], "<count"],
  ["a missing argument", ["list_numbers"], "<count"],
  ["a write", ["add_note", "txet=a", "--allow-write"], "--allow-write"],
  ["a write with a misspelt flag", ["add_note", "text=a", "--allow-write", "--dry-rum"], "--dry-run"],
  ["a misspelt op", ["list_number", "count=2"], "list_numbers"],
  ["an op between two", ["notes.lst_numbers", "count=1"], "list_numbers"],
] as const)(
  "%s: the command that is printed is accepted, or has a value to fill in",
  { timeout: 120_000 },
  async (...[, args, says]) => {
    const run = place();
    const refused = await run("call", ...args);
    const copied = [...refused.stderr.matchAll(/^try: .*? (?=call )(.*)$/gm)].map(([, command = ""]) => command);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(says)]);
    expect(copied).not.toEqual([]);
    for (const one of copied) {
      expect(one).toContain(" --tools notes.ts");
      if (TO_FILL_IN.test(one)) continue;
      const { code, stdout } = await run(...wordsOf(one.replace(" --tools notes.ts", "")));
      expect([one, code, JSON.parse(stdout)]).toEqual([one, 0, expect.objectContaining({ ok: true })]);
    }
  },
);

test("an op that is not there, with a misspelt flag: the flag is named", { timeout: 120_000 }, async () => {
  const { code, stderr } = await place()("call", "zzz", "--toolz", "other.ts");
  expect([code, stderr]).toEqual([1, expect.stringContaining("--toolz is no argument: did you mean --tools?")]);
});
