/** Long lists in pages, and requests whose faults tell nothing of what is inside. */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type ErrorCode, isToolFailure, type Logger, type ToolFailure } from "../contract/handler.js";
import { newTraceId } from "../dispatch/job.js";

/** Entries of a page; clients that ask for the first one only still see this many. */
const ENTRIES = 250;

/** A page of a list, and where the next one begins. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly more: { readonly nextCursor?: string };
}

/**
 * The page that a cursor names; the first one without.
 *
 * @throws ProtocolError for a cursor that is none of ours
 */
export function pageOf<T>(all: readonly T[], cursor: string | undefined): Page<T> {
  const start = cursor === undefined ? 0 : startOf(cursor);
  const end = start + ENTRIES;
  return { entries: all.slice(start, end), more: end < all.length ? { nextCursor: cursorTo(end) } : {} };
}

const cursorTo = (start: number): string => Buffer.from(`from ${start}`).toString("base64url");

function startOf(cursor: string): number {
  const [, digits] = /^from (\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (digits === undefined) throw invalid("the cursor is none that this server gave");
  return Number(digits);
}

/** A request that cannot be answered as it is. */
export const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** As on the socket. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: -32_001,
  UNAVAILABLE: ProtocolErrorCode.InternalError,
};
const FAILED = -32_000;

const refusedRequest = ({ code, message, details }: ToolFailure): ProtocolError =>
  new ProtocolError(REFUSALS[code] ?? FAILED, message, { code, ...details });

/** A handler whose own faults are logged, and told by their trace id alone; refusals pass. */
export function guarded<A extends readonly unknown[], R>(log: Logger, handle: (...given: A) => R | Promise<R>) {
  return async (...given: A): Promise<R> => {
    try {
      return await handle(...given);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (isToolFailure(error)) throw refusedRequest(error);
      const trace_id = newTraceId();
      log.error("request failed", { trace_id, error: error instanceof Error ? error.stack : String(error) });
      throw new ProtocolError(ProtocolErrorCode.InternalError, `The request failed; see the log under ${trace_id}.`);
    }
  };
}
