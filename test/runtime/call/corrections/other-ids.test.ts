/** Ids of another thing: a correction never makes one the value of an argument. */

import { describe, expect, test } from "vitest";
import type { JsonObject, Kind } from "../../../../runtime/codegen.js";
import { errorOf, fixture, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const WHOLE = { type: "integer" };
const TEXT = { type: "string" };
const opWith = (op: string, kind: Kind, properties: JsonObject, required = Object.keys(properties)) =>
  toolOf({ op, tool: op.replaceAll(".", "_"), kind, schema: closed(properties, required) });
const TOOLS = [
  opWith("books.delete", "write", { id: WHOLE }),
  opWith("books.get", "read", { id: WHOLE, full: { type: "boolean" } }, ["id"]),
  opWith("books.loan.get", "read", { id: WHOLE }),
  opWith("books.loan.return_", "write", { loanId: WHOLE }),
  opWith("books.member.find", "read", { name: TEXT }),
  opWith("shop.get_order", "read", { number: WHOLE }),
];
const { gateway } = fixture({ more: TOOLS });
const corrected = async (op: string, args: JsonObject) =>
  errorOf(await gateway.dispatch({ op, args }, principal())).corrected_call?.args;
const run = async (code: string): Promise<string> => (await gateway.run({ command: code }, principal())).text;

describe("a value whose name says another thing", () => {
  test.each<readonly [op: string, args: JsonObject, missing: string]>([
    ["books.delete", { loanId: 7 }, "id"],
    ["books.delete", { member_id: 7 }, "id"],
    ["books.delete", { parent_book_id: 7 }, "id"],
    ["books.get", { loan_ids: 7 }, "id"],
    ["books.loan.get", { bookId: 7 }, "id"],
    ["books.loan.return_", { bookId: 7 }, "loanId"],
    ["books.member.find", { id: "m1" }, "name"],
    ["books.member.find", { memberId: "m1" }, "name"],
    ["shop.get_order", { shop_id: 7 }, "number"],
  ])("%s %j leaves what is missing to be filled in", async (op, args, missing) => {
    const [name = ""] = Object.keys(args);
    const said = await corrected(op, args);
    expect(said).toEqual({
      [missing]: expect.stringMatching(`^<${missing}`),
      [name]: expect.stringMatching(`^<${name}: no such argument for .*leave it out>$`),
    });
    expect(String(said?.[name])).not.toContain(`use ${missing}`);
  });

  test("books.delete with a loan leaves the id to be filled in", async () => {
    expect(await corrected("books.delete", { loan: 7 })).toMatchObject({ id: expect.stringMatching(/^<id/) });
  });

  test.each([
    ["books.delete(loanId=7)", "Next: leave out loanId and give id"],
    ["books.loan.return_(bookId=3)", "Next: leave out bookId and give loanId"],
    ['books.member.find(id="m1")', "Next: leave out id and give name"],
  ])("%s in a program is told what is missing", async (code, next) => {
    const text = await run(code);
    expect(text).not.toContain("Did you mean");
    expect(text).toContain(next);
  });
});

describe("a value whose name says the thing itself", () => {
  test.each<readonly [op: string, given: JsonObject, meant: JsonObject]>([
    ["books.get", { bookId: 3 }, { id: 3 }],
    ["books.delete", { book: 3 }, { id: 3 }],
    ["books.delete", { number: 3 }, { id: 3 }],
    ["books.loan.get", { loan_id: 3 }, { id: 3 }],
    ["books.loan.get", { book_loan_id: 3 }, { id: 3 }],
    ["books.loan.return_", { id: 3 }, { loanId: 3 }],
    ["books.member.find", { query: "Ann" }, { name: "Ann" }],
    ["shop.get_order", { order_id: 7 }, { number: 7 }],
  ])("%s %j becomes %j", async (op, given, meant) => expect(await corrected(op, given)).toEqual(meant));

  test("is offered to a program", async () => {
    expect(await run("books.get(bookId=3)")).toContain("Did you mean: books.get(id=3)");
  });
});
