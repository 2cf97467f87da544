/** Values in schemas whose members are named as those that every object inherits: a build reads them as data, and never fails on them. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { buildProject, errorsOf } from "../support/generator-host.js";
import { runs } from "../support/random.js";

const NAMES = ["toString", "valueOf", "toJSON", "constructor", "__proto__", "hasOwnProperty", "length", "then", "a"];

/** JSON as text, since an object of JavaScript takes some of these names for something else. */
const { value } = fc.letrec<{ readonly value: string }>((tie) => ({
  value: fc.oneof(
    fc.constantFrom("null", "true", "0", "1e400", "-0", '"a"', '""', '"null"'),
    fc.array(tie("value"), { maxLength: 2 }).map((items) => `[${items.join(",")}]`),
    fc
      .array(fc.tuple(fc.constantFrom(...NAMES), tie("value")), { maxLength: 2 })
      .map((members) => `{${members.map(([name, one]) => `${JSON.stringify(name)}:${one}`).join(",")}}`),
  ),
}));

/** Keywords that hold data, with the form in which they hold it. */
const keyword = fc.oneof(
  fc
    .tuple(fc.constantFrom("enum", "examples"), fc.array(value, { minLength: 1, maxLength: 3 }))
    .map(([name, items]) => `"${name}":[${[...new Set(items)].join(",")}]`),
  fc
    .tuple(fc.constantFrom("const", "default", "example", "x-kind", "description", "title"), value)
    .map(([name, one]) => `"${name}":${one}`),
);
const argument = fc.uniqueArray(keyword, { maxLength: 3, selector: (one) => one.split(":")[0] });

const toolOf = (name: string, keywords: readonly string[]): string =>
  `{"name":"${name}","description":"Does.","inputSchema":{"type":"object","properties":{"toString":{${keywords}},"b":{"type":"array","items":{${keywords}}}}}}`;

test("a build of such tools ends with files or errors", async () => {
  await fc.assert(
    fc.asyncProperty(argument, argument, async (one, other) => {
      const { registry, diagnostics } = await buildProject({
        "toolwright.yaml": "use: []\nsources: [{ mcp: s.json }]\n",
        "s.json": `{"tools":[${toolOf("get_a", one)},${toolOf("list_b", other)}]}`,
      });
      if (!registry) expect(errorsOf(diagnostics)).not.toEqual([]);
    }),
    runs(5_000),
  );
});
