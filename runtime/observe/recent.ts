/** The spans that ended lately in this process: a ring in memory, for people who look on. */

import type { SpanFields } from "./span.js";

/** A span that has ended. */
export interface EndedSpan {
  readonly span: string;
  /** When it began, in ms since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly ok: boolean;
  readonly caller: string;
  /** Those of its line in the log: `trace_id`, and `run` or `parent` where it is below another one. */
  readonly fields: SpanFields;
  readonly error_type?: string;
}

/** A span, and those below it in the order in which they began. */
export interface SpanTree extends EndedSpan {
  readonly spans: readonly SpanTree[];
}

/** Spans that ended lately. */
export interface Recent {
  add(span: EndedSpan): void;
  /**
   * What was called, with its spans, the latest first.
   *
   * @param caller whose calls; absent: anybody's
   */
  calls(limit: number, caller?: string): readonly SpanTree[];
}

/** Spans that are kept. */
const MOST = 2000;

/** Nothing is in it at first. */
export function createRecent(most = MOST): Recent {
  const ring: EndedSpan[] = [];
  let next = 0;
  return {
    add(span) {
      ring[next] = span;
      next = (next + 1) % most;
    },
    calls(limit, caller) {
      const own = ring.filter((one) => caller === undefined || one.caller === caller);
      const below = childrenOf(own);
      const isTop = ({ fields }: EndedSpan): boolean => aboveOf(fields) === undefined;
      const tops = own.filter(isTop).sort((a, b) => b.at - a.at);
      return tops.slice(0, limit).map((one) => treeOf(one, below));
    },
  };
}

type Below = ReadonlyMap<unknown, readonly EndedSpan[]>;

/** The trace id of the span that one hangs on; undefined for the call of a door. */
const aboveOf = ({ parent, run }: SpanFields): SpanFields[string] | undefined => parent ?? run;

function childrenOf(spans: readonly EndedSpan[]): Below {
  const below = new Map<unknown, EndedSpan[]>();
  for (const one of spans) {
    const above = aboveOf(one.fields);
    const others = below.get(above);
    if (others) others.push(one);
    else if (above !== undefined) below.set(above, [one]);
  }
  return below;
}

const treeOf = (span: EndedSpan, below: Below): SpanTree => ({
  ...span,
  spans: [...(below.get(span.fields["trace_id"]) ?? [])].sort((a, b) => a.at - b.at).map((one) => treeOf(one, below)),
});
