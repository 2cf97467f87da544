/**
 * Learned types against results whose true type is known: the output schemas that tools of real MCP servers declare, and
 * results made from them. Whether an optional key is there, and whether a value is null, is random, at a rate of its own.
 */

import { describe, expect, test } from "vitest";
import { type NormalSchema, normalizeSchema } from "../../../runtime/contract/normal-schema.js";
import type { JsonSchema, JsonValue } from "../../../runtime/contract/registry.js";
import { hasCorpora, snapshotFiles } from "../../../test/support/corpora.js";
import type { Json } from "../../../test/support/project.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { misfitOf } from "../fit.js";
import { observe } from "../observe.js";
import { mergeOps, type OpSummary, ofOneCall } from "../op-summary.js";
import { revealed } from "../reveal.js";
import { type Judged, judge } from "../rules.js";

type Random = () => number;
type Make = (random: Random) => JsonValue;

const RATES = [0.02, 0.1, 0.3, 0.6, 0.9, 0.98];
const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;

/** Makes results of a schema. The rate of each optional key is chosen once, as it is a property of the server. */
function makerOf(schema: NormalSchema, random: Random, depth = 0): Make {
  switch (schema.kind) {
    case "null":
      return () => null;
    case "boolean":
      return (next) => next() < 0.5;
    case "integer":
    case "number":
      return (next) => Math.floor(next() * 1000);
    case "string":
      return (next) => pick(["a", "two words", "2026-11-02", "x@example.com"], next);
    case "literal":
      return (next) => pick(schema.values, next);
    case "array": {
      const item = makerOf(schema.items, random, depth + 1);
      return (next) => Array.from({ length: Math.floor(next() * 4) }, () => item(next));
    }
    case "union": {
      const members = schema.members.map((one) => makerOf(one, random, depth + 1));
      const first = pick(RATES, random);
      return (next) => (next() < first ? members[0] : pick(members, next))?.(next) ?? null;
    }
    case "object": {
      const members = schema.properties.map((one) => ({
        name: one.name,
        rate: one.required ? 1 : pick(RATES, random),
        make: depth > 6 ? () => null : makerOf(one.schema, random, depth + 1),
      }));
      return (next) =>
        Object.fromEntries(
          members.flatMap(({ name, rate, make }) => (next() < rate ? [[name, make(next)] as const] : [])),
        );
    }
    default:
      return (next) => pick<JsonValue>([1, "a", null], next);
  }
}

function learned(make: Make, count: number, random: Random): Judged | undefined {
  let summary: OpSummary | undefined;
  for (let i = 0; i < count; i++) {
    const call = `c${i}`;
    const one = ofOneCall(
      call,
      `2026-11-0${1 + (i % 2)}`,
      undefined,
      "",
      observe(make(random), { call, idOf: (key) => key }),
    );
    summary = summary ? mergeOps(summary, one) : one;
  }
  return summary && judge(revealed(summary, (id) => id));
}

/** The result with one key that is always there gone, renamed, or of another type. */
function changed(value: JsonValue, required: readonly string[], random: Random): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const key = pick(required, random);
  const { [key]: old, ...rest } = value as Record<string, JsonValue>;
  const other: JsonValue = typeof old === "string" ? { a: 1 } : "text";
  return pick<JsonValue>([rest, { ...rest, [`${key}_new`]: old ?? null }, { ...rest, [key]: other }], random);
}

const SEEDS = Math.max(1, Math.round(3 * SCALE));
const RESULTS = Math.max(40, Math.round(200 * SCALE));

const TITLE = hasCorpora ? "learned types of the ops of real servers" : "../shared/corpora is not there";
describe.skipIf(!hasCorpora)(TITLE, () => {
  const schemas: readonly JsonSchema[] = hasCorpora
    ? snapshotFiles().flatMap(([, text]) =>
        (JSON.parse(text) as Json).tools.flatMap((tool: Json) =>
          Object.keys(tool.outputSchema?.properties ?? {}).length > 0 ? [tool.outputSchema] : [],
        ),
      )
    : [];
  const sample = SCALE < 1 ? schemas.filter((_, i) => i % 3 === 0) : schemas;

  test.each([
    [30, 0.01],
    [100, 0.005],
  ])(
    "after %i calls, at most %d of valid results are called broken, and changes are found",
    { tags: "slow" },
    (calls, most) => {
      const figures = { ops: 0, gated: 0, valid: 0, broken: 0, changes: 0, found: 0 };
      for (let seed = 1; seed <= SEEDS; seed++)
        for (const schema of sample) {
          const random = randomOf(seed * 1000 + figures.ops++);
          const make = makerOf(normalizeSchema(schema, schema), random);
          const judged = learned(make, calls, random);
          if (judged?.result.level !== "locked" || judged.result.news !== "≤1%") continue;
          figures.gated++;
          const required = judged.result.schema["required"] as readonly string[] | undefined;
          for (let i = 0; i < RESULTS; i++) {
            const value = make(random);
            figures.valid++;
            if (misfitOf(value, judged.result.schema)) figures.broken++;
            const broken = i < 20 && required ? changed(value, required, random) : undefined;
            if (broken === undefined) continue;
            figures.changes++;
            if (misfitOf(broken, judged.result.schema)) figures.found++;
          }
        }
      console.log(`${calls} calls: ${JSON.stringify(figures)}`);
      expect(figures.gated).toBeGreaterThan(0);
      expect(figures.broken / figures.valid).toBeLessThanOrEqual(most);
      expect(figures.found / figures.changes).toBeGreaterThanOrEqual(0.98);
    },
  );
});
