/** Snapshots of upstream servers: limits, and lists that change while they are read. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { byCodeUnit, canonicalJson } from "../../../runtime/contract/canonical.js";
import { sameSnapshot, snapshotIn, snapshotText } from "../../../runtime/upstream/snapshot.js";
import { randomOf, runs, withShuffledKeys } from "../../support/random.js";
import { behaving, failureOf, namesIn, ready, snapshotOf } from "../../support/upstream/servers.js";

describe("a list that is out of bounds is refused, and says why", () => {
  const refused: readonly (readonly [behaviour: string, says: RegExp])[] = [
    ["circle", /goes round in a circle/],
    ["endless", /more than 1000 pages/],
    ["crowd", /more than 10000 tools/],
    ["fat", /more than 4194304 bytes/],
    ["deep", /nests deeper than 128 levels/],
    ["no-list", /holds no list of tools/],
    ["odd-cursor", /cursor that is no text/],
    ["restless", /changed while it was read, 4 times/],
  ];
  test.each(refused)('from the server "%s"', { tags: "full" }, async (behaviour, says) => {
    const { code, message, remedy } = await failureOf(ready(behaving(behaviour)));
    expect(message).toMatch(says);
    expect([code, remedy === ""]).toEqual(["UNAVAILABLE", false]);
  });
});

test("an answer whose result is no object fails at once", async () => {
  const failure = await failureOf(ready(behaving("no-object", undefined, { timeout: 600 })));
  expect(failure).toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("holds no list of tools"),
  });
});

describe("a list that changes", () => {
  test("between two pages is read again", async () => {
    expect(namesIn(await snapshotOf(ready(behaving("shifting"))))).toEqual(["a", "aa", "b", "c"]);
  });

  test("and says so is read again", async () => {
    expect(namesIn(await snapshotOf(ready(behaving("announces"))))).toEqual(["new"]);
  });

  test("one that really holds a tool twice is taken as it is", async () => {
    expect(namesIn(await snapshotOf(ready(behaving("repeats"))))).toEqual(["a", "b", "b"]);
  });
});

describe("what is written", () => {
  const tools = [
    { name: "b", description: "second", inputSchema: { type: "object", properties: { z: {}, a: {} } }, odd: [1, null] },
    "no object",
    null,
    { name: { toString: 1 } },
    JSON.parse('{"name":"a","__proto__":{"x":1},"inputSchema":7}'),
  ];

  test("any JSON stays as it was sent, sorted by name, with property order kept", async () => {
    const found = await snapshotOf(ready(behaving("tools", tools)));
    expect(JSON.stringify(found.tools)).toBe(
      '["no object",null,{"name":{"toString":1}},{"name":"a","__proto__":{"x":1},"inputSchema":7},' +
        '{"name":"b","description":"second","inputSchema":{"type":"object","properties":{"z":{},"a":{}}},"odd":[1,null]}]',
    );
    expect(snapshotText(found)).toMatch(/^\{\n {2}"serverInfo": \{\n/);
    expect(snapshotIn(snapshotText(found))).toEqual(found);
  });

  test("a server without tools has an empty list, and pages make no difference", async () => {
    expect((await snapshotOf(ready(behaving("no-tools")))).tools).toEqual([]);
    const many = ["c", "a", "d", "b", "e"].map((name) => ({ name, inputSchema: { type: "object" } }));
    const [one, some] = [
      await snapshotOf(ready(behaving("tools", many))),
      await snapshotOf(ready(behaving("pages", many))),
    ];
    expect(some.tools).toEqual(one.tools);
    expect(namesIn(one)).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("the value of a variable that the server repeats reads as the variable again", async () => {
    const entry = behaving("echo", null, { args: [`--key=\${KEY}`], env: { TOKEN: `\${KEY}-\${LEVEL}` } });
    const found = await snapshotOf(ready(entry, { KEY: 'quoted"secret\\1', LEVEL: "info" }));
    expect(found.tools).toEqual([
      { name: "echo", description: `--key=\${KEY} \${KEY}-info`, inputSchema: { type: "object" } },
    ]);
    expect(snapshotText(found)).not.toContain("quoted");
  });

  test("texts that differ in the order of members, or of tools, say the same", () => {
    const value = fc.record({ name: fc.string(), inputSchema: fc.dictionary(fc.string(), fc.jsonValue()) });
    fc.assert(
      fc.property(fc.array(value), fc.nat(), (list, seed) => {
        const whole = { serverInfo: { name: "n", version: "1" }, protocolVersion: "p", tools: list };
        const sorted = snapshotIn(snapshotText({ ...whole, tools: list }));
        if (!sorted) throw new Error("no snapshot");
        const other = withShuffledKeys({ ...whole, tools: [...list].reverse() }, randomOf(seed));
        const byName = { ...sorted, tools: sortedBy(sorted.tools) };
        expect(sameSnapshot(JSON.stringify(other), byName)).toBe(true);
        expect(sameSnapshot(JSON.stringify({ ...whole, protocolVersion: "q" }), byName)).toBe(false);
      }),
      runs(300),
    );
  });

  test("what is no snapshot says nothing", () => {
    for (const text of ["", "{", "[]", "null", '{"tools":{}}']) expect(snapshotIn(text)).toBeUndefined();
  });
});

/** The order of a snapshot: by name, then by the canonical text. */
function sortedBy(tools: readonly unknown[]): readonly unknown[] {
  const key = (one: unknown): string => `${(one as { name: string }).name}\u0000${canonicalJson(one)}`;
  return [...tools].sort((a, b) => byCodeUnit(key(a), key(b)));
}
