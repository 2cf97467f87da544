/** Records the calls of a gateway, and answers with figures of them. */

import { mayAdminister } from "../../runtime/access/principal.js";
import type { Transaction } from "../../runtime/contract/handler.js";
import type { Recorder } from "../../runtime/contract/recorder.js";
import { isPeriod, PERIODS } from "../../runtime/contract/statistics.js";
import type { ConsoleAnswer } from "../../runtime/gateway/console-data.js";
import type { AnsweringPath, ServeContext, ServePart } from "../../runtime/gateway/features.js";
import type { Statistics } from "../../runtime/packs/host.js";
import { inTime, remainingMs } from "../../runtime/state/deadline.js";
import { LOCK_TIMEOUT_MS, StateFailure } from "../../runtime/state/failure.js";
import { recorded } from "./recorded.js";
import { createRecorder } from "./recorder.js";
import type { ChartFigures } from "./report/figures.js";
import type { SeenStats } from "./seen-stats.js";
import type { StatisticsConfig } from "./settings.js";
import { STATISTICS } from "./tables.js";

/** Starts to record. Without `stats.enabled`, the console is told so. */
export const recordCalls: ServePart = (context) => {
  const { own, state, log, clock, retention, shared } = context;
  const { enabled } = (own as unknown as StatisticsConfig).stats;
  if (!enabled) return { console: { stats: consoleAnswer(context) } };
  const recorder = shared("recorder", () => {
    const value = createRecorder({ state, log, clock, retention: retention("statistics", STATISTICS) });
    return { value, close: () => value.close() };
  });
  return {
    recorder,
    statistics: figuresOf(context, recorder),
    console: { stats: consoleAnswer(context, recorder) },
    around: ({ dispatch, help }: AnsweringPath) => ({ dispatch: recorded(dispatch, recorder, clock), help }),
  };
};

type Reading = Pick<ServeContext, "state" | "opFigures" | "settings">;

function figuresOf(context: Reading, recorder: Recorder): Statistics {
  const read = <T>(work: (tx: Transaction) => Promise<T>): Promise<T> => readRecorded(context, recorder, work);
  return {
    async read(query) {
      const { readStats } = await import("./figures.js");
      return read((tx) => readStats(tx, query, context.opFigures(), context.settings.run.allLanguages));
    },
    async report(query) {
      const [{ readReport }, { MARK, MARK_WITHIN, reportPage }] = await Promise.all([
        import("./report/figures.js"),
        import("./report/page.js"),
      ]);
      const figures = await read((tx) => readReport(tx, query, context.opFigures(), context.settings.run.allLanguages));
      return { stats: figures.stats, page: reportPage(figures), mark: { text: MARK, within: MARK_WITHIN } };
    },
    handedOut: (bytes) => recorder.add("handed_bytes", bytes),
  };
}

/** Reads statistics after writing those still in memory. */
async function readRecorded<T>(
  { state }: Pick<Reading, "state">,
  recorder: Recorder,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const open = await state();
  await inTime(recorder.flush(), remainingMs(LOCK_TIMEOUT_MS), () => new StateFailure("slow"));
  return open.transaction("read", work);
}

const OFF = "Statistics are switched off. Set stats.enabled: true in toolwright.yaml.";

/** Figures of a period for all ops or one, limited to what the caller may see. @param recorder - absent: nothing is recorded */
const consoleAnswer =
  (context: Reading & Pick<ServeContext, "clock">, recorder?: Recorder): ConsoleAnswer =>
  async ({ period = "day", tool = "" }, principal) => {
    if (!isPeriod(period)) return { status: 400, refused: `period is one of ${Object.keys(PERIODS).join(", ")}.` };
    const now = context.clock();
    if (!recorder) return { status: 404, refused: OFF };
    const { readCharts } = await import("./report/figures.js");
    const query = { period, op: tool, now, ...(mayAdminister(principal) ? {} : { caller: principal.id }) };
    const found = await readRecorded(context, recorder, (tx) =>
      readCharts(tx, query, context.opFigures(), context.settings.run.allLanguages),
    );
    return { value: seenStats(found, now) };
  };

const seenStats = ({ stats, hours, durations, longest }: ChartFigures, now: number): SeenStats => ({
  ...{ ...stats, now, hours },
  ...{ durations: [...durations], longest: [...longest] },
});
