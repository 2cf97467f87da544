/** Collects the printed output of one guest: counts it, enforces its limit, and sends it in parts. */

import { megabytes } from "./monty-wire.js";

/** Size and age at which a part is sent, so that little is lost if the child is killed. */
const PART_LENGTH = 16_384;
const PART_MS = 20;

/** Receives the output of a guest. */
export interface Printer {
  readonly limit: string;
  /** Throws beyond the limit; a guest may catch that, so `isOver` is decisive. */
  print(stream: string, text: string): void;
  isOver(): boolean;
  flush(): void;
}

/** A printer with a limit in bytes. */
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
