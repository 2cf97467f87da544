/** Edits of any client's file: what is added to its text, and what is preserved. */

import fc from "fast-check";
import { getNodeValue, parseTree } from "jsonc-parser";
import { parse as parseToml, stringify as tomlText } from "smol-toml";
import { describe, expect, test } from "vitest";
import { CLIENTS } from "../../../runtime/cli/clients.js";
import type { Json } from "../../../test/support/project.js";
import { runs } from "../../../test/support/random.js";
import { withEntry } from "../edit.js";
import { entryFor } from "../entry.js";

const clientOf = (id: string) => CLIENTS.find((one) => one.id === id) as (typeof CLIENTS)[number];

/** Blanks, and comments of either kind, in JSON. */
const gap = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", " ", "\n", "\n  ", "\n\t") },
  fc.string({ maxLength: 8 }).map((text) => `/*${text.replaceAll("*/", "")} */`),
  fc.string({ maxLength: 8 }).map((text) => `//${text.replace(/[\r\n\u2028\u2029]/g, "")}\n`),
);
const name = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom("toolwright-2", "__proto__", "a.b", "]", "//", "constructor"),
);

/** The text of a JSON object: members with gaps around every token, perhaps a comma at the end. */
const objectText = (members: fc.Arbitrary<readonly (readonly [string, string])[]>): fc.Arbitrary<string> =>
  fc.tuple(members, fc.array(gap, { minLength: 9, maxLength: 9 }), fc.boolean()).map(([list, gaps, comma]) => {
    const g = (i: number): string => gaps[i % gaps.length] ?? "";
    const texts = list.map(
      ([key, value], i) => `${g(i)}${JSON.stringify(key)}${g(i + 1)}:${g(i + 2)}${value}${g(i + 3)}`,
    );
    return `{${texts.join(",")}${comma && texts.length > 0 ? "," : ""}${g(8)}}`;
  });
const distinct = (value: fc.Arbitrary<string>, not: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(name, value), { maxLength: 4, selector: ([key]) => key })
    .map((list) => list.filter(([key]) => !not.includes(key)));
const anyValue = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value));
const serversText = objectText(distinct(objectText(distinct(anyValue, [])), ["toolwright"]));
const clientText = fc
  .tuple(distinct(anyValue, ["mcpServers"]), fc.option(serversText), gap, gap)
  .chain(([others, servers, before, after]) =>
    objectText(fc.constant(servers === null ? others : [...others, ["mcpServers", servers] as const])).map(
      (text) => `${before}${text}${after}`,
    ),
  );

const comments = (text: string): readonly string[] =>
  [...text.matchAll(/"(?:\\.|[^"\\])*"|(\/\*.*?\*\/|\/\/[^\n\r]*)/gs)].flatMap(([, one]) => one ?? []);

describe("any file of a client", () => {
  const client = clientOf("cursor");
  const entry = entryFor(client, { root: "/p", node: "/usr/bin/node", launcher: "/t/generator/launch.mjs" });
  const wanted = { client, name: "toolwright", entry };
  const parsed = (text: string): Json => getNodeValue(parseTree(text, [], { allowTrailingComma: true }) as never);

  test("JSON: the rest and its comments stay in their order, only text is added, and the second time nothing is", {
    tags: "full",
  }, async () => {
    await fc.assert(
      fc.asyncProperty(clientText, fc.constantFrom("\n", "\r\n"), async (lf, eol) => {
        const before = lf.replaceAll("\n", eol);
        const after = await withEntry(before, wanted, "x");
        const [was, is] = [parsed(before), parsed(after)];
        expect(is.mcpServers.toolwright).toEqual(entry);
        was.mcpServers ??= {};
        delete is.mcpServers.toolwright;
        expect(JSON.stringify(is)).toBe(JSON.stringify(was));
        expect(comments(after)).toEqual(comments(before));
        let at = 0;
        for (const one of after) if (before[at] === one[0] && before.startsWith(one, at)) at += one.length;
        expect(at).toBe(before.length);
        if (eol === "\r\n" && before.includes(eol)) expect(after.replaceAll("\r\n", "")).not.toContain("\n");
        expect(await withEntry(after, wanted, "x")).toBe(after);
        const moved = await withEntry(after, { ...wanted, entry: { ...entry, command: "/other" } }, "x");
        expect(moved).toBe(after.replace('"/usr/bin/node"', '"/other"'));
      }),
      runs(2000),
    );
  });

  const comment = fc.string({ maxLength: 8 }).map((text) => `# ${text.replace(/[^\x20-\x7e\u00a0-\ud7ff]/g, "")}\n`);
  const statement = fc
    .tuple(
      fc.integer({ min: 0, max: 9 }),
      fc.constantFrom(
        "1",
        '"x # [y]"',
        "'[mcp_servers.toolwright]'",
        '"""\n[mcp_servers.toolwright]\ncommand = "no"\n"""',
        "'''\n# a\n[b]'''",
        "[\n  [1, 2],\n  [3], # c\n]",
        "{ a = 1, 'b' = [2] }",
        "1979-05-27T07:32:00Z",
        "9223372036854775807",
        '"""a""""',
      ),
    )
    .map(([n, value]) => `"k ${n}" = ${value}`);
  const unique = fc.uniqueArray(statement, { maxLength: 4, selector: (text) => text.split(" = ")[0] });
  const body = fc
    .tuple(unique, fc.array(comment, { maxLength: 2 }))
    .map(([list, notes]) => `${notes.join("")}${list.join(" # note\n")}${list.length > 0 ? "\n" : ""}`);
  const tables = fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(
        "[a]",
        "[mcp_servers.other]",
        "[mcp_servers.other.env]",
        "[ mcp_servers . 'x y' ] # z",
        "[[list]]",
        "  [mcp_servers.toolwright2]",
      ),
      body,
    ),
    {
      selector: ([header]) => header,
    },
  );

  test("TOML: every other byte stays, the entry is read back, and the second time nothing is changed", {
    tags: "full",
  }, async () => {
    const codex = clientOf("codex");
    const ours = { client: codex, name: "toolwright", entry };
    await fc.assert(
      fc.asyncProperty(body, tables, fc.constantFrom("\n", "\r\n"), fc.boolean(), async (top, list, eol, cut) => {
        const whole = (top + list.map(([header, text]) => `${header}\n${text}`).join("\n")).replaceAll("\n", eol);
        const before = cut ? whole.trimEnd() : whole;
        const after = await withEntry(before, ours, "x");
        expect(after.startsWith(before)).toBe(true);
        const read = (text: string): Json => parseToml(text, { integersAsBigInt: "asNeeded" });
        const { toolwright: got, ...others } = read(after)["mcp_servers"] as Json;
        expect(got).toEqual(entry);
        expect({ ...read(after), mcp_servers: others }).toEqual({
          ...read(before),
          mcp_servers: read(before)["mcp_servers"] ?? {},
        });
        expect(await withEntry(after, ours, "x")).toBe(after);
        const moved = await withEntry(after, { ...ours, entry: { ...entry, command: "/other" } }, "x");
        expect(moved).toBe(after.replace('"/usr/bin/node"', '"/other"'));
      }),
      runs(2000),
    );
  });

  test.each([
    [
      "[mcp_servers.toolwright]\ncommand = 'toolwright' # mine\nargs = ['serve']\nstartup_timeout_sec = 5 # slow\n\n# next\n[x]\na = 1\n",
      "startup_timeout_sec = 5 # slow\n\n# next\n[x]\na = 1\n",
    ],
    ["[mcp_servers]\ntoolwright.command = 'toolwright'\ntoolwright.args = ['serve']\n", "[mcp_servers]\n"],
    [
      "[mcp_servers.toolwright]\nurl = 'https://a.example/'\nbearer_token_env_var = 'OUBLIETTE_API_KEY'\n[mcp_servers.toolwright.http_headers]\nA = 'b'\n[y]\n",
      "[y]\n",
    ],
    [
      "[mcp_servers.toolwright]\ncommand = 'toolwright'\nargs = ['serve']\n[mcp_servers.toolwright.env]\nA = 'b'",
      "[mcp_servers.toolwright.env]\nA = 'b'",
    ],
  ])("TOML: our own entry is changed in its place: %j", async (before, kept) => {
    const after = await withEntry(before, { ...wanted, client: clientOf("codex") }, "x");
    expect(after).toContain(kept);
    expect((parseToml(after) as Json).mcp_servers.toolwright).toMatchObject(entry);
    expect(after).toContain(tomlText(entry).trim());
    expect(after).not.toMatch(/bearer|'toolwright'|http_headers/);
  });

  test.each([
    ["codex", "mcp_servers = { other = { command = 'x' } }\n"],
    ["codex", "[[mcp_servers]]\na = 1\n"],
    ["codex", "[mcp_servers]\ntoolwright = { command = 'toolwright', args = ['serve'], note = 1 }\n"],
    ["cursor", '{ "mcpServers": null }'],
    ["cursor", '{ "mcpServers": [] }'],
    ["cursor", '{ "mcpServers": { "a": {} }, "mcpServers": { "b": {} } }'],
  ])("a form that cannot be changed safely is refused (%s): %j", async (id, before) => {
    await expect(withEntry(before, { ...wanted, client: clientOf(id) }, "the file")).rejects.toThrow(
      "the file holds mcp",
    );
  });

  test("a file of blanks or comments becomes a document after them", async () => {
    for (const before of ["", " \n", "// nothing yet\n", "/* a */"]) {
      const after = await withEntry(before, wanted, "x");
      expect(after.startsWith(before.trimEnd())).toBe(true);
      expect(JSON.stringify(parsed(after))).toBe(JSON.stringify({ mcpServers: { toolwright: entry } }));
    }
    expect(JSON.parse(await withEntry("", wanted, "x"))).toEqual({ mcpServers: { toolwright: entry } });
  });
});
