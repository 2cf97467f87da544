/**
 * The pieces in which the body of an answer is passed on, one in each turn of the event loop. Those of an event stream are whole
 * lines: its parsers read a line that comes in pieces again and again.
 */

import { createParts } from "../contract/byte-parts.js";

/** Takes chunks, and gives pieces. */
interface Pieces {
  push(chunk: Uint8Array): void;
  /** The next piece, if one is complete. */
  next(): Uint8Array | undefined;
  /** What is left at the end. */
  rest(): Uint8Array | undefined;
}

/** Passes chunks on as they come. */
export function wholePieces(): Pieces {
  let held: Uint8Array | undefined;
  const next = (): Uint8Array | undefined => {
    const piece = held;
    held = undefined;
    return piece;
  };
  return { push: (chunk) => (held = chunk), next, rest: next };
}

const [NEWLINE, RETURN] = [0x0a, 0x0d];
/** A piece ends with the first line behind these bytes: there may be hundreds of messages in it. */
const PIECE_BYTES = 4096;

/** Passes on whole lines. */
export function eventPieces(limit: number): Pieces {
  const parts = createParts();
  let lines: Uint8Array = new Uint8Array();
  const rest = (): Uint8Array | undefined => (parts.size() > 0 ? parts.take() : undefined);
  return {
    push(chunk) {
      const end = Math.max(chunk.lastIndexOf(NEWLINE), chunk.lastIndexOf(RETURN)) + 1;
      if (end > 0) {
        parts.add(chunk.subarray(0, end), limit);
        lines = parts.take();
      }
      parts.add(chunk.subarray(end), limit);
    },
    next() {
      if (lines.length === 0) return undefined;
      const end = lines.indexOf(NEWLINE, PIECE_BYTES) + 1 || lines.length;
      const piece = lines.subarray(0, end);
      lines = lines.subarray(end);
      return piece;
    },
    rest,
  };
}
