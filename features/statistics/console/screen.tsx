/** Screen of statistics: calls, errors, latency and saved tokens, by period and op. */

import { useCallback } from "preact/hooks";
import { duration } from "../../../runtime/contract/duration-text.js";
import type { Period } from "../../../runtime/contract/statistics.js";
import { api } from "../../../runtime/serve/console/app/api.js";
import type { FeatureScreen, FeatureScreenProps } from "../../../runtime/serve/console/app/feature-screen.js";
import { usePolled } from "../../../runtime/serve/console/app/polled.js";
import { opAddress } from "../../../runtime/serve/console/app/route.js";
import { FailureNotice, Loading } from "../../../runtime/serve/console/app/text.js";
import { addBuckets, type BucketCounts, quantile } from "../buckets.js";
import { callsChart } from "../report/calls-chart.js";
import { countText, percent } from "../report/format.js";
import { html, markupText } from "../report/markup.js";
import { HIGH, longestOf, MEDIAN } from "../report/tables.js";
import { binnedIn } from "../report/time-bins.js";
import type { SeenStats } from "../seen-stats.js";

const PERIODS: Readonly<Record<Period, string>> = {
  day: "last 24 hours",
  week: "last 7 days",
  month: "last 30 days",
  all: "all that is kept",
};
/** Refresh intervals. A long period changes slowly, and takes seconds to compute with much data. */
const EVERY_MS = { short: 5000, long: 60_000 } as const;

/** The URL of the statistics of a period, for one op or all. */
const statsAddress = (period: string, op: string): string =>
  `#/stats/${period}${op === "" ? "" : `/${encodeURIComponent(op)}`}`;

/** The screen. The choice is part of the URL, so that it survives a reload and going back. */
function StatisticsScreen({ rest, ops }: FeatureScreenProps) {
  const [wanted = "", tool = ""] = rest.split("/");
  const period = Object.hasOwn(PERIODS, wanted) ? wanted : "day";
  const ask = useCallback(() => api.added<SeenStats>("stats", { period, tool }), [period, tool]);
  const { value, fault } = usePolled(ask, period === "day" ? EVERY_MS.short : EVERY_MS.long);
  const choose = (period: string, tool: string): void => {
    location.hash = statsAddress(period, tool);
  };
  return (
    <>
      <h1>Statistics</h1>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <p class="field">
          <label for="period">Period</label>
          <select id="period" value={period} onInput={(event) => choose(event.currentTarget.value, tool)}>
            {Object.entries(PERIODS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </p>
        <p class="field">
          <label for="tool">Op</label>
          <input
            id="tool"
            type="search"
            list="ops"
            value={tool}
            placeholder="all"
            spellcheck={false}
            onChange={(event) => choose(period, event.currentTarget.value.trim())}
          />
          <datalist id="ops">
            {[...ops.keys()].map((op) => (
              <option key={op} value={op} />
            ))}
          </datalist>
        </p>
      </form>
      {fault !== "" && <FailureNotice text={fault} />}
      {value ? <Figures stats={value} ops={ops} /> : fault === "" && <Loading />}
    </>
  );
}

/** Median and 95th percentile. */
const latency = (counts: BucketCounts, longest: number | undefined): readonly [median: string, high: string] => [
  duration(quantile(counts, MEDIAN, longest)),
  duration(quantile(counts, HIGH, longest)),
];

/** A figure in a tile. */
type Tile = readonly [name: string, figure: string, more?: string];

/** The figures that there is data for. */
function tilesOf(stats: SeenStats, durations: ReadonlyMap<string, BucketCounts>): readonly Tile[] {
  const { runs, context_saved: saved, time_saved_ms: time } = stats;
  const longest = longestOf(durations.keys(), new Map(stats.longest));
  const [median, high] = latency([...durations.values()].reduce(addBuckets, []), longest);
  const counted: Tile | undefined =
    runs && runs.total > 0 ? ["Programs", countText(runs.total), `${countText(runs.failed)} failed`] : undefined;
  const languages = (runs?.languages ?? []).map(
    ({ language, total, refused }): Tile => [
      `Programs in ${language}`,
      countText(total),
      `${countText(refused)} refused before they ran`,
    ],
  );
  const calls: readonly Tile[] = [
    ["Errors", countText(stats.error_count), `${percent(stats.success_count, stats.total_calls)} went well`],
    ["Median latency", median, "half took less"],
    ["95th percentile", high, "one in 20 took longer"],
    ...(longest === undefined ? [] : [["Longest", duration(longest)] as const]),
  ];
  return [
    ["Calls of ops", countText(stats.total_calls), counted ? "those of programs among them" : ""],
    ...(counted ? [counted, ...languages] : []),
    ...(stats.total_calls > 0 ? calls : []),
    ...(saved ? [["Tokens kept out", countText(saved)] as const] : []),
    ...(time ? [["Time saved", duration(time)] as const] : []),
  ];
}

function Figures({ stats, ops }: { readonly stats: SeenStats } & Pick<FeatureScreenProps, "ops">) {
  const durations = new Map(stats.durations);
  return (
    <>
      <dl class="figures">
        {tilesOf(stats, durations).map(([name, figure, more = ""]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>{figure}</dd>
            {more !== "" && <dd class="quiet">{more}</dd>}
          </div>
        ))}
      </dl>
      {stats.total_calls > 0 ? (
        <>
          <CallsChart stats={stats} />
          <ByOp stats={stats} durations={durations} ops={ops} />
        </>
      ) : (
        <p>
          Nothing was called in this period. <a href="#/ops">Try an op</a>, or choose a longer period.
        </p>
      )}
      <details class="part">
        <summary>How it is measured</summary>
        <p class="quiet">
          {stats.method} Median and 95th percentile are estimates, from how many calls took how long in 16 classes.
        </p>
      </details>
    </>
  );
}

interface ByOpProps extends Pick<FeatureScreenProps, "ops"> {
  readonly stats: SeenStats;
  readonly durations: ReadonlyMap<string, BucketCounts>;
}

function ByOp({ stats: { tools, longest: known }, durations, ops }: ByOpProps) {
  const longest = new Map(known);
  const most = Math.max(...tools.map((one) => one.total_calls));
  const sorted = [...tools].sort((a, b) => b.total_calls - a.total_calls);
  return (
    <section class="part">
      <h2>By op</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label="By op">
        <table>
          <thead>
            <tr>
              {["Op", "Calls", "Errors", "Median", "95 %", "Mean", "Characters in", "Characters out"].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((one) => (
              <tr key={one.tool}>
                <th scope="row">
                  {ops.has(one.tool) ? <a href={opAddress(one.tool)}>{one.tool}</a> : one.tool}
                  {one.drifted !== undefined && (
                    <span class="bad-text"> {countText(one.drifted)} results differ from their learned type</span>
                  )}
                </th>
                <td class="number">
                  {countText(one.total_calls)}
                  <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                    <rect width={(100 * one.total_calls) / most} height="4" />
                  </svg>
                </td>
                <td class={one.error_count > 0 ? "number bad-text" : "number"}>{countText(one.error_count)}</td>
                {[...latency(durations.get(one.tool) ?? [], longest.get(one.tool)), duration(one.avg_duration_ms)].map(
                  (figure, at) => (
                    <td key={at} class="number">
                      {figure}
                    </td>
                  ),
                )}
                <td class="number">{countText(one.chars_in)}</td>
                <td class="number">{countText(one.chars_out)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}

/** The chart, for wide and for narrow windows. */
function CallsChart({ stats }: { readonly stats: Pick<SeenStats, "hours" | "period" | "now"> }) {
  const calls = binnedIn(stats.hours, stats);
  return (
    <section class="part">
      <h2>Calls per {calls.unit.name}</h2>
      <p class="keys">
        <Key kind="done" name="done" /> <Key kind="failed" name="failed" /> <span>times in UTC</span>
      </p>
      <div
        class="chart"
        // Safe: the template escapes every value.
        dangerouslySetInnerHTML={{ __html: markupText(html`${callsChart(calls)}`) }}
      />
    </section>
  );
}

const Key = ({ kind, name }: { readonly kind: string; readonly name: string }) => (
  <span>
    <svg viewBox="0 0 12 12" aria-hidden="true">
      <rect class={kind} x="1" y="1" width="10" height="10" rx="1.5" />
    </svg>{" "}
    {name}
  </span>
);

/** The screen, as the console takes it. */
export const SCREEN: FeatureScreen = {
  ...{ path: "stats", title: "Statistics", after: "calls", Screen: StatisticsScreen },
  ofOp: { text: "calls so far", address: (op) => statsAddress("day", op) },
};
