/** Printed output of one guest: counted, cut at its limit, and sent on in parts. */

import { megabytes } from "./monty-wire.js";

/** Size and age at which the part is sent, so that little is lost where the child is killed. */
const PART_LENGTH = 16_384;
const PART_MS = 20;

/** Takes what a guest prints. */
export interface Printer {
  readonly limit: string;
  /** Throws beyond the limit; a guest may catch that, so `isOver` has the last word. */
  print(stream: string, text: string): void;
  isOver(): boolean;
  flush(): void;
}

/** A printer that stops at this many bytes. */
export function printerOf(limitBytes: number, send: (text: string) => void): Printer {
  const limit = megabytes(limitBytes);
  let part = "";
  let bytes = 0;
  let sentAt = performance.now();
  const flush = (): void => {
    if (part !== "") send(part);
    part = "";
    sentAt = performance.now();
  };
  const print = (_stream: string, text: string): void => {
    const left = limitBytes - bytes;
    if (left < 0) throw new Error(`printed more than ${limit}`);
    bytes += Buffer.byteLength(text);
    part +=
      bytes > limitBytes
        ? Buffer.from(text)
            .subarray(0, left)
            .toString()
            .replace(/\ufffd$/, "")
        : text;
    if (bytes > limitBytes) {
      bytes = limitBytes + 1;
      throw new Error(`printed more than ${limit}`);
    }
    if (part.length >= PART_LENGTH || performance.now() - sentAt >= PART_MS) flush();
  };
  return { limit, print, isOver: () => bytes > limitBytes, flush };
}
