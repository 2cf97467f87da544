/**
 * Pairs of schemas of the JSON Schema Test Suite, as an argument before and after a change. Values of the suite that the one accepts and the
 * other refuses, by Ajv, prove that the change breaks callers.
 */

import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { loadChecks } from "../../../generator/core/checker.js";
import { CORPORA, hasCorpora } from "../../../test/support/corpora.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import type { Json } from "../../../test/support/project.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { accepts } from "../accepts.js";
import { compareTools } from "../compare.js";
import { rootNode } from "../node.js";

await loadChecks();

const DRAFTS = {
  "draft2020-12": { uri: "https://json-schema.org/draft/2020-12/schema", ajv: Ajv2020 },
  draft7: { uri: "http://json-schema.org/draft-07/schema#", ajv: Ajv },
} as const;
type Draft = keyof typeof DRAFTS;
/** Files about how schemas name each other, and about keywords that state no bounds. */
const OTHER =
  /^(?:refRemote|vocabulary|dynamicRef|format|content|default|anchor|id|unknownKeyword|infinite|definitions)/;
/** References that lead elsewhere once the schema is that of an argument. */
const REFERS = /"\$(?:id|ref|anchor|dynamicRef|dynamicAnchor|recursiveRef)"/;
/** The share of pairs that are compared by default, and of breaking ones that may be warned of only. */
const SHARE = 0.01;
const MAX_WARNED = 0.02;

interface Case {
  readonly schema: Json;
  readonly tests: readonly { readonly data: Json; readonly valid: boolean }[];
}

const casesOf = (draft: Draft, file: string): readonly Case[] =>
  JSON.parse(readFileSync(`${CORPORA}json-schema-test-suite/${draft}/${file}`, "utf8"));
const filesOf = (draft: Draft): readonly string[] =>
  readdirSync(`${CORPORA}json-schema-test-suite/${draft}`)
    .filter((file) => file.endsWith(".json") && !OTHER.test(file))
    .sort();

function checkOf(draft: Draft, schema: Json): ((value: unknown) => boolean) | undefined {
  const ajv = new DRAFTS[draft].ajv({ strict: false });
  formats.default(ajv);
  try {
    return ajv.compile(schema);
  } catch {
    return undefined;
  }
}

/** Names that a schema declares or demands, patterns of names, and whether it describes any name. */
function namesIn(schema: Json): { names: Set<string>; patterns: RegExp[]; all: boolean } {
  const found = { names: new Set<string>(), patterns: [] as RegExp[], all: false };
  const walk = (at: Json): void => {
    if (typeof at !== "object" || at === null) return;
    for (const [key, held] of Object.entries<Json>(at)) {
      if (/^(?:properties|dependent|dependencies)/.test(key)) for (const one of Object.keys(held)) found.names.add(one);
      if (key === "required" || /^dependen/.test(key))
        for (const one of Object.values(held).flat()) if (typeof one === "string") found.names.add(one);
      if (key === "patternProperties") for (const one of Object.keys(held)) found.patterns.push(new RegExp(one, "u"));
      if (/^(?:additional|unevaluated)Properties$/.test(key) && typeof held === "object") found.all = true;
      if (key === "propertyNames") found.all = true;
      if (key !== "const" && key !== "enum") walk(held);
    }
  };
  walk(schema);
  return found;
}

/** Whether callers send a value: properties without a schema are not sent. */
function isSent(schema: Json, value: Json): boolean {
  const { names, patterns, all } = namesIn(schema);
  const known = (at: Json): boolean =>
    typeof at !== "object" ||
    at === null ||
    Object.entries<Json>(at).every(
      ([name, one]) =>
        (Array.isArray(at) || names.has(name) || patterns.some((pattern) => pattern.test(name))) && known(one),
    );
  return all || known(value);
}

const argument = (draft: Draft, v: Json) =>
  completeTool({
    parameters_schema: { $schema: DRAFTS[draft].uri, type: "object", properties: { v }, required: ["v"] },
  });

describe.runIf(hasCorpora)("JSON Schema Test Suite", () => {
  test("no verdict that is reached without a validator is wrong", () => {
    const wrong = filesOf("draft2020-12").flatMap((file) =>
      casesOf("draft2020-12", file)
        .filter(({ schema }) => typeof schema === "object" && !REFERS.test(JSON.stringify(schema)))
        .flatMap(({ schema, tests }) =>
          tests
            .filter(({ data, valid }) => accepts(rootNode(schema), data) === !valid)
            .map(({ data }) => `${file}: ${JSON.stringify(schema)} ${JSON.stringify(data)}`),
        ),
    );
    expect(wrong).toEqual([]);
  });

  test.each(Object.keys(DRAFTS) as Draft[])(
    "%s: no change that breaks callers is called safe",
    {
      timeout: 600_000,
      tags: "slow",
    },
    (draft) => {
      const random = randomOf(20);
      const safe: string[] = [];
      const figures = { breaking: 0, warned: 0 };
      for (const file of filesOf(draft)) {
        const groups = casesOf(draft, file);
        const values = groups.flatMap(({ tests }) => tests.map(({ data }) => data));
        const usable = groups.flatMap(({ schema }) => {
          const check = REFERS.test(JSON.stringify(schema)) ? undefined : checkOf(draft, schema);
          return check ? [{ schema, check }] : [];
        });
        const pairs = usable.flatMap((before) =>
          usable.filter((one) => one !== before).map((after) => [before, after]),
        );
        for (const [before, after] of pairs) {
          if (!before || !after || random() > (SCALE >= 1 ? 1 : SHARE)) continue;
          const refused = values.find((one) => before.check(one) && !after.check(one) && isSent(before.schema, one));
          if (refused === undefined) continue;
          const found = compareTools([argument(draft, before.schema)], [argument(draft, after.schema)]);
          figures.breaking++;
          if (found.some(({ level }) => level === "error")) continue;
          if (found.some(({ level }) => level === "warning")) figures.warned++;
          else
            safe.push(`${file}: ${JSON.stringify([before.schema, after.schema])} refuses ${JSON.stringify(refused)}`);
        }
      }
      console.info(`${draft}: ${figures.breaking} changes that break callers, ${figures.warned} only warned of`);
      expect(safe).toEqual([]);
      expect(figures.warned).toBeLessThanOrEqual(Math.max(2, MAX_WARNED * figures.breaking));
    },
  );
});
