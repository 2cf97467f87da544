/** The line that a syntax error names is that of the code as sent, before fences around it were removed. */

import { describe, expect, test } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { runDemo, SLOW } from "../../support/run/run-demo.js";

const { bad } = runDemo();

/** Code with a fault, and the line that Python names. */
const FAULTY: readonly (readonly [code: string, line: number, quoted: string])[] = [
  ["a = 1\nb = (5 + 10\nc = 2", 2, "b = (5 + 10"],
  ["a = 1\nb = 5 +\nc = 2", 2, "b = 5 +"],
  ["a = 1\n\n\nb = [1, 2", 4, "b = [1, 2"],
  ["a = 1\nb = 'text\nc = 2", 2, "b = 'text"],
  ["a = 1\nb = '''text\nc = 2", 2, "b = '''text"],
  ["a = 1\nif a:\nb = 2", 3, "b = 2"],
  ["# note\na = 1\nfor x in a\n    x", 3, "for x in a"],
  ["a = 1\nb = 2)\nc = 3", 2, "b = 2)"],
  ["a = 1\ndef f(:\n    pass", 2, "def f(:"],
  ["a = {'x': 1}\nb = a b\nb", 2, "b = a b"],
  ["x = 1\nfor = 3", 2, "for = 3"],
  ["x = 1\nif x:\n    y = 1\n  z = 2", 4, "z = 2"],
  ["def f():\n    return 1\n  x = 2", 3, "x = 2"],
  ["text = '''\none\ntwo'''\nb = (", 4, "b = ("],
  ["a = f'{1 +}'\nb = 1", 1, "a = f'{1 +}'"],
  ["a = 1\nb = 2\ndel", 3, "del"],
];

/** The code as it may be sent, and what is before its first line. */
const FORMS: readonly (readonly [name: string, send: (code: string) => string])[] = [
  ["plain", (code) => code],
  ["with Windows line ends", (code) => code.replaceAll("\n", "\r\n")],
  ["indented", (code) => code.replace(/^(?=.)/gm, "    ")],
  ["indented but for the first line", (code) => code.replace(/\n(?=.)/g, "\n    ")],
  ["fenced", (code) => `\`\`\`python\n${code}\n\`\`\``],
  ["indented in a fence", (code) => `\`\`\`\n${code.replace(/^(?=.)/gm, "    ")}\n\`\`\``],
  ["in a fence after a trigger", (code) => `__onetool__run\n\`\`\`py\n${code}\n\`\`\``],
  ["after a trigger", (code) => `__ot\n${code}`],
  ["in a call of the tool", (code) => `__ot(command=${JSON.stringify(code)})`],
];

/** An indented rest is only known for one where it parses without the indentation: else its first line is the fault. */
const faultyIn = (form: string) => FAULTY.filter(([, line]) => !form.startsWith("indented but") || line === 2);

describe.each(FORMS)("code that is sent %s", (form, send) => {
  const some = form === "plain" ? FAULTY.map(([code]) => code) : ["a = 1\nb = 5 +\nc = 2"];
  eachCase(faultyIn(form), ...some)(
    "%j fails at line %i",
    { timeout: SLOW, tags: "slow" },
    async (code, line, quoted) => {
      const text = await bad(send(code));
      expect(text).toMatch(new RegExp(`^Error at line ${line}: (?:Syntax|Indentation|Tab)Error: `));
      expect(text.split("\n")[1]?.trim()).toBe(`${line} | ${quoted}`);
      expect(text).toContain(`Next: correct line ${line} and send the whole code again`);
    },
  );
});

test("empty lines at the start count", { timeout: SLOW }, async () => {
  expect(await bad("\n\na = (")).toMatch(/^Error at line 3: SyntaxError/);
  expect(await bad("`\n\na = (`")).toMatch(/^Error at line 3: SyntaxError/);
  expect(await bad("```\n\n\na = (\n```")).toMatch(/^Error at line 3: SyntaxError/);
});

test("code that is read in a worker", { tags: "full", timeout: SLOW }, async () => {
  const long = "x = 1\n".repeat(3000);
  expect(await bad(`${long}b = (5 +`)).toMatch(/^Error at line 3001: SyntaxError: .*\n {2}3001 \| b = \(5 \+\n/);
  expect(await bad(`${long}1/0`)).toMatch(/^Error at line 3001: ZeroDivisionError: .*\n {2}3001 \| 1\/0\n/);
});
