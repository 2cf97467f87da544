/** What programs in both languages are told of calls that they have written wrong, and of writes without an answer. */

import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/codegen.js";
import { fixture, principal } from "../gateway/fixture.js";
import { closed, toolOf } from "../gateway/fixture-tools.js";

const TEXT = { type: "string" };
const PRIORITY = { type: "string", enum: ["low", "normal", "high"] };
const TOOLS = [
  toolOf({
    op: "books.create",
    tool: "create_book",
    kind: "write",
    schema: closed({ title: TEXT, genre: PRIORITY, options: closed({ priority: PRIORITY }) as JsonObject }, ["title"]),
  }),
];
const { gateway } = fixture({ more: TOOLS });
const run = async (command: string): Promise<string> => (await gateway.run({ command }, principal())).text;

test("a value that a member of an argument does not allow is told with those that it allows", async () => {
  expect(await run("books.create(title='x', options={'priority': 'urgent'})")).toContain(
    "options.priority is none of the allowed values (expected: low|normal|high)",
  );
});

describe("a word of Python as the name of an op", () => {
  test.each(["books.loan.return(loanId=3)", "x = books.loan.return(3)\nx", "print(books.import('a'))"])(
    "%s is told to have an underscore",
    async (code) => {
      const word = /\.(return|import)\(/.exec(code)?.[1];
      expect(await run(code)).toContain(`${word} is a word of Python: write .${word}_(…)`);
    },
  );
});

describe("an undefined name as the value of an argument", () => {
  test.each([
    ["books.create(title=Moby)", "Moby"],
    ["books.create(title='x', genre = low )", "low"],
  ])("%s may be a text", async (code, name) => {
    const text = await run(code);
    expect(text).toContain(`Did you mean: "${name}"`);
    expect(text).toContain("no variables are kept");
  });

  test("is not offered for a part of an expression", async () => {
    expect(await run("books.create(title=Moby + 'x')")).not.toContain("Did you mean");
  });
});
