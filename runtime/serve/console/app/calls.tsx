/** Screen of recent calls of this process, each with its spans. */

import type { SpanTree } from "../../../call/recent-spans.js";
import { api } from "./api.js";
import { usePolled } from "./polled.js";
import { opAddress } from "./route.js";
import { Failure, Loading } from "./text.js";

const LIMIT = 100;
const EVERY_MS = 5000;

const ask = () => api.calls(LIMIT);

/** The screen. */
export function Calls({ ops }: { readonly ops: ReadonlySet<string> }) {
  const { value, fault } = usePolled(ask, EVERY_MS);
  return (
    <>
      <h1>Recent calls</h1>
      <p>The latest {LIMIT} of this process, the newest first; open one to see what it called.</p>
      {fault !== "" && <Failure text={fault} />}
      {!value && fault === "" && <Loading />}
      {value?.calls.length === 0 && <p>Nothing was called so far.</p>}
      <ul class="calls">
        {value?.calls.map((call) => (
          <li key={String(call.fields["trace_id"])}>
            <details>
              <summary>
                <Head span={call} />
              </summary>
              <Spans spans={[call]} top={call} ops={ops} />
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}

const timeOf = (at: number): string => new Date(at).toLocaleTimeString("en-GB");

const Head = ({ span }: { readonly span: SpanTree }) => (
  <>
    <time dateTime={new Date(span.at).toISOString()}>{timeOf(span.at)}</time> <code>{span.span}</code>{" "}
    <span class={span.ok ? "kind read" : "kind danger"}>{span.ok ? "ok" : (span.error_type ?? "failed")}</span>{" "}
    <span class="quiet">
      {span.ms} ms
      {span.spans.length > 0 ? ` · ${span.spans.length} ${span.spans.length === 1 ? "call" : "calls"} below` : ""} ·{" "}
      {span.caller}
    </span>
  </>
);

interface SpansProps {
  readonly spans: readonly SpanTree[];
  /** The span whose duration is the full width. */
  readonly top: SpanTree;
  /** Ops that have a page. */
  readonly ops: ReadonlySet<string>;
}

const Spans = ({ spans, top, ops }: SpansProps) => (
  <ul class="spans">
    {spans.map((span) => (
      <li key={String(span.fields["trace_id"])}>
        <p>
          <code>{ops.has(span.span) ? <a href={opAddress(span.span)}>{span.span}</a> : span.span}</code>{" "}
          <span class={span.ok ? "quiet" : "bad-text"}>
            {span.ms} ms{span.ok ? "" : ` · ${span.error_type ?? "failed"}`}
          </span>
        </p>
        <Bar span={span} top={top} />
        <dl>
          {Object.entries(span.fields)
            .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)] as const)
            .filter(([, text]) => text !== "")
            .map(([name, text]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{text}</dd>
              </div>
            ))}
        </dl>
        {span.spans.length > 0 && <Spans spans={span.spans} top={top} ops={ops} />}
      </li>
    ))}
  </ul>
);

/** The bar of a span within its call. */
function Bar({ span, top }: { readonly span: SpanTree; readonly top: SpanTree }) {
  const whole = Math.max(1, top.ms);
  const start = Math.min(99, Math.max(0, (100 * (span.at - top.at)) / whole));
  const width = Math.max(1, Math.min(100 - start, (100 * span.ms) / whole));
  return (
    <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect x={start} width={width} height="4" />
    </svg>
  );
}
