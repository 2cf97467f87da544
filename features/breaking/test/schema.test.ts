/**
 * Changes of schemas, keyword by keyword, as arguments and as results: one line of `schema-changes.jsonl` each. A finding is its rule,
 * pointer, place, old and new text, level and further text. UPDATE=1 rewrites the findings.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { JsonSchema } from "../../../runtime/contract/registry.js";
import { compareSchemas } from "../schema.js";

interface Change {
  readonly before: JsonSchema;
  readonly after: JsonSchema;
  readonly input: readonly string[];
  readonly result: readonly string[];
}

const FILE = new URL("./schema-changes.jsonl", import.meta.url);

function found(direction: "input" | "result", before: unknown, after: unknown): readonly string[] {
  return compareSchemas(direction, before as JsonSchema, after as JsonSchema).map((one) =>
    [one.rule, one.pointer, one.at, one.before, one.after, one.level, one.more]
      .map((part) => part ?? "-")
      .join(" | ")
      .replace(/( \| -)+$/, ""),
  );
}

const CHANGES: readonly Change[] = readFileSync(FILE, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line));

if (process.env["UPDATE"] === "1") {
  const lines = CHANGES.map(({ before, after }) =>
    JSON.stringify({ before, after, input: found("input", before, after), result: found("result", before, after) }),
  );
  writeFileSync(FILE, `${lines.join("\n")}\n`);
}

test.each(CHANGES)("$before, then $after", ({ before, after, input, result }) => {
  expect([found("input", before, after), found("result", before, after)]).toEqual([input, result]);
});

test("an object with a list of a type is compared as one of them alone", () => {
  expect(found("input", { type: ["object"], properties: { a: {} } }, { properties: { a: {} } })).toEqual([]);
});

describe("schemas that refer to themselves, or are too large", () => {
  test("are compared once for each use, sixty-four times at most", () => {
    const of = (type: string) => ({
      type: "object",
      properties: Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`p${i}`, { $ref: "#/$defs/x" }])),
      $defs: { x: { type: "object", properties: { v: { type }, next: { $ref: "#/$defs/x" } } } },
    });
    const all = found("input", of("string"), of("integer"));
    expect(all).toHaveLength(64);
    expect(all[0]).toBe("arg-type-changed | /properties/p0/properties/v | p0.v | string | integer");
  });

  test("beyond sixty-four levels are no longer told apart", () => {
    const nested = (levels: number, inner: object): object =>
      levels === 0 ? inner : { type: "object", properties: { a: nested(levels - 1, inner) } };
    const at = (levels: number) =>
      found("input", nested(levels, { type: "string" }), nested(levels, { type: "integer" }));
    expect(at(60)[0]).toMatch(/^arg-type-changed \| (?:\/properties\/a){60} \|/);
    expect(at(70)).toEqual(["arg-type-changed |  | the input | - | - | - | : too large or too deep to compare"]);
  });
});
