/** `toolwright.yaml` as `add` and `remove` edit it: the values that were asked for, and the rest of the text as it was. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { withoutServer, withServers } from "../../../generator/cli/servers-text.js";
import { runs } from "../../support/random.js";

const DOCS = { type: "http", url: "https://a.example/mcp" } as const;
const SOURCE = { mcp: "servers/*.json" };
const ODD = `# My project.
use: [ ot ]   # help only

sources:
    # function tools
    - { functions: sums.ts }   # own


servers:   # upstream
    files: { command: npx, args: [ "-y", 'x' ] }   # the first
    # before the second
    notes:
        command:   "notes"
# the end
`;

describe("an edit changes its lines only", () => {
  test("a server and a source are added", async () => {
    const text = await withServers(ODD, { servers: { docs: DOCS }, source: SOURCE });
    expect(parse(text)).toEqual({
      ...parse(ODD),
      sources: [{ functions: "sums.ts" }, SOURCE],
      servers: { ...parse(ODD).servers, docs: DOCS },
    });
    const lines = text.split("\n");
    expect(ODD.split("\n").filter((line) => !lines.includes(line))).toEqual([]);
    expect(lines.length - ODD.split("\n").length).toBe(4);
  });

  test("sections differ in their indents", async () => {
    const before =
      'aliases:\n    plus:   sums.add     # short\nsources: []\nservers:\n  notes: { command: "notes" }   # ours\n';
    const after = await withServers(before, { servers: { docs: DOCS } });
    expect(after).toBe(`${before}  docs:\n    type: http\n    url: https://a.example/mcp\n`);
  });

  test("a server is taken out, and a source that reads nothing more", async () => {
    const text = await withoutServer(ODD, "notes", ({ functions }) => functions !== undefined);
    expect(parse(text)).toEqual({ use: ["ot"], sources: [], servers: { files: parse(ODD).servers.files } });
    for (const line of ["# My project.", "use: [ ot ]   # help only", "servers:   # upstream"])
      expect(text).toContain(`${line}\n`);
    expect(await withoutServer("servers: { a: { command: x } }\nuse: [ot]\n", "a", () => false)).toBe("use: [ot]\n");
  });

  test.each([
    ["an empty file", ""],
    ["comments only", "# mine\n"],
    ["keys without values", "servers:\nsources:\n"],
    ["in braces", "{ servers: {}, sources: [] }\n"],
    ["without a line end", "use: [ot]"],
    ["line ends of Windows, and a mark", "\ufeffuse: [ot] # mine\r\nservers:\r\n  a: { command: x }\r\n"],
  ])("a server and its source are added to a file, and the rest of it stays: %s", async (_, before) => {
    const text = await withServers(before, { servers: { docs: DOCS }, source: SOURCE });
    const old = parse(before.replace("\ufeff", "")) ?? {};
    expect(parse(text.replace("\ufeff", ""))).toEqual({
      ...old,
      servers: { ...old.servers, docs: DOCS },
      sources: [SOURCE],
    });
    expect(text.startsWith("\ufeff")).toBe(before.startsWith("\ufeff"));
    expect(/[^\r]\n/.test(text)).toBe(!before.includes("\r\n"));
    for (const comment of before.match(/#.*/g) ?? []) expect(text).toContain(comment.trim());
  });

  test("a text that is no YAML is refused", async () => {
    await expect(withServers("a: [", { servers: { docs: DOCS } })).rejects.toThrow(/no YAML that can be edited/);
  });

  test("adding and taking out gives the values from before, whatever they are", async () => {
    const word = fc.stringMatching(/^[a-z]{1,8}$/);
    const entry = fc.record({ command: fc.string({ minLength: 1 }), args: fc.array(fc.string()) });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(word, entry), fc.constantFrom(2, 4), entry, async (servers, indent, one) => {
        const before = stringify({ use: ["ot"], servers, budget: { tool: 1 } }, { indent });
        const text = await withServers(before, { servers: { "own-1": one } });
        expect(parse(text).servers).toEqual({ ...servers, "own-1": one });
        const { servers: rest = {}, ...others } = parse(await withoutServer(text, "own-1", () => false));
        expect([rest, others]).toEqual([servers, { use: ["ot"], budget: { tool: 1 } }]);
      }),
      runs(200),
    );
  });
});
