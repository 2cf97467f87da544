/** What a program is told of a failed call beside its message. */

import type { ErrorBody } from "../contract/error-body.js";
import { writeJson } from "../contract/exact-number.js";
import { clip } from "../contract/scrub.js";
import { MAY_HAVE_TAKEN_EFFECT } from "../contract/write-outcome.js";

/** Longest message before details, and longest details, in characters: reports of runs have messages of 2,000. */
const MAX_SAID_LENGTH = 1_200;
const MAX_DETAILS_LENGTH = 600;

/** A message with the data of the server and whether a write may have taken effect, for programs that show or end with it. */
export function withDetails(message: string, { details: { upstream, outcome } }: ErrorBody): string {
  const data = upstream === undefined ? "" : writeJson(upstream);
  const isUncertain = outcome === "unknown" && !message.includes("read before");
  const more = [
    ...(data === "" || message.includes(data) ? [] : [clip(data, MAX_DETAILS_LENGTH)]),
    ...(isUncertain ? [MAY_HAVE_TAKEN_EFFECT] : []),
  ];
  if (more.length === 0) return message;
  const said = clip(message, MAX_SAID_LENGTH);
  return [/[.!?…]$/.test(said) ? said : `${said}.`, ...more].join(" ");
}
