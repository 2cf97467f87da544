/** Names of arguments that differ in signs only: exec, programs, help and emitted clients mean the same argument. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { safeName } from "../../../generator/core/names.js";
import { repairArguments } from "../../../runtime/call/arguments/repairs.js";
import { acceptedNames } from "../../../runtime/contract/accepted-names.js";
import { wholeHelp } from "../../../runtime/contract/help.js";
import { parameterFor } from "../../../runtime/run/call-arguments.js";
import { buildProject, type Project } from "../../support/generator-host.js";
import { runs } from "../../support/random.js";

/** Names from few words and many signs, so that most become the same. */
const NAMES = fc.uniqueArray(
  fc
    .tuple(
      fc.constantFrom("", "_", "__", "$", "1"),
      fc.constantFrom("from", "user", "a", "class", "x__a", "self", "arguments"),
      fc.constantFrom("", "-", "_", ".", " ", "__"),
      fc.constantFrom("", "id", "1", "_2", "2"),
      fc.constantFrom("", "_", "-", "__", "_2"),
    )
    .map((parts) => parts.join("")),
  { minLength: 1, maxLength: 8 },
);

const proxied = (sets: readonly (readonly string[])[]): Project => ({
  "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\nsurfaces: [python]\n",
  "servers/odd.json": JSON.stringify({
    tools: sets.map((names, at) => ({
      name: `tool_${at}`,
      description: "Gives back.",
      inputSchema: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
      },
    })),
  }),
});

test("each name means one argument, and a legal one itself", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(fc.array(NAMES, { minLength: 1, maxLength: 5 }), async (sets) => {
    const build = await buildProject(proxied(sets));
    const client = build.files.find(({ path }) => path.endsWith("client.py"))?.text ?? "";
    const { ops } = JSON.parse(build.files.find(({ path }) => path.endsWith("help/index.json"))?.text ?? "{}");
    for (const [at, names] of sets.entries()) {
      const tool = build.registry?.tools.find(({ tool_name }) => tool_name === `tool_${at}`);
      if (!tool) throw new Error(`no tool_${at}`);
      const { accepts } = acceptedNames(tool.parameters_schema);
      expect(tool.parameters.map(({ original }) => original)).toEqual(names);
      expect(new Set(tool.parameters.map(({ name }) => name)).size).toBe(names.length);
      expect(wholeHelp(ops[tool.op], tool).args.map(({ name }: { name: string }) => name)).toEqual(
        tool.parameters.map(({ name }) => name),
      );
      for (const { name, original } of tool.parameters) {
        expect(safeName(name)).toBe(name);
        if (safeName(original) === original) expect(name).toBe(original);
        for (const word of [name, original]) {
          expect(parameterFor(tool.parameters, word, accepts)?.original).toBe(original);
          expect(repairArguments(tool, { [word]: "x" }).args).toEqual({ [original]: "x" });
        }
        const own = /^__(?!.*__$)/.test(name) ? `x${name}_*` : name;
        expect(client).toMatch(
          new RegExp(`${JSON.stringify(original).replace(/^"|"$/g, "'").replace(/[$.]/g, "\\$&")}: ${own}[,}]`),
        );
      }
    }
  });
  await fc.assert(property, runs(300));
});
