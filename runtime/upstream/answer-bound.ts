/** The bound of one answer of an upstream server, and the errors of answers that are not read. */

import { boundText, type PassedBound, UPSTREAM_BOUNDS } from "../contract/json-survey.js";
import { ANSWER_BYTES } from "../contract/settings/servers.js";

/** JSON-RPC code for an answer that will not arrive; not assigned by the protocol. */
export const BROKEN_OFF = -32_099;

/** Longest line over stdio, in bytes: a server may send the rest of a line after its bound, and is ended at more. */
export const MAX_SKIPPED_BYTES = ANSWER_BYTES.ceiling;

const TOO_LARGE = /\bit sent an answer of more than \d+ bytes$/;

/** Why an answer that is too large is not read. */
export const tooLarge = (limit: number): string => `it sent an answer of more than ${limit} bytes`;

/** Why an answer that is too hard to parse is not read. */
export const tooHard = (passed: PassedBound): string => `it sent an answer that ${boundText(passed, UPSTREAM_BOUNDS)}`;

/** What to do about an answer of a server that is not read for its size; `undefined` for any other reason. */
export const remedyOfSize = (why: string, server: string): string | undefined =>
  TOO_LARGE.test(why) ? `ask it for less, or raise servers.${server}.answer_bytes in toolwright.yaml` : undefined;
