/** A pause is no failure: neither in the statistics, nor in the log, nor in the metrics. */

import { expect, test } from "vitest";
import { resume } from "../../../definitions/packs/ot.js";
import { loadFeatures } from "../../../runtime/gateway/features.js";
import { keepMetrics, metricsText } from "../../../runtime/metrics/metrics.js";
import { principal } from "../../../test/runtime/gateway/fixture.js";
import { closed, toolOf } from "../../../test/runtime/gateway/fixture-tools.js";
import { DELETE, onBoth, SLOW } from "../../../test/runtime/run/kept/databases.js";
import { STATISTICS_OF_CALLS } from "../feature.js";
import { statisticsQueries } from "../tables.js";

const OT = {
  more: [
    toolOf({
      op: "ot.resume",
      tool: "ot_resume",
      kind: "read",
      schema: closed({ id: { type: "string" } }, ["id"]),
      extra: { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" },
    }),
  ],
  handlers: { "ot.resume": resume as never },
};

const MEASURED = ["run", "onto.task.delete"];
/** How many calls of an op were measured, by outcome and error; a process counts for all servers that were in it. */
const measured = (op: string): ReadonlyMap<string, number> =>
  new Map(
    metricsText()
      .split("\n")
      .filter((line) => line.startsWith("toolwright_op_duration_seconds_count") && line.includes(`"${op}"`))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
/** What was measured since `before`: the line and how many more. */
const since = (before: ReadonlyMap<string, number>, op: string): readonly (readonly [string, number])[] =>
  [...measured(op)]
    .map(([line, count]) => [line, count - (before.get(line) ?? 0)] as const)
    .filter(([, more]) => more > 0);

onBoth((at) => {
  test("of a program that pauses, is resumed, and pauses again", { timeout: SLOW }, async () => {
    keepMetrics();
    const before = new Map(MEASURED.map((op) => [op, measured(op)]));
    const { gateway, exec, lines } = at.server({
      ...OT,
      features: await loadFeatures({ features: [STATISTICS_OF_CALLS], config: { sources: [] } }),
    });
    const { text } = await gateway.run({ command: `onto.task.list()\n${DELETE}` }, principal());
    const id = /run_\w+/.exec(text)?.[0] ?? "";
    for (const _ of [1, 2, 3])
      expect(await exec("ot.resume", { id })).toMatchObject({ error: { message: expect.stringMatching(/^Paused/) } });
    // Statistics are written when it closes.
    await gateway.close();
    const rows = await at.state.transaction("read", (tx) =>
      statisticsQueries(tx).selectFrom("stat_calls").selectAll().execute(),
    );
    const counted = rows.map(({ op, code }) => `${op} ${code}`).sort();
    // The call that waits is counted when it has an answer.
    expect(counted).toEqual(["@run ", "@run ", "@run ", "@run ", "onto.task.list "]);
    const spans = lines.flatMap(({ message, fields }) =>
      message === "span" ? [fields as Record<string, unknown>] : [],
    );
    expect(spans.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(spans.filter(({ outcome }) => outcome === "paused").map(({ span }) => span)).toEqual([
      ...["onto.task.delete", "run"],
      ...[1, 2, 3].flatMap(() => ["onto.task.delete", "run", "ot.resume"]),
    ]);
    for (const op of MEASURED)
      expect(since(before.get(op) ?? new Map(), op)).toEqual([
        [expect.stringContaining('toolwright_outcome="paused"'), 4],
      ]);
  });
});
