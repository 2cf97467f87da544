/** Programs by language: in the figures, in the log and in the metrics. */

import { expect, test } from "vitest";
import { loadFeatures } from "../../../runtime/gateway/features.js";
import { keepMetrics, metricsText } from "../../../runtime/metrics/metrics.js";
import { principal } from "../../../test/runtime/gateway/fixture.js";
import { LENT_LANGUAGES } from "../../../test/runtime/gateway/lent-engines.js";
import { onBoth, SLOW } from "../../../test/runtime/run/kept/databases.js";
import { ALL_LANGUAGES, runSettings, sharedLanguage } from "../../../test/support/run/languages.js";
import { STATISTICS_OF_CALLS } from "../feature.js";
import { readStats } from "../figures.js";
import { readReport } from "../report/figures.js";
import { reportPage } from "../report/page.js";

const typescript = sharedLanguage("typescript");

const PROGRAMS = [
  "1 + 1",
  "2 + 2",
  "1 +",
  "1 / 0",
  "```ts\n[1, 2].map((n) => n + 1)\n```",
  "```ts\nawait onto.task.lst({})\n```",
  "```ts\nconst a = ;\n```",
  "```ts\nthrow new Error('no')\n```",
  "```ruby\n1 + 1\n```",
];

onBoth((at) => {
  test("programs are counted by language, with those that were refused before they ran", {
    timeout: SLOW,
  }, async () => {
    keepMetrics();
    const { gateway, lines } = at.server({
      features: await loadFeatures({ features: [STATISTICS_OF_CALLS], config: { sources: [] } }),
      settings: { run: runSettings({ run: { languages: ["python", "typescript"] }, limits: { wall_ms: SLOW } }) },
      options: { languages: [...LENT_LANGUAGES, typescript] },
    });
    for (const command of PROGRAMS) await gateway.run({ command }, principal());
    await gateway.close();
    const query = { period: "all", op: "", now: at.now.at } as const;
    const { runs } = await at.state.transaction("read", (tx) => readStats(tx, query, {}, ALL_LANGUAGES));
    expect(runs).toMatchObject({
      total: 9,
      languages: [
        { language: "Python", total: 5, failed: 2, refused: 1 },
        { language: "TypeScript", total: 4, failed: 3, refused: 2 },
      ],
    });
    const own = await at.state.transaction("read", (tx) => readStats(tx, { ...query, caller: principal().id }));
    expect(own.runs).toMatchObject({ total: 9 });
    expect(own.runs).not.toHaveProperty("languages");
    const page = reportPage(await at.state.transaction("read", (tx) => readReport(tx, query, {}, ALL_LANGUAGES)));
    expect(page).toContain("Programs by language");
    expect(page).toMatch(/<th scope="row">TypeScript<\/th><td>4<\/td>/);
    const spans = lines.flatMap(({ message, fields }) =>
      message === "span" ? [fields as Record<string, unknown>] : [],
    );
    expect(spans.map(({ language, outcome, engine }) => [language, outcome, engine === "quickjs"])).toEqual([
      ...[undefined, undefined, "refused", undefined].map((outcome) => ["python", outcome, false]),
      ["typescript", undefined, true],
      ["typescript", "refused", false],
      ["typescript", "refused", false],
      ["typescript", undefined, true],
      ["python", undefined, false],
    ]);
    const counts = metricsText()
      .split("\n")
      .filter((line) => line.startsWith("toolwright_op_duration_seconds_count") && line.includes("refused"));
    expect(counts.map((line) => /toolwright_language="(\w+)"/.exec(line)?.[1]).sort()).toEqual([
      "python",
      "typescript",
    ]);
  });
});
