/** The stemmer, on the examples of Porter's paper ("An algorithm for suffix stripping", 1980). */

import { expect, test } from "vitest";
import { stem } from "../../../../runtime/contract/search/stem.js";

const STEMS = `caresses caress, ponies poni, ties ti, caress caress, cats cat, feed feed, agreed agre, plastered plaster, bled bled,
motoring motor, sing sing, conflated conflat, troubled troubl, sized size, hopping hop, tanned tan, falling fall, hissing hiss,
fizzed fizz, failing fail, filing file, happy happi, sky sky, relational relat, conditional condit, rational ration, valenci valenc,
digitizer digit, radically radic, differently differ, vileli vile, analogousli analog, vietnamization vietnam, predication predic,
operator oper, feudalism feudal, decisiveness decis, hopefulness hope, callousness callous, formaliti formal, sensitiviti sensit,
sensibiliti sensibl, triplicate triplic, formative form, formalize formal, electriciti electr, electrical electr, hopeful hope,
goodness good, revival reviv, allowance allow, inference infer, airliner airlin, gyroscopic gyroscop, adjustable adjust,
defensible defens, irritant irrit, replacement replac, adjustment adjust, dependent depend, adoption adopt, communism commun,
activate activ, angulariti angular, homologous homolog, effective effect, bowdlerize bowdler, probate probat, rate rate,
cease ceas, controll control, roll roll`;

test.each(STEMS.split(/,\s+/).map((pair) => pair.split(" ")))("%s is %s", (word, expected) => {
  expect(stem(word ?? "")).toBe(expected);
});

test.each(["as", "größe", "x86", "日本"])("%s stays", (word) => expect(stem(word)).toBe(word));

test("forms of a word are one", () => {
  expect(new Set(["search", "searches", "searched", "searching"].map(stem)).size).toBe(1);
});
