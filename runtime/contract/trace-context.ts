/** W3C Trace Context: by which a call of another process becomes the parent of spans here, and these of spans elsewhere. */

/**
 * The span that a request belongs to, in the form of the headers of W3C Trace Context.
 *
 * @example
 * const trace: TraceContext = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** The parts of `traceparent`. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

/** Longest `traceparent` and `tracestate` that are read. */
const MAX_PARENT_LENGTH = 128;
const MAX_STATE_LENGTH = 512;

/** Later versions may add parts after the flags; version ff is invalid. */
const PARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const PRINTABLE = /^[\x20-\x7e]+$/;

/** The parts of a valid `traceparent`. */
export function traceParentOf(text: string): TraceParent | undefined {
  const [, version, traceId = "", spanId = "", flags = "", more] =
    text.length > MAX_PARENT_LENGTH ? [] : (PARENT.exec(text) ?? []);
  if (version === undefined || (version === "00" && more !== undefined)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** As text, of version 00, with the flags that it knows. */
export const traceParentText = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-0${flags & 3}`;

/**
 * Reads what a client sent. What is not valid is ignored, as the standard says: it begins a trace of its own.
 *
 * @param read returns a header, or a member of `_meta`
 */
export function readTraceContext(read: (name: "traceparent" | "tracestate") => unknown): TraceContext | undefined {
  const [text, state] = [read("traceparent"), read("tracestate")];
  const parent = typeof text === "string" ? traceParentOf(text.trim()) : undefined;
  if (!parent) return undefined;
  const isState = typeof state === "string" && state.length <= MAX_STATE_LENGTH && PRINTABLE.test(state);
  return { traceparent: traceParentText(parent), ...(isState ? { tracestate: state } : {}) };
}
