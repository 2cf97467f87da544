/** Screen of recent calls of the servers, filtered by op, caller and outcome; a call opens as a waterfall of its spans. */

import { useCallback, useMemo } from "preact/hooks";
import type { SpanTree } from "../../../call/recent-spans.js";
import { duration } from "../../../contract/duration-text.js";
import type { NamesById } from "../../../gateway/console-data.js";
import type { RecentCalls } from "../../../gateway/shared-calls.js";
import { api } from "./api.js";
import { CopyButton } from "./code.js";
import { Who } from "./names.js";
import { usePolled } from "./polled.js";
import { callsAddress, opAddress } from "./route.js";
import { clockTime, FailureNotice, Loading } from "./text.js";

/** Calls that are asked for, and the most that are listed. */
const LIMIT = 500;
const MAX_LISTED = 100;
const EVERY_MS = 5000;

type Ops = Pick<ReadonlyMap<string, unknown>, "has">;

interface CallsProps {
  /** Ops that have a page. */
  readonly ops: Ops;
  /** The filters of the address: `op`, `caller`, `outcome`. */
  readonly query: URLSearchParams;
}

interface Filters {
  readonly op: string;
  readonly caller: string;
  readonly outcome: string;
}

const OUTCOMES = [
  ["", "all"],
  ["ok", "ok"],
  ["failed", "failed"],
] as const;

/** The screen. The filters are part of the URL, so that they survive a reload and going back. */
export function CallsScreen({ ops, query }: CallsProps) {
  const ask = useCallback(() => api.calls(LIMIT), []);
  const { value, fault } = usePolled(ask, EVERY_MS);
  const calls = value?.calls ?? [];
  const filters = { op: query.get("op") ?? "", caller: query.get("caller") ?? "", outcome: query.get("outcome") ?? "" };
  const shown = calls.filter((call) => passes(call, filters));
  return (
    <>
      <h1>Recent calls</h1>
      <Filter calls={calls} filters={filters} users={value?.names} />
      {fault !== "" && <FailureNotice text={fault} />}
      {!value && fault === "" && <Loading />}
      {value && <Count found={value} shown={shown} />}
      <ul class="calls">
        {shown.slice(0, MAX_LISTED).map((call) => (
          <li key={String(call.fields["trace_id"])}>
            <details>
              <summary>
                <Head span={call} names={value?.names} />
              </summary>
              <Waterfall call={call} ops={ops} />
            </details>
          </li>
        ))}
      </ul>
    </>
  );
}

/** An op passes if the call or a call below it is of the op. */
function passes(call: SpanTree, { op, caller, outcome }: Filters): boolean {
  if (caller !== "" && call.caller !== caller) return false;
  if (outcome !== "" && call.ok !== (outcome === "ok")) return false;
  return op === "" || namesIn(call).some((name) => name.includes(op));
}

const namesIn = ({ span, spans }: SpanTree): readonly string[] => [span, ...spans.flatMap(namesIn)];

/** Which servers the calls are of. */
function sourceOf({ servers }: RecentCalls): string {
  if (!servers) return "this process";
  const { asked, answered } = servers;
  return answered === asked ? `${asked} servers` : `${answered} of ${asked} servers; the others have not answered`;
}

function Count({ found, shown }: { readonly found: RecentCalls; readonly shown: readonly SpanTree[] }) {
  const { calls } = found;
  if (calls.length === 0)
    return (
      <p>
        Nothing was called since the server started. <a href="#/run">Run a program</a>, <a href="#/ops">try an op</a>,
        or <a href="#/">connect a client</a>.
      </p>
    );
  if (shown.length === 0)
    return (
      <p>
        None of the latest {calls.length} calls passes these filters. <a href="#/calls">Show all</a>
      </p>
    );
  return (
    <p class="quiet" role="status">
      {shown.length === calls.length ? "The" : `${shown.length} of the`} latest {calls.length}, the newest first, of{" "}
      {sourceOf(found)}
      {shown.length > MAX_LISTED ? `; ${MAX_LISTED} are listed` : ""}.
    </p>
  );
}

interface FilterProps {
  readonly calls: readonly SpanTree[];
  readonly filters: Filters;
  /** Names of callers. */
  readonly users: NamesById | undefined;
}

function Filter({ calls, filters, users = {} }: FilterProps) {
  const names = useMemo(() => [...new Set(calls.flatMap(namesIn))].sort(), [calls]);
  const callers = [...new Set([...calls.map(({ caller }) => caller), ...(filters.caller ? [filters.caller] : [])])];
  const choose = (changed: Partial<Filters>): void => {
    location.hash = callsAddress({ ...filters, ...changed });
  };
  return (
    <form class="filter" onSubmit={(event) => event.preventDefault()}>
      <p class="field">
        <label for="call-op">Op</label>
        <input
          id="call-op"
          type="search"
          list="called"
          value={filters.op}
          placeholder="all"
          spellcheck={false}
          onChange={(event) => choose({ op: event.currentTarget.value.trim() })}
        />
        <datalist id="called">
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
      </p>
      <p class="field">
        <label for="call-caller">Caller</label>
        <select
          id="call-caller"
          value={filters.caller}
          onInput={(event) => choose({ caller: event.currentTarget.value })}
        >
          <option value="">all</option>
          {callers.sort().map((one) => (
            <option key={one} value={one}>
              {Object.hasOwn(users, one) ? `${users[one]} (${one})` : one}
            </option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="call-outcome">Outcome</label>
        <select
          id="call-outcome"
          value={filters.outcome}
          onInput={(event) => choose({ outcome: event.currentTarget.value })}
        >
          {OUTCOMES.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      </p>
    </form>
  );
}

const outcomeOf = ({ ok, error_type: error = "failed" }: SpanTree): string => (ok ? "ok" : error);

const Head = ({ span, names }: { readonly span: SpanTree; readonly names: NamesById | undefined }) => (
  <span class="call">
    <time dateTime={new Date(span.at).toISOString()}>{clockTime(span.at)}</time>
    <code>{span.span}</code>
    <span class={span.ok ? "kind read" : "kind danger"}>{outcomeOf(span)}</span>
    <span class="took">{duration(span.ms)}</span>
    <span class="quiet">
      <Who id={span.caller} names={names} />
      {span.spans.length > 0 && ` · ${span.spans.length} ${span.spans.length === 1 ? "call" : "calls"} below`}
    </span>
  </span>
);

/** A span in the waterfall, with its depth. */
interface Row {
  readonly span: SpanTree;
  readonly depth: number;
}

const rowsOf = (span: SpanTree, depth = 0): readonly Row[] => [
  { span, depth },
  ...span.spans.flatMap((one) => rowsOf(one, depth + 1)),
];

/** Deepest indentation. */
const MAX_INDENT = 6;

/** The spans of a call below each other, on one time axis. */
function Waterfall({ call, ops }: { readonly call: SpanTree; readonly ops: Ops }) {
  const trace = String(call.fields["trace_id"]);
  return (
    <div class="waterfall">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label={`Spans of ${call.span}`}>
        <table>
          <thead>
            <tr>
              <th scope="col">Span</th>
              <th scope="col" class="started">
                Started
              </th>
              <th scope="col">Took</th>
              <th scope="col">
                <span class="axis">
                  <span>0</span>
                  <span>{duration(call.ms)}</span>
                </span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(call).map(({ span, depth }) => (
              <tr key={String(span.fields["trace_id"])}>
                <th scope="row" class={`indent-${Math.min(depth, MAX_INDENT)}`}>
                  <code>{ops.has(span.span) ? <a href={opAddress(span.span)}>{span.span}</a> : span.span}</code>{" "}
                  {!span.ok && <span class="kind danger">{outcomeOf(span)}</span>}
                </th>
                <td class="number started">{depth === 0 ? "" : `+${duration(Math.max(0, span.at - call.at))}`}</td>
                <td class="number">{duration(span.ms)}</td>
                <td class="bars">
                  <Bar span={span} top={call} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Fields span={call} />
      <p class="quiet">
        trace <code>{trace}</code> <CopyButton text={trace} what="the trace id" />
      </p>
    </div>
  );
}

/** The log fields of a call. */
const Fields = ({ span }: { readonly span: SpanTree }) => (
  <dl class="fields">
    {Object.entries(span.fields)
      .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)] as const)
      .filter(([name, text]) => text !== "" && name !== "trace_id")
      .map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
  </dl>
);

/** The bar of a span within its call. */
function Bar({ span, top }: { readonly span: SpanTree; readonly top: SpanTree }) {
  const whole = Math.max(1, top.ms);
  const start = Math.min(99, Math.max(0, (100 * (span.at - top.at)) / whole));
  const width = Math.max(1, Math.min(100 - start, (100 * span.ms) / whole));
  return (
    <svg class={span.ok ? "bar" : "bar failed"} viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      <rect x={start} width={width} height="8" />
    </svg>
  );
}
