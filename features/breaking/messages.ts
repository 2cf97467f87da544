/** The forms of messages that many rules of `breaking` share. */

import type { MessageFacts } from "../../generator/core/breaking-rule.js";

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
