/** A rule of `breaking`, and the forms of messages that many rules share. */

import type { FindingLevel, Surface } from "../../runtime/contract/finding.js";

/** Parameters of a message; texts are short and on one line. */
export interface MessageFacts {
  /** Readable place in the input or the result: `filter.state`, `tags[]`. */
  readonly at: string;
  readonly before: string;
  readonly after: string;
  /** Additional text of some findings. */
  readonly more: string;
}

/** One rule of the catalogue. */
export interface CataloguedRule {
  readonly level: FindingLevel;
  readonly surface: readonly Surface[];
  /** Meaning of the rule, independent of a finding. */
  readonly about: string;
  readonly message: (facts: MessageFacts) => string;
}

type Touched = "" | "wire" | "op" | "agent" | "code" | "wire op" | "wire code" | "wire agent" | "op agent";

/** Makes a rule; `touched` lists surfaces. */
export const breakingRule = (
  level: FindingLevel,
  touched: Touched,
  about: string,
  message: (facts: MessageFacts) => string,
): CataloguedRule => ({
  level,
  surface: touched.split(" ").filter((one): one is Surface => one !== ""),
  about,
  message,
});

/** A value, or the word for its absence. */
export const valueOrNothing = (text: string): string => text || "nothing";
/** A text in quotes. */
export const quotedProse = (text: string): string => (text === "" ? "empty" : `"${text}"`);
/** Message about a range. */
export const rangeMessage = (f: MessageFacts): string =>
  `range of ${f.at} was ${f.before || "open"}, is ${f.after || "open"}`;
/** Message about a value of the op. */
export const opValueMessage = (what: string) => (f: MessageFacts) =>
  `${what} was ${valueOrNothing(f.before)}, is ${valueOrNothing(f.after)}${f.more}`;
/** Message about a value of a place. */
export const placeValueMessage = (what: string) => (f: MessageFacts) =>
  `${what} of ${f.at} was ${valueOrNothing(f.before)}, is ${valueOrNothing(f.after)}${f.more}`;
/** Message about what a place has now. */
export const gainedMessage = (what: string) => (f: MessageFacts) => `${f.at} ${what} ${f.after}${f.more}`;
/** Message about what a place had. */
export const lostMessage = (what: string) => (f: MessageFacts) => `${f.at} ${what} ${f.before}${f.more}`;
