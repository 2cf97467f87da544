/** Splits what comes over stdio and the socket into lines. */

import { createParts } from "../contract/byte-parts.js";

/** The lines that a chunk completes. */
export interface Split {
  /** Without line ends; blank lines are left out. */
  readonly lines: readonly Buffer[];
  /** Whether a line exceeded the limit. */
  readonly isOver: boolean;
  /** Both ends of each longer line that was skipped; absent if none was. */
  readonly skipped?: readonly Buffer[];
}

/** Bytes of an end of a longer line that are kept: the id of a message is there. */
const EDGE_BYTES = 512;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

interface Found {
  readonly lines: Buffer[];
  readonly skipped: Buffer[];
}

/**
 * Splits a stream of chunks into lines. A line within one chunk is not copied.
 *
 * @param most - largest line in bytes without its newline, read for each piece; the rest of a longer line is never
 * stored
 * @param afterOver - what follows a longer line: reading stops, or only that line is skipped
 */
export function createSplitter(
  most: () => number,
  afterOver: "stop" | "skip" = "stop",
): { push(chunk: Buffer): Split } {
  const parts = createParts();
  let skipping: { readonly head: Buffer; tail: Buffer } | undefined;
  let isStopped = false;
  const wholeLine = (part: Buffer): Buffer => {
    if (parts.size() === 0) return withoutReturn(part);
    parts.add(part, most());
    return withoutReturn(parts.take());
  };
  const skip = (part: Buffer, isOpen: boolean, skipped: Buffer[]): void => {
    const held = skipping ? skipping.tail : parts.take();
    const ends = Buffer.concat([held.subarray(0, EDGE_BYTES), part.subarray(0, EDGE_BYTES)]);
    const tail = Buffer.concat([held.subarray(-EDGE_BYTES), part.subarray(-EDGE_BYTES)]).subarray(-EDGE_BYTES);
    skipping = { head: skipping?.head ?? ends.subarray(0, EDGE_BYTES), tail };
    if (isOpen) return;
    skipped.push(Buffer.concat([skipping.head, skipping.tail]));
    skipping = undefined;
  };
  /** Takes the next part of a line; whether the line is too long with it. */
  const take = (part: Buffer, isOpen: boolean, { lines, skipped }: Found): boolean => {
    const isTooLong = !skipping && parts.size() + part.length > most();
    if (isTooLong || skipping) {
      skip(part, isOpen, skipped);
      return isTooLong;
    }
    if (isOpen) parts.add(part, most());
    else lines.push(wholeLine(part));
    return false;
  };
  return {
    push(chunk) {
      const found: Found = { lines: [], skipped: [] };
      let isOver = isStopped;
      for (let from = 0; from < chunk.length && !isStopped; ) {
        const at = chunk.indexOf(NEWLINE, from);
        const part = chunk.subarray(from, at < 0 ? chunk.length : at);
        from += part.length + 1;
        if (!take(part, at < 0, found)) continue;
        isOver = true;
        isStopped = afterOver === "stop";
      }
      return {
        lines: found.lines.filter((line) => !isBlank(line)),
        isOver,
        ...(found.skipped.length > 0 ? { skipped: found.skipped } : {}),
      };
    },
  };
}

const withoutReturn = (line: Buffer): Buffer => (line.at(-1) === RETURN ? line.subarray(0, -1) : line);

/** Whether a line has only spaces and tabs. */
const isBlank = (line: Buffer): boolean => line.every((byte) => byte === 0x20 || byte === 0x09);
