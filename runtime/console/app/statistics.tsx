/** What was measured: calls, errors, latency, tokens kept out, by period and op. */

import { useCallback, useState } from "preact/hooks";
import type { OpStats, Stats } from "../../stats/figures.js";
import { api } from "./api.js";
import { usePolled } from "./polled.js";
import { opAddress } from "./route.js";
import { Failure } from "./text.js";

const PERIODS = ["day", "week", "month", "all"];
const EVERY_MS = 5000;

/** The screen. */
export function Statistics() {
  const [period, setPeriod] = useState("day");
  const [tool, setTool] = useState("");
  const ask = useCallback(() => api.stats(period, tool), [period, tool]);
  const { value, fault } = usePolled(ask, EVERY_MS);
  return (
    <>
      <h1>Statistics</h1>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <p class="field">
          <label for="period">Period</label>
          <select id="period" value={period} onInput={(event) => setPeriod(event.currentTarget.value)}>
            {PERIODS.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </p>
        <p class="field">
          <label for="tool">Op</label>
          <input
            id="tool"
            type="text"
            value={tool}
            placeholder="all"
            spellcheck={false}
            onChange={(event) => setTool(event.currentTarget.value.trim())}
          />
        </p>
      </form>
      {fault !== "" && <Failure text={fault} />}
      {value && <Figures stats={value} />}
    </>
  );
}

const whole = (value: number | null): string => (value === null ? "–" : Math.round(value).toLocaleString("en"));

function Figures({ stats }: { readonly stats: Stats }) {
  const { runs } = stats;
  const duration = stats.tools.reduce((sum, one) => sum + one.total_duration_ms, 0);
  const tiles: readonly (readonly [string, string])[] = [
    ["Calls", whole(stats.total_calls)],
    ["Errors", whole(stats.error_count)],
    ["Mean latency", stats.total_calls === 0 ? "–" : `${whole(duration / stats.total_calls)} ms`],
    ["Runs of Python", whole(runs?.total ?? null)],
    ["Tokens kept out", whole(stats.context_saved)],
    ["Time saved", stats.time_saved_ms === null ? "–" : `${whole(stats.time_saved_ms / 1000)} s`],
  ];
  return (
    <>
      <dl class="figures">
        {tiles.map(([name, value]) => (
          <div key={name} class="card">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {stats.tools.length > 0 ? <ByOp tools={stats.tools} /> : <p>Nothing was called in this period.</p>}
      <p class="quiet">{stats.method}</p>
    </>
  );
}

function ByOp({ tools }: { readonly tools: readonly OpStats[] }) {
  const most = Math.max(...tools.map((one) => one.total_calls));
  const sorted = [...tools].sort((a, b) => b.total_calls - a.total_calls);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
    <section class="scroll" tabIndex={0} aria-label="By op">
      <table>
        <thead>
          <tr>
            <th scope="col">Op</th>
            <th scope="col">Calls</th>
            <th scope="col">Errors</th>
            <th scope="col">Mean ms</th>
            <th scope="col">Characters in</th>
            <th scope="col">Characters out</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((one) => (
            <tr key={one.tool}>
              <th scope="row">
                <a href={opAddress(one.tool)}>{one.tool}</a>
              </th>
              <td class="number">
                {whole(one.total_calls)}
                <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * one.total_calls) / most} height="4" />
                </svg>
              </td>
              <td class="number">{whole(one.error_count)}</td>
              <td class="number">{whole(one.avg_duration_ms)}</td>
              <td class="number">{whole(one.chars_in)}</td>
              <td class="number">{whole(one.chars_out)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
