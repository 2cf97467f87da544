/** What is read in turns is what is read at once, and others have their turn meanwhile. */

import { expect, test } from "vitest";
import { ExactNumber } from "../../../runtime/contract/exact-number.js";
import { parseLossy, parseMessageInTurns } from "../../../runtime/contract/read-in-turns.js";
import { parseMessage } from "../../../runtime/contract/read-json.js";

const message = (data: string): string =>
  `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":${data}}}`;
const many = (one: string, count: number): string => `[${Array.from({ length: count }, () => one).join()}]`;

test.each([
  ["nothing to keep", message('{"a":1}')],
  ["one number", message('{"a":9007199254740993}')],
  ["empty lists and objects", message('{"a":[[],{},10.0,[]]}')],
  ["the order of keys", message('{"b":1,"2024":{"x":1.0},"a":2}')],
  ["as many values as a step has", message(many("1e400", 500))],
  ["many numbers", message(many("12345678901234567890", 3000))],
  ["many nested values", message(many('{"2":[1.0,{"1":[]}],"a":{}}', 2000))],
  ["a list of messages", `[${message("[1.50]")},${message("[]")}]`],
  ["a number alone", "10.0"],
])("a message that is read in turns is the same as one read at once: %s", async (_what, text) => {
  expect(await parseMessageInTurns(text)).toEqual(parseMessage(text));
});

test("a text that nothing changes is not read twice", async () => {
  expect(await parseLossy(message('{"a":1.5}'))).toBeUndefined();
  expect(await parseLossy(message('{"a":1.50}'))).toEqual(parseMessage(message('{"a":1.50}')));
});

test.each(["{", "[1.0,]", "1.0 x"])("%s is no JSON", async (text) => {
  await expect(parseMessageInTurns(text)).rejects.toThrow(SyntaxError);
});

test("a long text leaves turns to others", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const value = (await parseMessageInTurns(message(many("12345678901234567890", 20_000)))) as {
    readonly result: { readonly structuredContent: readonly unknown[] };
  };
  isOver = true;
  expect(turns).toBeGreaterThan(10);
  expect(value.result.structuredContent).toHaveLength(20_000);
  expect(value.result.structuredContent.every((one) => one instanceof ExactNumber)).toBe(true);
});
