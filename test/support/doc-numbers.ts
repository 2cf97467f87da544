/** Numbers in the prose of `docs/`. */

import { expect, test } from "vitest";
import { pageText } from "./doc-pages.js";

/** Sentences of a page with a number in place of each `#`, in their order. */
export type SaidNumbers = Readonly<
  Record<string, readonly (readonly [sentence: string, ...numbers: readonly number[]])[]>
>;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** Matches the numbers in place of each `#`; a number is a whole word, with commas or without. */
const pattern = (sentence: string): RegExp =>
  new RegExp(sentence.split("#").map(escaped).join("(\\d[\\d,]*(?:\\.\\d+)?)"));

/** Tests that pages say these numbers. */
export function testNumbers(said: SaidNumbers): void {
  const all = Object.entries(said).flatMap(([page, rows]) =>
    rows.map(([sentence, ...numbers]) => [page, sentence, numbers] as const),
  );
  test.each(all)("%s says: %s", (page, sentence, numbers) => {
    const [, ...found] = pattern(sentence).exec(pageText(page)) ?? [];
    expect(found.map((one) => Number(one.replaceAll(",", "")))).toEqual(numbers);
  });
}
