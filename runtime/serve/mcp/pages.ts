/** Pagination of lists, and handlers whose internal faults are not disclosed. */

import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { type ErrorCode, isToolFailure, type Logger, type ToolFailure } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { stackOf } from "../../contract/thrown.js";
import type { Gateway } from "../../gateway/gateway.js";
import type { Live } from "../../gateway/reloadable-gateway.js";

/** Entries of a page; clients that read only the first page still see this many. */
const ENTRIES_PER_PAGE = 250;

/** A page of a list, and the cursor of the next one. */
export interface Page<T> {
  readonly entries: readonly T[];
  readonly more: { readonly nextCursor?: string };
}

/**
 * The page at a cursor, or the first one.
 *
 * @throws ProtocolError for an invalid cursor
 */
export function pageOf<T>(all: readonly T[], cursor: string | undefined): Page<T> {
  const start = cursor === undefined ? 0 : startOf(cursor);
  const end = start + ENTRIES_PER_PAGE;
  return { entries: all.slice(start, end), more: end < all.length ? { nextCursor: cursorTo(end) } : {} };
}

const cursorTo = (start: number): string => Buffer.from(`from ${start}`).toString("base64url");

function startOf(cursor: string): number {
  const [, digits] = /^from (\d{1,9})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (digits === undefined) throw invalidParamsError("the cursor was not issued by this server");
  return Number(digits);
}

/** An invalid-params error. */
export const invalidParamsError = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);

/** The same codes as on the socket. */
const REFUSALS: Readonly<Partial<Record<ErrorCode, number>>> = {
  UNAUTHENTICATED: -32_001,
  UNAVAILABLE: ProtocolErrorCode.InternalError,
};
const FAILED = -32_000;

const refusedRequest = ({ code, message, details }: ToolFailure): ProtocolError =>
  new ProtocolError(REFUSALS[code] ?? FAILED, message, { code, ...details });

/** As {@link guarded}, on the gateway in force, which the handler gets first. */
export const guardedOn = <A extends readonly unknown[], R>(
  { current, within }: Live,
  handle: (gateway: Gateway, ...given: A) => Promise<R>,
) =>
  guarded(
    () => current().log,
    (...given: A) => within((gateway) => handle(gateway, ...given)),
  );

/** Wraps a handler: internal faults are logged and reported by trace id only; refusals pass. */
export function guarded<A extends readonly unknown[], R>(log: () => Logger, handle: (...given: A) => R | Promise<R>) {
  return async (...given: A): Promise<R> => {
    try {
      return await handle(...given);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      if (isToolFailure(error)) throw refusedRequest(error);
      const trace_id = newTraceId();
      log().error("request failed", { trace_id, error: stackOf(error) });
      throw new ProtocolError(ProtocolErrorCode.InternalError, `The request failed; see the log under ${trace_id}.`);
    }
  };
}
