/**
 * Messages between an engine and its child, as bytes. A message of a few plain values goes as JSON, which is written and
 * read in a third of the time of a structured clone; all others go as a structured clone.
 */

import { deserialize, serialize } from "node:v8";
import { HEAD_BYTES } from "./frames.js";

/** The first byte of a message says how the others are written. */
const FORM = { json: 0, clone: 1 } as const;
/** Bytes in front of the text or the clone. */
const BEFORE = HEAD_BYTES + 1;
/** Most values and characters of a message that goes as JSON, and deepest nesting. */
const PLAIN = { size: 20_000, depth: 100 } as const;
/** Most bytes of a character in UTF-8, for each unit of a JavaScript text. */
const UTF8_BYTES = 3;

/**
 * A message as a frame.
 *
 * @throws Error for what cannot be cloned, such as a function
 */
export function messageFrame(message: object): Buffer {
  if (sizeLeft(message, PLAIN.size, PLAIN.depth) < 0) return withHead(serialize(message));
  const text = JSON.stringify(message);
  const frame = Buffer.allocUnsafe(BEFORE + text.length * UTF8_BYTES);
  const end = BEFORE + frame.write(text, BEFORE, "utf8");
  frame.writeUInt32BE(end - HEAD_BYTES, 0);
  frame[HEAD_BYTES] = FORM.json;
  return frame.subarray(0, end);
}

function withHead(clone: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(BEFORE + clone.length);
  frame.writeUInt32BE(clone.length + 1, 0);
  frame[HEAD_BYTES] = FORM.clone;
  clone.copy(frame, BEFORE);
  return frame;
}

/**
 * The message in the body of a frame.
 *
 * @throws Error for bytes that {@link messageFrame} does not make
 */
export function decodeMessage(body: Buffer): unknown {
  return body[0] === FORM.json ? JSON.parse(body.toString("utf8", 1)) : deserialize(body.subarray(1));
}

/** What is left of a size; negative if the value is larger, or not the same after JSON. */
function sizeLeft(value: unknown, left: number, depth: number): number {
  if (typeof value === "string") return left - value.length - 1;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0) ? left - 1 : -1;
  if (value === null || typeof value === "boolean") return left - 1;
  if (typeof value !== "object" || left < 0 || depth === 0) return -1;
  return Array.isArray(value) ? leftAfterItems(value, left, depth) : leftAfterMembers(value, left, depth);
}

function leftAfterItems(list: readonly unknown[], left: number, depth: number): number {
  let rest = left - 1;
  for (let at = 0; at < list.length && rest >= 0; at++) rest = sizeLeft(list[at], rest, depth - 1);
  return rest;
}

function leftAfterMembers(object: object, left: number, depth: number): number {
  if (Object.getPrototypeOf(object) !== Object.prototype) return -1;
  let rest = left - 1;
  for (const [key, value] of Object.entries(object)) {
    if (rest < 0) break;
    rest = sizeLeft(value, rest - key.length, depth - 1);
  }
  return rest;
}
