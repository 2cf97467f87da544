/** Texts that match a pattern or have a format, edge cases first. */

import type { AST } from "@eslint-community/regexpp";
import { patternVerdict } from "./accepts.js";

type Regexpp = typeof import("@eslint-community/regexpp");

let loaded: Regexpp | undefined;

/** Loaded with the first pattern, synchronously, since a comparison is synchronous. */
function regexpp(): Regexpp {
  loaded ??= process.getBuiltinModule("node:module").createRequire(import.meta.url)(
    "@eslint-community/regexpp",
  ) as Regexpp;
  return loaded;
}

/** Longest pattern that is sampled, and longest text that is made. */
const MAX_PATTERN_LENGTH = 2000;
const MAX_TEXT_LENGTH = 4000;
/** Texts of one part of a pattern. */
const MAX_SAMPLES = 6;

/** Texts that match a pattern: short and long repetitions, each alternative, ends of character classes. */
export function matchingTexts(pattern: string, lengths: readonly number[]): readonly string[] {
  const known = cached.get(`${lengths.join()} ${pattern}`);
  if (known) return known;
  const made = sampled(pattern, lengths);
  if (cached.size >= MAX_CACHED) cached.clear();
  cached.set(`${lengths.join()} ${pattern}`, made);
  return made;
}

const cached = new Map<string, readonly string[]>();
const MAX_CACHED = 2000;

function sampled(pattern: string, lengths: readonly number[]): readonly string[] {
  const tree = parsed(pattern);
  if (!tree) return [];
  const texts = [0, 1, 3, ...lengths].flatMap((extra) =>
    ["", "x", "-", " "].flatMap((beside) => {
      const [before, after] = [tree.raw.startsWith("^") ? "" : beside, tree.raw.endsWith("$") ? "" : beside];
      return alternatives(tree.alternatives, extra).map((one) => `${before}${one}${after}`);
    }),
  );
  return [...new Set(texts)].filter((one) => one.length <= MAX_TEXT_LENGTH && patternVerdict(pattern, one) === true);
}

function parsed(pattern: string): AST.Pattern | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH) return undefined;
  for (const unicode of [true, false])
    try {
      return new (regexpp().RegExpParser)().parsePattern(pattern, 0, pattern.length, { unicode });
    } catch {
      // Tried without the flag as well.
    }
  return undefined;
}

const alternatives = (all: readonly AST.Alternative[], extra: number): readonly string[] =>
  all.flatMap((one) => sequence(one.elements, extra)).slice(0, MAX_SAMPLES * 2);

/** Each part at its first text, then one part after the other at its further texts. */
function sequence(parts: readonly AST.Element[], extra: number): readonly string[] {
  const samples = parts.map((one) => element(one, extra));
  const first = samples.map((one) => one[0] ?? "");
  const varied = samples.flatMap((all, i) =>
    all.slice(1).map((one) => [...first.slice(0, i), one, ...first.slice(i + 1)].join("")),
  );
  const last = samples.map((one) => one.at(-1) ?? "").join("");
  return [...new Set([first.join(""), last, ...varied])].slice(0, MAX_SAMPLES);
}

function element(part: AST.Element, extra: number): readonly string[] {
  switch (part.type) {
    case "Character":
      return [String.fromCodePoint(part.value)];
    case "CharacterSet":
    case "CharacterClass":
      return characters(part.raw);
    case "Group":
    case "CapturingGroup":
      return alternatives(part.alternatives, extra);
    case "Quantifier":
      return repeated(part, extra);
    default:
      return [""];
  }
}

function repeated({ element: inner, min, max }: AST.Quantifier, extra: number): readonly string[] {
  const samples = element(inner, 0);
  const count = Math.min(max, min + extra);
  const texts = samples.flatMap((one) => [one.repeat(Math.min(count, MAX_TEXT_LENGTH)), one.repeat(min)]);
  const mixed = Array.from({ length: Math.min(count, 200) }, (_, i) => samples[i % samples.length] ?? "").join("");
  return [...new Set([...texts, mixed])];
}

/** Characters that a class may hold: one of each kind, and the ends of its ranges. */
function characters(raw: string): readonly string[] {
  const ends = [...raw.replace(/\\[a-zA-Z](?:\{[^}]*\})?/g, "")];
  const probes = [...new Set([..."a0A_- .Zz9é/:@", "\u0000", "\n", "😀", ...ends])];
  const test = `^(?:${raw})$`;
  return probes.filter((one) => patternVerdict(test, one) === true).slice(0, MAX_SAMPLES + 4);
}

/** Texts of each format: several forms that validators take. */
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  "date-time": [
    "2026-01-15T09:00:00Z",
    "2026-01-15T09:00:00.123+02:00",
    "0001-01-01T00:00:00Z",
    "2026-01-15t09:00:00z",
  ],
  "iso-date-time": ["2026-01-15T09:00:00Z", "2026-01-15T09:00:00"],
  date: ["2026-01-15", "0001-01-01", "2024-02-29"],
  time: ["09:00:00Z", "09:00:00.5+02:00"],
  "iso-time": ["09:00:00", "09:00:00Z"],
  duration: ["P1D", "PT1H30M", "P2W"],
  uri: ["https://example.com/", "urn:a:b", "mailto:a@example.com", "http://example.com:80/a?b=c#d", "ftp://x"],
  url: ["https://example.com/", "http://example.com/a?b=c"],
  "uri-reference": ["a/b", "/x", "https://example.com/", "#y", ""],
  "uri-template": ["/a/{b}", "a", "https://example.com/{id}"],
  email: ["a@example.com", "a.b+c@sub.example.org", "A@b.co"],
  hostname: ["example.com", "localhost", "a-b.c"],
  ipv4: ["127.0.0.1", "255.255.255.255"],
  ipv6: ["::1", "2001:db8::1", "::ffff:127.0.0.1"],
  uuid: [
    "123e4567-e89b-12d3-a456-426614174000",
    "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
    "00000000-0000-0000-0000-000000000000",
    "123E4567-E89B-12D3-A456-426614174000",
  ],
  regex: ["a", "^a+$", ""],
  "json-pointer": ["", "/a/b"],
  "json-pointer-uri-fragment": ["#", "#/a"],
  "relative-json-pointer": ["0", "1/a"],
  byte: ["", "YQ==", "AAAA"],
};

/** Texts that have a format; none for a format that is not known. */
export const formatTexts = (format: unknown): readonly string[] =>
  typeof format === "string" && Object.hasOwn(BY_FORMAT, format) ? (BY_FORMAT[format] ?? []) : [];

/** Texts that real arguments and hostile ones hold. */
export const ODD_TEXTS: readonly string[] = [
  "x",
  "",
  "A 1",
  "abc",
  "-1",
  "0",
  "42",
  "true",
  "plain text",
  "Ünïcode 😀",
  " ",
  "\u0000",
  "a\nb",
  "2026-01-15",
  "2026-01-15T09:00:00Z",
  "https://example.com/",
  "a@example.com",
  "a_b",
  "a-b",
  "a.txt",
  "../x",
  "/",
  "{}",
  "[]",
  "null",
  "all",
  "none",
  "--",
  "-x",
  "ABC",
  "xy",
  "xyz1",
  "x".repeat(20),
  "x".repeat(120),
  "x".repeat(1200),
];
