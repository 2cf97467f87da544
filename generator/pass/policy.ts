/**
 * Extracts policies from descriptions deterministically, with the line span of every rule.
 *
 * Most rules are in lists under headings, the rest in sentences. Below a threshold, the rules become notes instead of a policy.
 */

import { digestText } from "../../runtime/contract/canonical.js";
import type { Policy, PolicySpan } from "../../runtime/contract/registry.js";
import { textBeginning } from "../core/printer.js";

type List = "do" | "dont" | "edge_cases";
type Polarity = List | "examples" | "neutral" | "skipped";

interface Rule {
  readonly list: List;
  readonly text: string;
  readonly line_start: number;
  readonly line_end: number;
  /** Whether it was in a list under a heading. */
  readonly headed: boolean;
}

/** The extracted policy, or notes if there are too few rules. */
export interface Extraction {
  readonly policy?: Policy;
  readonly notes: readonly string[];
}

const LISTS: readonly List[] = ["do", "dont", "edge_cases"];
const MAX_ITEMS = 5;
const MAX_ITEM_LENGTH = 90;
const MAX_HEADING_LENGTH = 110;
const MAX_ASIDE_LENGTH = 40;

/** The heading's polarity; the first row that matches decides. */
const HEADINGS: readonly (readonly [RegExp, Polarity])[] = [
  [/\b(structure|properties|returns?|schema)\b/i, "skipped"],
  [/^(?!.*\b(vs|versus)\b).*\b(do not|don['’]t|never)\b/i, "dont"],
  [/\bwhen:$/i, "do"],
  [/^use\b/i, "do"],
  [/clarif/i, "edge_cases"],
  [/examples?\b/i, "examples"],
];

const NEGATIVE = /^(do not|don['’]t|never|avoid)\b/i;
const CONDITIONAL = /^(if|only if|unless)\b/i;
const ASKING = /^(if|only if|unless|ask)\b/i;
const POSITIVE = /^(use (this |it )?when|always|must|prefer)\b/i;
/** "Only fields that are provided change" describes an update; it forbids nothing. */
const FILTER = /\bonly\b.*\b(provided|given|supplied|included)\b/i;

/** First 12 hex digits of the SHA-256 of a description, by which a pin names its source. */
export const sourceHash = (description: string): string => digestText(description).slice(0, 12);

/** Extracts the policy of a description, or its notes. */
export function extractPolicy(description: string): Extraction {
  const rules = compress(readRules(description));
  const headed = rules.filter((one) => one.headed && one.list === "do").length;
  if (rules.some((one) => one.list === "dont") || headed >= 2) return { policy: policyOf(rules), notes: [] };
  return { notes: rules.map((one) => one.text) };
}

function policyOf(rules: readonly Rule[]): Policy {
  const of = (list: List): readonly Rule[] => rules.filter((one) => one.list === list);
  const source = LISTS.flatMap((list) =>
    of(list).map(
      (one, i): PolicySpan => ({ rule: `${list}[${i}]`, line_start: one.line_start, line_end: one.line_end }),
    ),
  );
  const texts = (list: List): readonly string[] => of(list).map((one) => one.text);
  return { do: texts("do"), dont: texts("dont"), edge_cases: texts("edge_cases"), source };
}

interface Line {
  readonly text: string;
  readonly number: number;
}

function readRules(description: string): readonly Rule[] {
  const rules: Rule[] = [];
  let section: Polarity | undefined;
  let paragraph: Line[] = [];
  const flush = (): void => {
    if (section !== "skipped") rules.push(...sentenceRules(paragraph));
    paragraph = [];
  };
  for (const line of proseLines(description)) {
    const item = /^(?:[-*•]|\d{1,2}[.)])\s+(.*)$/.exec(line.text)?.[1];
    const heading = item === undefined ? headingOf(line.text) : undefined;
    if (heading) {
      flush();
      section = heading;
    } else if (item !== undefined) {
      flush();
      rules.push(...itemRules(item, section ?? "neutral", line.number, section !== undefined));
    } else if (line.text === "") flush();
    else {
      if (paragraph.length === 0 && section !== "skipped") section = undefined;
      paragraph.push(line);
    }
  }
  flush();
  return rules;
}

/** Lines without code and JSON: fenced blocks and everything inside braces are blanked. */
function proseLines(description: string): readonly Line[] {
  let fenced = false;
  let depth = 0;
  return description.split(/\r\n|[\n\r\u2028\u2029]/).map((raw, index) => {
    const text = raw.trim();
    const fence = text.startsWith("```");
    const before = depth;
    if (!fenced && !fence) depth = Math.max(0, depth + count(text, "{") - count(text, "}"));
    const blank = fenced || fence || before > 0 || depth > before || /^[{[\]}]/.test(text);
    if (fence) fenced = !fenced;
    return { text: blank ? "" : text, number: index + 1 };
  });
}

const count = (text: string, mark: string): number => text.split(mark).length - 1;

function headingOf(text: string): Polarity | undefined {
  const bare = text.replace(/^#+\s*/, "").replaceAll("**", "");
  const marked = /^#{1,6}\s/.test(text);
  if (!(bare.endsWith(":") || marked) || bare.length >= MAX_HEADING_LENGTH || bare.length < 3) return undefined;
  return HEADINGS.find(([pattern]) => pattern.test(bare))?.[1] ?? "neutral";
}

function itemRules(text: string, section: Polarity, line: number, headed: boolean): readonly Rule[] {
  const list = listOf(text, section);
  return list ? [{ list, text, line_start: line, line_end: line, headed }] : [];
}

function listOf(text: string, section: Polarity): List | undefined {
  if (section === "skipped") return undefined;
  if (section === "examples") {
    const outcome = /(?:→|->|=>)(.*)$/.exec(text)?.[1];
    if (outcome === undefined) return undefined;
    return /\b(do not|don['’]t|never)\b/i.test(outcome) ? "dont" : "do";
  }
  if (NEGATIVE.test(text)) return "dont";
  if (section !== "neutral") return section;
  return ASKING.test(text) ? "edge_cases" : undefined;
}

function sentenceRules(paragraph: readonly Line[]): readonly Rule[] {
  const [first] = paragraph;
  const last = paragraph.at(-1);
  if (!first || !last) return [];
  const sentences = paragraph
    .map((line) => line.text)
    .join(" ")
    .split(/(?<=[.!?;])\s+/);
  return sentences.flatMap((sentence) => {
    const list = NEGATIVE.test(sentence)
      ? "dont"
      : CONDITIONAL.test(sentence)
        ? "edge_cases"
        : POSITIVE.test(sentence)
          ? "do"
          : undefined;
    if (!list || FILTER.test(sentence)) return [];
    return [{ list, text: sentence, line_start: first.number, line_end: last.number, headed: false }];
  });
}

function compress(rules: readonly Rule[]): readonly Rule[] {
  const seen = new Set<string>();
  const left = new Map<List, number>(LISTS.map((list) => [list, MAX_ITEMS]));
  return rules.flatMap((rule) => {
    const text = shorten(rule.text);
    const key = `${rule.list} ${text.toLowerCase()}`;
    const room = left.get(rule.list) ?? 0;
    if (text === "" || seen.has(key) || room === 0) return [];
    seen.add(key);
    left.set(rule.list, room - 1);
    return [{ ...rule, text }];
  });
}

/** One line of at most 90 characters, cut at a word, without long asides and Markdown emphasis. */
function shorten(text: string): string {
  const plain = text
    .replace(/\s*\(([^()]*)\)/g, (aside, inside: string) => (inside.length > MAX_ASIDE_LENGTH ? "" : aside))
    .replaceAll("**", "")
    .replace(/\s+/g, " ")
    .replace(/[.;]$/, "")
    .trim();
  if (plain.length <= MAX_ITEM_LENGTH) return plain;
  const cut = textBeginning(plain, MAX_ITEM_LENGTH - 1);
  return `${textBeginning(cut, Math.max(cut.lastIndexOf(" "), MAX_ITEM_LENGTH / 2)).trimEnd()}…`;
}
