/** A buffer of recent spans, from which the console builds the trees of recent calls. */

/** A span that has ended. */
export interface EndedSpan {
  readonly span: string;
  /** When it began, in ms since the epoch. */
  readonly at: number;
  readonly ms: number;
  readonly ok: boolean;
  readonly caller: string;
  /** Fields of its log line: `trace_id`, and `run` or `parent` if it has a parent. */
  readonly fields: SpanFields;
  readonly error_type?: string;
}

/** A span with its children, in the order in which they began. */
export interface SpanTree extends EndedSpan {
  readonly spans: readonly SpanTree[];
}

/** Spans that ended recently. */
export interface Recent {
  add(span: EndedSpan): void;
  /**
   * Recent calls with their spans, the latest first.
   *
   * @param caller id of the caller; absent: all callers
   */
  calls(limit: number, caller?: string): readonly SpanTree[];
}

/** Spans in the buffer. */
const MAX_SPANS = 2000;

/** Creates an empty buffer. */
export function createRecent(most = MAX_SPANS): Recent {
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

/** The trace id of the parent span; undefined for a call of a transport. */
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

/** Additional fields of a span. */
export type SpanFields = Readonly<Record<string, string | number | boolean | string[]>>;
