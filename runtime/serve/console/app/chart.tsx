/** The chart of calls over time, drawn as in the report of `ot.stats`. */

import type { SeenStats } from "../../../gateway/console-data.js";
import { callsChart } from "../../../stats/report/calls-chart.js";
import { html, markupText } from "../../../stats/report/markup.js";
import { binnedIn } from "../../../stats/report/time-bins.js";

/** The chart, for wide and for narrow windows. */
export function CallsChart({ stats }: { readonly stats: Pick<SeenStats, "hours" | "period" | "now"> }) {
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
