/** Random schemas and changes: nothing throws, the reverse change gives the mirrored findings, and equal schemas give none. */

import fc from "fast-check";
import type { JsonSchema } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { loadCompiler } from "../../../generator/core/compile.js";
import type { Finding } from "../../../runtime/contract/finding.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import { randomOf, runs, shuffled, withShuffledKeys } from "../../../test/support/random.js";
import { BREAKING_RULES, type BreakingRule } from "../breaking-rules.js";
import { compareTools } from "../compare.js";
import { compareSchemas } from "../schema.js";

await loadChecks();

const NAMES = ["a", "b", "c", "kind", "__proto__", "x/y~z"];
const name = fc.constantFrom(...NAMES);
const text = fc.constantFrom("", "One thing.", "Another  thing.");
const bound = fc.integer({ min: 0, max: 4 });
const value = fc.constantFrom<unknown>("a", "b", "", 1, 2.5, true, null, { k: 1 });

/** Schemas of every supported form, including references into `$defs` and into themselves. */
const { schema } = fc.letrec((tie) => {
  const sub = tie("schema");
  const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
  const beside = { description: some(text), default: some(value), deprecated: some(fc.boolean()), title: some(text) };
  const object = fc.record(
    {
      type: fc.constantFrom("object", ["object", "null"]),
      properties: fc.dictionary(name, sub, { maxKeys: 3 }),
      required: some(fc.uniqueArray(name, { maxLength: 2 })),
      additionalProperties: some(fc.oneof(fc.boolean(), sub)),
      minProperties: some(bound),
      ...beside,
    },
    { requiredKeys: ["type"] },
  );
  return {
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.record({
        type: fc.constantFrom("string", ["string", "null"]),
        minLength: some(bound),
        maxLength: some(bound),
        pattern: some(fc.constantFrom("^a", "b$", "(")),
        format: some(fc.constantFrom("date", "uri")),
        ...beside,
      }),
      fc.record({
        type: fc.constantFrom("integer", "number"),
        minimum: some(bound),
        exclusiveMaximum: some(bound),
        multipleOf: some(fc.constantFrom(0.5, 1, 2, 3)),
        ...beside,
      }),
      fc.record({
        enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
        ...beside,
      }),
      fc.record({ const: value }),
      fc.constantFrom<unknown>(
        true,
        false,
        {},
        { type: "boolean" },
        { type: ["string", "integer"] },
        { $ref: "#" },
        { $ref: "#/$defs/d" },
        { $ref: "#/$defs/e" },
        { $ref: "#/%zz" },
      ),
      fc.record({
        type: fc.constant("array"),
        items: some(sub),
        prefixItems: some(fc.array(sub, { maxLength: 2 })),
        minItems: some(bound),
        uniqueItems: some(fc.boolean()),
        ...beside,
      }),
      fc.record({ anyOf: fc.array(sub, { minLength: 1, maxLength: 3 }), ...beside }),
      fc.record({ oneOf: fc.array(sub, { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(sub, { minLength: 1, maxLength: 2 }), ...beside }),
      fc.record({ not: sub }),
      object,
    ),
  };
});
const root = fc
  .record({ properties: fc.dictionary(name, schema, { maxKeys: 3 }), d: schema, e: schema, open: fc.boolean() })
  .map(({ properties, d, e, open }) => {
    const made = { type: "object", properties, $defs: { d, e }, ...(open ? {} : { additionalProperties: false }) };
    return JSON.parse(JSON.stringify(made)) as JsonSchema;
  });

/** A root with one of its members replaced, so that most of it stays. */
const changed = fc
  .tuple(root, name, schema, fc.constantFrom("properties", "$defs"))
  .map(([before, key, other, where]) => {
    const after = structuredClone(before) as Record<string, Record<string, unknown>>;
    const members = after[where] ?? {};
    const target = where === "$defs" ? "d" : key;
    Object.defineProperty(members, target, {
      value: JSON.parse(JSON.stringify(other)),
      enumerable: true,
      configurable: true,
    });
    return [before, after as unknown as JsonSchema] as const;
  });
const pairs = fc.oneof(changed, fc.tuple(root, root));

/** Both ends of a change under one name, with which end it is; what has one end only is its own mirror. */
const ENDS: Readonly<Record<string, readonly [string, string]>> = {
  "arg-required-added": ["arg", "added"],
  "arg-optional-added": ["arg", "added"],
  "arg-removed": ["arg", "removed"],
  "arg-became-required": ["required", "added"],
  "arg-became-optional": ["required", "removed"],
  "arg-became-enum": ["enum", "added"],
  "arg-stopped-being-enum": ["enum", "removed"],
  "arg-description-removed": ["arg-description-changed", ""],
};

function endOf(rule: string): readonly [string, string] {
  const known = ENDS[rule];
  if (known) return known;
  const found = /^(.*)-(added|removed|narrowed|widened|refused|accepted)$/.exec(rule);
  return found ? [found[1] ?? "", found[2] ?? ""] : [rule, ""];
}

const OPPOSITE: Readonly<Record<string, string>> = {
  added: "removed",
  removed: "added",
  narrowed: "widened",
  widened: "narrowed",
  refused: "accepted",
  accepted: "refused",
  "": "",
};

const tally = (rules: readonly string[], mirrored: boolean): readonly string[] =>
  rules
    .map(endOf)
    .map(([what, end]) => `${what} ${mirrored ? OPPOSITE[end] : end}`)
    .sort();

const compareInputs = (before: JsonSchema, after: JsonSchema): readonly Finding[] =>
  compareTools([completeTool({ parameters_schema: before })], [completeTool({ parameters_schema: after })]);

describe("input schemas", () => {
  test("a schema against itself, keys in any order, gives nothing", () => {
    fc.assert(
      fc.property(root, fc.nat(), (one, seed) => {
        const copy = withShuffledKeys(one, randomOf(seed)) as JsonSchema;
        expect(compareSchemas("input", one, structuredClone(one))).toEqual([]);
        expect(compareSchemas("input", one, copy).filter(({ rule }) => rule !== "arg-position-changed")).toEqual([]);
      }),
      runs(3000),
    );
  });

  test("the way back mirrors the way there", () => {
    let changes = 0;
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const there = compareSchemas("input", before, after).map((one) => one.rule);
        const back = compareSchemas("input", after, before).map((one) => one.rule);
        changes += there.length;
        expect(tally(back, true)).toEqual(tally(there, false));
      }),
      runs(5000),
    );
    expect(changes).toBeGreaterThan(100);
  });

  test("an error in the input is harmless in the result", () => {
    fc.assert(
      fc.property(pairs, ([before, after]) => {
        const narrowed = compareSchemas("input", before, after).filter(({ rule }) => rule === "arg-type-narrowed");
        const result = compareSchemas("result", before, after).filter(({ rule }) => rule === "result-type-narrowed");
        for (const { pointer } of narrowed) expect(result.map((one) => one.pointer)).toContain(pointer);
      }),
      runs(2000),
    );
  });
});

describe("what a validator says", () => {
  const given = fc.dictionary(
    name,
    fc.oneof(value, fc.array(value, { maxLength: 3 }), fc.dictionary(name, value, { maxKeys: 2 })),
    { maxKeys: 4 },
  );
  // A new optional argument may have a name that an open input accepted with any value: reported, though no caller is known to use it.
  const says = (finding: { readonly rule: BreakingRule }): boolean =>
    (finding.rule === "arg-optional-added" || BREAKING_RULES[finding.rule].level !== "info") &&
    !/^arg-(default|description)/.test(finding.rule);

  test("a value that was taken and is refused comes with a finding that says so", {
    // Some minutes at full size, where other tests run too.
    timeout: 900_000,
    tags: "slow",
  }, async () => {
    const { issuesOf } = await loadCompiler();
    const takes = (one: JsonSchema, args: object): boolean | undefined => {
      try {
        return issuesOf(one, args).length === 0;
      } catch {
        return undefined;
      }
    };
    let refused = 0;
    // Known limit: alternatives that overlap (oneOf then refuses) and those that are only a `not` are compared as unions.
    const decided = pairs.filter((pair) => !/"(not|oneOf)":/.test(JSON.stringify(pair)));
    fc.assert(
      fc.property(decided, fc.array(given, { minLength: 10, maxLength: 10 }), ([before, after], values) => {
        const lost = values.filter((one) => takes(before, one) === true && takes(after, one) === false);
        if (lost.length === 0) return;
        refused++;
        expect(compareSchemas("input", before, after).filter(says), JSON.stringify(lost[0])).not.toEqual([]);
      }),
      runs(4000),
    );
    expect(refused).toBeGreaterThan(10);
  });
});

describe("tools", () => {
  test("any JSON in place of a schema throws nothing, and every text is a string", { tags: "full" }, () => {
    const anything = fc.oneof(fc.jsonValue(), root);
    fc.assert(
      fc.property(anything, anything, (before, after) => {
        const wrap = (one: unknown) => ({ type: "object", properties: one, required: one, anyOf: one }) as JsonSchema;
        const found = [
          ...compareInputs(wrap(before), wrap(after)),
          ...compareInputs({ properties: { x: before } } as JsonSchema, { properties: { x: after } } as JsonSchema),
        ];
        for (const one of found) {
          const given = JSON.stringify([before, after]);
          for (const slip of ["undefined", "NaN"]) if (!given.includes(slip)) expect(one.message).not.toContain(slip);
          expect(one.message.length).toBeLessThan(600);
          expect(one.fingerprint).toMatch(/^[0-9a-f]{12}$/);
        }
      }),
      runs(3000),
    );
  });

  test("the order of tools does not count; no finding is reported twice", () => {
    const tools = ["a", "b", "c", "d"].map((one) => ({ op: `p.${one}.get`, tool_name: `get_${one}` }));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), root), { maxLength: 4 }), fc.nat(), (changes, seed) => {
        const before = tools.map(completeTool);
        const after = before.map((tool, i) => {
          const change = changes.find(([index]) => index === i);
          return change ? completeTool({ ...tools[i], parameters_schema: change[1] }) : tool;
        });
        const found = compareTools(before, after);
        expect(compareTools(before, shuffled(after, randomOf(seed)))).toEqual(found);
        expect(new Set(found.map((one) => JSON.stringify(one))).size).toBe(found.length);
      }),
      runs(500),
    );
  });

  test("a schema nested beyond the stack is one finding, not a crash", () => {
    const deep = (end: string): JsonSchema => {
      let at: JsonSchema = { type: end };
      for (let i = 0; i < 20_000; i++) at = { type: "object", properties: { x: at } } as unknown as JsonSchema;
      return at;
    };
    expect(compareSchemas("input", deep("string"), deep("integer"))).toEqual([
      { rule: "arg-type-changed", pointer: "", at: "the input", more: ": too large or too deep to compare" },
    ]);
  });

  test("unions that hold themselves and each other many times end, and mean what they hold", { tags: "full" }, () => {
    const many = (to: string) => Array.from({ length: 30 }, () => ({ $ref: to }));
    const webbed = (end: string): JsonSchema => ({
      type: "object",
      properties: { x: { $ref: "#/$defs/a" } },
      $defs: {
        a: { anyOf: [...many("#/$defs/b"), ...many("#/$defs/a")], description: "A." },
        b: { anyOf: [...many("#/$defs/a"), { anyOf: many("#/$defs/c"), minLength: 1 }] },
        c: { type: end },
      },
    });
    expect(compareSchemas("input", webbed("string"), webbed("string"))).toEqual([]);
    const rules = compareSchemas("input", webbed("string"), webbed("integer")).map((one) => one.rule);
    expect(rules).toEqual(["arg-type-changed"]);
  });

  test("a schema that doubles at every step ends", () => {
    const doubling = (end: string): JsonSchema => {
      const defs = Object.fromEntries(
        Array.from({ length: 40 }, (_, i) => {
          const next = { $ref: `#/$defs/d${i + 1}` };
          return [`d${i}`, { type: "object", properties: { l: next, r: next } }] as const;
        }),
      );
      return { $defs: { ...defs, d40: { type: end } }, type: "object", properties: { x: { $ref: "#/$defs/d0" } } };
    };
    const found = compareSchemas("input", doubling("string"), doubling("integer"));
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThan(1000);
  });
});
