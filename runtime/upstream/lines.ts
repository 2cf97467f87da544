/** Splits the standard output of an upstream server into lines; of a line that is too long only the ends are kept. */

import { createParts } from "../contract/byte-parts.js";
import { MAX_SKIPPED_BYTES, tooLarge } from "./answer-bound.js";

const NEWLINE = 0x0a;
/** Bytes of an end that are kept: the id of a message is there. */
const EDGE_BYTES = 512;

/**
 * Reads chunks; the lines that one completes come one by one, as they are taken.
 *
 * @param limit - longest line in bytes
 * @param refuse - called with an end of a longer line; whether the request is known that it answers
 * @throws Error for a longer line that answers no known request, and for one without an end
 */
export function lineReader(
  limit: number,
  refuse: (edge: Buffer, why: string) => boolean,
): (chunk: Buffer) => Generator<Buffer> {
  const parts = createParts();
  let skipped: { bytes: number; tail: Buffer; isTold: boolean } | undefined;
  const skip = (part: Buffer): void => {
    skipped ??= begin(part);
    skipped.bytes += part.length;
    skipped.tail = Buffer.from(
      part.length < EDGE_BYTES ? Buffer.concat([skipped.tail, part]).subarray(-EDGE_BYTES) : part.subarray(-EDGE_BYTES),
    );
    if (skipped.bytes > MAX_SKIPPED_BYTES) throw new Error(tooLarge(limit));
  };
  const begin = (part: Buffer) => {
    const held = parts.take();
    const head = Buffer.concat([held.subarray(0, EDGE_BYTES), part.subarray(0, EDGE_BYTES)]);
    const isTold = refuse(head, tooLarge(limit));
    return { bytes: held.length, tail: Buffer.from(held.subarray(-EDGE_BYTES)), isTold };
  };
  const endSkipped = ({ isTold, tail }: { readonly isTold: boolean; readonly tail: Buffer }): void => {
    if (!isTold && !refuse(tail, tooLarge(limit))) throw new Error(tooLarge(limit));
    skipped = undefined;
  };
  return function* (chunk) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(NEWLINE, from);
      const part = chunk.subarray(from, at < 0 ? chunk.length : at);
      from += part.length + 1;
      if (skipped || parts.size() + part.length > limit) skip(part);
      else parts.add(part, limit);
      if (at < 0) continue;
      if (skipped) endSkipped(skipped);
      else yield parts.take();
    }
  };
}
