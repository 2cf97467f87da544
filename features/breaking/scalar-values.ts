/** Numbers and texts at and around the edges of constraints. */

import { type Facts, listedIn, type Type, textPatterns } from "./facts.js";
import { lengthPatterns, separatingText } from "./text-sets.js";
import { formatTexts, matchingTexts, ODD_TEXTS } from "./texts.js";

const BOUNDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;
const PLAIN: readonly number[] = [1, 0, -1, 2, 3, 5, 7, 11, 10, 50, 100, 1000, 2_147_483_648, 1e9 + 7, -1000];
const FRACTIONS: readonly number[] = [0.5, 1.5, -0.5, 0.1, 2.25, 99.99];

/** Numbers at the bounds, one step beside them, and multiples; whole ones for an integer. */
export function numberValues(views: Facts, type: Type): readonly number[] {
  const named = views.flatMap(({ schema }) => [...BOUNDS.map((one) => schema[one]), ...(listedIn(schema) ?? [])]);
  const bounds = named.filter((one): one is number => typeof one === "number");
  const steps = views.map(({ schema }) => schema["multipleOf"]).filter((one): one is number => typeof one === "number");
  const beside = bounds.flatMap((one) => [one, one - 1, one + 1, one - 0.5, one + 0.5, one - 0.001, one + 0.001]);
  const near = steps.flatMap((step) =>
    [
      0,
      1,
      -1,
      2,
      3,
      ...bounds.map((one) => Math.round(one / step)),
      ...bounds.map((one) => Math.round(one / step) + 1),
      ...bounds.map((one) => Math.round(one / step) - 1),
    ].map((one) => one * step),
  );
  const all = [
    ...near,
    ...PLAIN.filter((one) => bounds.length === 0 || isBetween(one, bounds)),
    ...beside,
    ...PLAIN,
    ...FRACTIONS,
  ];
  return [...new Set(all)].filter((one) => Number.isFinite(one) && Number.isInteger(one) === (type === "integer"));
}

const isBetween = (one: number, bounds: readonly number[]): boolean =>
  one >= Math.min(...bounds) && one <= Math.max(...bounds);

/** Most characters of a text that is made to reach a length, and of one that is made in several forms. */
const MAX_LENGTH = 1_000_000;
const MAX_VARIED_LENGTH = 4000;

/** Texts that match patterns and formats, texts of edge lengths, and odd ones. */
export function textValues(facts: Facts, views: Facts, judging: { left: number }): readonly string[] {
  const lengths = lengthsOf([...facts, ...views]);
  const short = lengths.filter((one) => one <= MAX_VARIED_LENGTH);
  const patterns = (from: Facts): readonly string[] =>
    from.flatMap(({ schema: { pattern } }) => (typeof pattern === "string" ? matchingTexts(pattern, short) : []));
  const named = views.flatMap(({ schema }) => [...(listedIn(schema) ?? []), ...formatTexts(schema["format"])]);
  const declared = facts.flatMap(({ schema }) => formatTexts(schema["format"]));
  const sized = lengths.flatMap((one) =>
    (one > MAX_VARIED_LENGTH ? ["x"] : ["x", "7", "é"]).map((letter) => letter.repeat(one)),
  );
  const texts = [
    ...declared.slice(0, 1),
    ...patterns(facts).slice(0, 1),
    ...sized.slice(0, 1),
    ...separating(facts, views, judging),
    ...declared,
    ...patterns(facts),
    ...sized.slice(0, 3),
    ...ODD_TEXTS.slice(0, 6),
    ...named,
    ...patterns(views),
    ...sized,
    ...ODD_TEXTS,
  ];
  const given = texts.filter((one): one is string => typeof one === "string");
  const padded = short.length === 0 ? [] : given.slice(0, 12).flatMap((text) => short.map((one) => fitted(text, one)));
  return [...new Set([...given, ...padded])];
}

/** Texts that tell the patterns and lengths of the views apart: one that each of them refuses, and one that it takes. */
function separating(facts: Facts, views: Facts, judging: { left: number }): readonly string[] {
  const known = textPatterns(facts);
  const asked = views.flatMap((one) => {
    const lengths =
      known.length === 0 ? [] : lengthPatterns(numberOf(one, "minLength", 0), numberOf(one, "maxLength", Infinity));
    const { pattern } = one.schema;
    return [...(typeof pattern === "string" ? [pattern] : []), ...lengths];
  });
  const others = [...new Set(asked)].filter((one) => !known.includes(one)).slice(0, MAX_SEPARATED);
  return others
    .flatMap((one) => [separatingText(known, judging, one), separatingText([...known, one], judging)])
    .flatMap((one) => (typeof one === "object" ? [one.text] : []));
}

const MAX_SEPARATED = 8;

const numberOf = ({ schema }: Facts[number], keyword: "minLength" | "maxLength", otherwise: number): number => {
  const held = schema[keyword];
  return typeof held === "number" ? held : otherwise;
};

/** Lengths at the bounds and one beside them. */
function lengthsOf(views: Facts): readonly number[] {
  const bounds = views
    .flatMap(({ schema }) => [schema["minLength"], schema["maxLength"]])
    .filter((one): one is number => typeof one === "number");
  const lengths = bounds.flatMap((one) => [one, one - 1, one + 1]).filter((one) => one >= 0 && one <= MAX_LENGTH);
  return [...new Set(lengths)].sort((a, b) => a - b).slice(0, 12);
}

const fitted = (text: string, length: number): string => {
  const characters = [...text];
  return characters.length >= length
    ? characters.slice(0, length).join("")
    : text + "a".repeat(length - characters.length);
};
