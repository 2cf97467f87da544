/** The bound of the log of a run: a run with a larger one goes on, but neither pauses nor is resumed. */

import type { LogPart } from "./run-table.js";

const MEGABYTE = 1024 * 1024;
/** Largest log, in bytes. */
const MAX_LOG_BYTES = 20 * MEGABYTE;
/** What a call without its answer, and a delivery, take. */
const CALL_BYTES = 100;
const DELIVERY_BYTES = 50;
/** A sealed text is base64. */
const SEALED = 3 / 4;

/** The size of a part of a log, in bytes. */
export const logBytes = ({ calls, deliveries, inner }: Omit<LogPart, "from">): number =>
  calls.reduce((sum, { answer }) => sum + CALL_BYTES + Math.ceil((answer?.length ?? 0) * SEALED), 0) +
  deliveries.length * DELIVERY_BYTES +
  inner.reduce((sum, { body }) => sum + Math.ceil(body.length * SEALED), 0);

/** Whether a log is larger than is kept. */
export const isLogTooLarge = (bytes: number): boolean => bytes > MAX_LOG_BYTES;

/** Why a program with such a log cannot pause. */
export const tooLargeText = (bytes: number): string =>
  `its log, which holds the answers to its calls, has ${(Math.ceil((bytes / MEGABYTE) * 10) / 10).toFixed(1)} MB, and at most ${MAX_LOG_BYTES / MEGABYTE} MB are kept`;

/** What to do about it. */
export const READ_LESS = "read less before the calls that wait for a person, or make these in a program of their own";

/** The answer of a run whose server has ended, and that cannot go on. */
export const LOST = `RuntimeError: the program cannot go on, since its server has ended: its log, which holds the answers to its calls, had more than ${MAX_LOG_BYTES / MEGABYTE} MB, and was not kept\nNext: look what its writes have changed, then ${READ_LESS}`;
