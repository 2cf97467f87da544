/** Runs the corpus and counts verdicts. */

import { SCALE } from "../support/random.js";
import { corpusOf, type Known, MUTATORS } from "./corpus.js";
import { judge, type Verdict } from "./judge.js";
import { observe } from "./observed.js";
import { judgeHot, judgeProgram } from "./programs.js";
import { registries } from "./registries.js";

/** Cases of each mutator in each registry at full size. */
const EACH = 10;

/** How a call arrives. */
export type Entry = "exec and batch" | "run" | "typed tool";

/** One judged case. */
export interface Judged {
  readonly entry: Entry;
  readonly known: Known;
  readonly verdict: Verdict;
  /** Whether the malformed call holds what was meant, and this entry can say it. */
  readonly isTold: boolean;
}

/** Makes and judges the corpus. */
export async function runRepairs(seed: number): Promise<readonly Judged[]> {
  const judged: Judged[] = [];
  for (const [name, registry] of await registries()) {
    const observer = observe(registry);
    const each = Math.max(1, Math.round(EACH * SCALE));
    for (const known of await corpusOf(name, registry, observer, each, seed)) {
      const answer = judged.length % 2 === 0 ? observer.call(known.sent) : observer.batch(known.sent);
      const isTold = known.mutator.isLossy !== true;
      judged.push({
        entry: "exec and batch",
        known,
        verdict: await judge(observer, await answer, known.effect),
        isTold,
      });
      const program = await judgeProgram(observer, known);
      // Calls in a program have no dry run and no idempotency key.
      const isPlain = !known.effect.dryRun && known.effect.key === undefined;
      if (program) judged.push({ entry: "run", known, verdict: program, isTold: isTold && isPlain });
      const hot = await judgeHot(observer, known);
      if (hot) judged.push({ entry: "typed tool", known, verdict: hot, isTold });
    }
  }
  return judged;
}

/** Ways in which a call arrives. */
export const ENTRIES: readonly Entry[] = ["exec and batch", "run", "typed tool"];

const VERDICTS: readonly Verdict[] = ["repaired", "offered", "different", "refused", "dead end"];

/** How often each verdict was given. */
export function countsOf(judged: readonly Judged[]): Readonly<Record<Verdict, number>> {
  const count = (verdict: Verdict): number => judged.filter((one) => one.verdict === verdict).length;
  return Object.fromEntries(VERDICTS.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
}

/** The figures as a table, and those of each mutator that is not always put right. */
export function report(judged: readonly Judged[]): string {
  const percent = (share: number, of: number): string => `${((100 * share) / Math.max(1, of)).toFixed(1)} %`;
  const row = (title: string, some: readonly Judged[]): string => {
    const counts = countsOf(some);
    const cells = VERDICTS.map((verdict) => `${counts[verdict]} (${percent(counts[verdict], some.length)})`);
    return `| ${title} | ${some.length} | ${cells.join(" | ")} |`;
  };
  const names = [...new Set(judged.map(({ known }) => known.registry))];
  const weak = MUTATORS.map(({ name }) => [name, judged.filter(({ known }) => known.mutator.name === name)] as const);
  return [
    `| calls | all | ${VERDICTS.join(" | ")} |`,
    `|---|---|${VERDICTS.map(() => "---").join("|")}|`,
    ...ENTRIES.flatMap((entry) =>
      [true, false].map((isTold) =>
        row(
          `${entry}: that ${isTold ? "hold" : "do not hold"} what was meant`,
          judged.filter((one) => one.entry === entry && one.isTold === isTold),
        ),
      ),
    ),
    ...names.map((name) =>
      row(
        name,
        judged.filter(({ known }) => known.registry === name),
      ),
    ),
    ...weak.flatMap(([name, some]) =>
      some.some(({ verdict }) => verdict !== "repaired" && verdict !== "offered") ? [row(name, some)] : [],
    ),
  ].join("\n");
}
