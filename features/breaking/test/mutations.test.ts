/**
 * The mutation benchmark: seeded changes of schemas of real tools, and of a set of its own, against an oracle that does not use the code
 * under test. A change that breaks callers is never called safe. `SCALE=1` makes 2,100 mutations, `SEED` repeats a run with other ones.
 */

import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import type { Json } from "../../../test/support/project.js";
import { SCALE } from "../../../test/support/random.js";
import { compareTools } from "../compare.js";
import { constraintPairsOf } from "./mutations/constraints.js";
import { encodingPairsOf } from "./mutations/encodings.js";
import { type Pair, pairsOf } from "./mutations/pairs.js";
import { type RequestPair, requestPairsOf } from "./mutations/requests.js";
import { OWN_SCHEMAS, realSchemas } from "./mutations/schemas.js";
import { unionPairsOf } from "./mutations/unions.js";

await loadChecks();

const FULL = 700;
const FULL_CONSTRAINTS = 150;
const FULL_UNIONS = 700;
const FULL_ENCODINGS = 300;
const FULL_REQUESTS = 200;
const SEEDS = process.env["SEED"] === undefined ? [71, 72, 73] : [Number(process.env["SEED"])];
/** Schemas of real tools that are taken, and how often each of the own set counts. */
const REAL_TOOLS = 200;
const OWN_SHARE = 3;
const MAX_WARNED = 0.02;
const MAX_CAUTIOUS = 0.03;

type Level = "error" | "warning" | "nothing";

const schemasOf = (seed: number): readonly Json[] => [
  ...realSchemas(REAL_TOOLS, seed),
  ...Array.from({ length: OWN_SHARE }, () => OWN_SCHEMAS).flat(),
];

/** What the comparison says of the schema of an input. */
function inputLevel({ before, after }: Pair): Level {
  const [old, now] = [before, after].map((parameters_schema) => completeTool({ parameters_schema }));
  return levelOf(old && now ? compareTools([old], [now]) : []);
}

/** The same of a result, in which the change turned round breaks consumers. */
function resultLevel({ before, after }: Pair): Level {
  const [old, now] = [after, before].map((result_schema) => completeTool({ result_schema }));
  return levelOf(old && now ? compareTools([old], [now]) : []);
}

const levelOf = (found: ReturnType<typeof compareTools>): Level =>
  (["error", "warning"] as const).find((level) => found.some((one) => one.level === level)) ?? "nothing";

type Judged = Pick<Pair, "name" | "truth" | "refused"> & { readonly before: unknown; readonly after: unknown };

function figuresOf<T extends Judged>(
  pairs: readonly T[],
  levels: (pair: T) => Level,
): Readonly<Record<string, number>> {
  const figures: Record<string, number> = {};
  for (const pair of pairs) {
    const key = `${pair.truth} ${levels(pair)}`;
    figures[key] = (figures[key] ?? 0) + 1;
    if (key === "breaking nothing")
      throw new Error(
        `${pair.name}: refused ${JSON.stringify(pair.refused)}\n${JSON.stringify([pair.before, pair.after])}`,
      );
  }
  return figures;
}

const share = (figures: Readonly<Record<string, number>>, truth: string, level: Level): number => {
  const all = (["error", "warning", "nothing"] as const).map((one) => figures[`${truth} ${one}`] ?? 0);
  return (
    (figures[`${truth} ${level}`] ?? 0) /
    Math.max(
      1,
      all.reduce((sum, one) => sum + one, 0),
    )
  );
};

describe.each(SEEDS)("seed %i", (seed) => {
  const pairs = pairsOf(schemasOf(seed), seed, Math.round(FULL * SCALE));

  test("inputs: no breaking change is called safe, few are only warned of", { timeout: 1_200_000 }, () => {
    const figures = figuresOf(pairs, inputLevel);
    console.info(`seed ${seed}, ${pairs.length} mutations: ${JSON.stringify(figures)}`);
    expect(figures["breaking error"] ?? 0).toBeGreaterThan(pairs.length / 4);
    // A sample of a tenth holds too few for a share: one is always allowed.
    expect(figures["breaking warning"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_WARNED * pairs.length));
    expect(figures["compatible error"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_CAUTIOUS * pairs.length));
    if (SCALE >= 1) expect(share(figures, "breaking", "warning")).toBeLessThanOrEqual(MAX_WARNED);
    if (SCALE >= 1) expect(share(figures, "compatible", "error")).toBeLessThanOrEqual(MAX_CAUTIOUS);
  });

  test("results: a value that was impossible is never called safe", { timeout: 1_200_000 }, () => {
    // Properties that the old schema does not know are ignored by consumers: what differs in them only is left out.
    const open = pairs.filter(
      (one) => !/"(?:additionalProperties|unevaluatedProperties)":false/.test(JSON.stringify([one.before, one.after])),
    );
    const figures = figuresOf(open, resultLevel);
    console.info(`seed ${seed}, results, ${open.length} mutations: ${JSON.stringify(figures)}`);
    expect(figures["breaking warning"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_WARNED * open.length));
  });

  test("unions: no alternative that takes less is called safe", { timeout: 1_200_000 }, () => {
    const changes = unionPairsOf(seed, Math.round(FULL_UNIONS * SCALE));
    const inputs = figuresOf(changes, inputLevel);
    // Readers ignore properties that they do not know.
    const results = figuresOf(
      changes.filter(({ truth, misread }) => truth === "compatible" || misread !== undefined),
      resultLevel,
    );
    console.info(`seed ${seed}, unions, ${changes.length} changes: ${JSON.stringify({ inputs, results })}`);
    expect(inputs["breaking error"] ?? 0).toBeGreaterThan(changes.length / 5);
    expect(inputs["breaking warning"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_WARNED * changes.length));
  });

  test("encodings: content that arrives otherwise is an error, in both directions", { timeout: 1_200_000 }, () => {
    const changes = encodingPairsOf(seed, Math.round(FULL_ENCODINGS * SCALE));
    for (const levelOfPair of [inputLevel, resultLevel]) {
      const figures = figuresOf(changes, levelOfPair);
      console.info(`seed ${seed}, encodings, ${changes.length} changes: ${JSON.stringify(figures)}`);
      expect(figures["breaking warning"] ?? 0).toBe(0);
      expect(figures["compatible error"] ?? 0).toBe(0);
    }
  });

  test("requests: a call that is sent otherwise is reported, one to another host as an error", {
    timeout: 1_200_000,
  }, async () => {
    const changes = await requestPairsOf(seed, Math.max(40, Math.round(FULL_REQUESTS * SCALE)));
    const level = ({ before, after }: RequestPair): Level => levelOf(compareTools(before.tools, after.tools));
    const figures: Record<string, number> = {};
    for (const one of changes) {
      const key = `${one.isElsewhere ? "elsewhere" : one.truth} ${level(one)}`;
      figures[key] = (figures[key] ?? 0) + 1;
      if (key === "breaking nothing" || (one.isElsewhere && level(one) !== "error"))
        throw new Error(`${one.name}: ${level(one)} for\n${one.sent.join("\n")}`);
    }
    console.info(`seed ${seed}, requests, ${changes.length} changes: ${JSON.stringify(figures)}`);
    expect(figures["elsewhere error"] ?? 0).toBeGreaterThan(0);
    expect(figures["compatible error"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_CAUTIOUS * changes.length));
  });

  test("rules across arguments: every call that is refused now is an error", { timeout: 1_200_000 }, () => {
    const changes = constraintPairsOf(seed, Math.round(FULL_CONSTRAINTS * SCALE));
    const figures = figuresOf(changes, ({ before, after }) =>
      levelOf(compareTools([completeTool(before)], [completeTool(after)])),
    );
    console.info(`seed ${seed}, rules across arguments, ${changes.length} changes: ${JSON.stringify(figures)}`);
    expect(figures["breaking error"] ?? 0).toBeGreaterThan(changes.length / 5);
    expect(figures["breaking warning"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_WARNED * changes.length));
    expect(figures["compatible error"] ?? 0).toBeLessThanOrEqual(Math.max(1, MAX_CAUTIOUS * changes.length));
  });
});
