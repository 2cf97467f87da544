/** The stored log of a run: its form is that of earlier versions, which read the runs of this one, and this one theirs. */

import { expect, test } from "vitest";
import { HostError, INTERNAL } from "../../../../runtime/run/engine/engine.js";
import { answerOfText, textOfAnswer } from "../../../../runtime/run/kept/log-text.js";
import type { CallAnswer } from "../../../../runtime/run/languages/language.js";

const details = { $: "dict", entries: [["upstream", 10n]] } as const;
const { failure: refused } = new HostError("TypeError", "no");

const STORED: readonly (readonly [text: string, answer: CallAnswer])[] = [
  [
    '{"value":[{"$":"int","text":"7"},{"$":"float","text":"1.0"},{"$":"bytes","text":"QQ=="}]}',
    { value: [7n, { $: "float", text: "1.0" }, new Uint8Array([65])] },
  ],
  ['{"value":{"$":"tuple","items":[null,{"$":"number","text":"-0"}]}}', { value: { $: "tuple", items: [null, -0] } }],
  [
    '{"raised":["LookupError","gone",{"code":"NOT_FOUND","details":{"$":"dict","entries":[["upstream",{"$":"int","text":"10"}]]}}]}',
    { failure: { exception: "LookupError", message: "gone", code: "NOT_FOUND", details } },
  ],
  ['{"raised":[]}', { failure: INTERNAL }],
];

test.each(STORED)("%s is written and read", (text, answer) => {
  expect(textOfAnswer(answer)).toBe(text);
  expect(answerOfText(text)).toEqual(answer);
});

test("a failure of the first versions, which has no data, was refused", () => {
  expect(answerOfText('{"raised":["TypeError","no"]}')).toEqual({ failure: refused });
  expect(refused).toMatchObject({ code: "VALIDATION_ERROR", exception: "TypeError", message: "no" });
});

test("a failure without an exception of its own stays one of which the program is told", () => {
  const failure = { message: "gone", code: "NOT_FOUND", details } as const;
  expect(answerOfText(textOfAnswer({ failure }))).toEqual({ failure });
});
