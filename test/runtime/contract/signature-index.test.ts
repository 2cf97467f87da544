/** The index of signatures keeps its token budget, and shortens large packs first. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, test } from "vitest";
import { INDEX_TOKENS, signatureIndex, signatureLine } from "../../../runtime/contract/signature-index.js";
import { hasCorpora, snapshotFiles } from "../../support/corpora.js";

const parameter = (name: string, type = "string", required = false) => ({
  name,
  original: name,
  type,
  required,
  aliases: [],
});
const op = (path: string, ...parameters: ReturnType<typeof parameter>[]) => ({
  op: path,
  group: path.split(".")[0] ?? "",
  parameters,
  parameters_schema: { type: "object", properties: {} },
});

test("a line has types where a name does not say them", () => {
  const line = signatureLine(
    op(
      "shop.order.list",
      parameter("shop_id", "id<shop>", true),
      parameter("state", "open|closed"),
      parameter("limit", "integer 1..50"),
      parameter("text", "string | null"),
      parameter("filter", `{${"key, ".repeat(40)}}`),
    ),
  );
  expect(line).toBe("shop.order.list(shop_id, state?: open|closed, limit?: integer 1..50, text?, filter?)");
});

test("an op that takes any argument does not look like one without arguments", () => {
  expect(signatureLine({ ...op("shop.hook.send"), parameters_schema: { type: "object" } })).toBe(
    "shop.hook.send(**arguments)",
  );
  expect(signatureLine(op("shop.clock.now"))).toBe("shop.clock.now()");
});

describe("signatures that do not fit are shortened, larger packs first", () => {
  const many = Array.from({ length: 30 }, (_, at) => op(`big.thing.act${at}`, parameter("one"), parameter("two")));
  const tools = [...many, op("small.act", parameter("one"))];

  test.each<readonly [budget: number, index: RegExp]>([
    [5000, /^big\.thing\.act0\(one\?, two\?\)\n[\s\S]*act29\(one\?, two\?\)\nsmall\.act\(one\?\)$/],
    [200, /^big\.thing: act0, act1, .*act29\nsmall\.act\(one\?\)\ntool_help shows the rest\.$/],
    [40, /^big: 30 ops\nsmall\.act\(one\?\)\ntool_help shows the rest\.$/],
    [16, /^big: 30 ops\ntool_help shows the rest\.$/],
    [5, /^$/],
  ])("%d tokens", (budget, index) => {
    expect(signatureIndex(tools, budget)).toMatch(index);
  });

  test("packs of the project are shortened after those that toolwright brings, whatever their size", () => {
    const shipped = { ...op("brought.act", parameter("one")), source: { shipped: true } as const };
    expect(signatureIndex([...many, shipped], 337)).toMatch(
      /^big\.thing\.act0\(one\?, two\?\)[\s\S]*\nbrought\.act\(one\?\)$/,
    );
    expect(signatureIndex([...many, shipped], 336)).toMatch(/\nbrought: act\ntool_help shows the rest\.$/);
  });

  test("no ops: no index", () => {
    expect(signatureIndex([], 1000)).toBe("");
  });
});

test.skipIf(!hasCorpora)("keeps its budget on the tools of real servers, counted or not", () => {
  const servers = snapshotFiles().map(([file, text]) => {
    const { tools } = JSON.parse(text);
    const pack = file.replace(/\W/g, "_");
    return tools.map(({ name, inputSchema }: { name: string; inputSchema: { properties?: object } }) =>
      op(`${pack}.${name}`, ...Object.keys(inputSchema.properties ?? {}).map((key) => parameter(key))),
    );
  });
  for (const budget of [300, INDEX_TOKENS, 6000])
    for (const tools of [...servers, servers.flat()])
      expect(countTokens(signatureIndex(tools, budget))).toBeLessThanOrEqual(budget);
});
