/** Names of arguments that differ in signs only: exec, programs and help mean the same argument. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { safeName } from "../../../generator/core/names.js";
import { repairArguments } from "../../../runtime/call/arguments/repairs.js";
import { acceptedNames } from "../../../runtime/contract/accepted-names.js";
import { wholeHelp } from "../../../runtime/contract/help.js";
import { parameterFor } from "../../../runtime/run/call-arguments.js";
import { buildProject } from "../../support/generator-host.js";
import { ODD_NAMES, oddProject } from "../../support/odd-names.js";
import { runs } from "../../support/random.js";

test("each name means one argument, and a legal one itself", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(fc.array(ODD_NAMES, { minLength: 1, maxLength: 5 }), async (sets) => {
    const build = await buildProject(oddProject(sets));
    const { ops } = JSON.parse(build.files.find(({ path }) => path.endsWith("help/index.json"))?.text ?? "{}");
    for (const [at, names] of sets.entries()) {
      const tool = build.registry?.tools.find(({ tool_name }) => tool_name === `tool_${at}`);
      if (!tool) throw new Error(`no tool_${at}`);
      const { accepts } = acceptedNames(tool.parameters_schema);
      expect(tool.parameters.map(({ original }) => original)).toEqual(names);
      expect(new Set(tool.parameters.map(({ name }) => name)).size).toBe(names.length);
      // Help names them as calls do, and programs as legal names.
      expect(wholeHelp(ops[tool.op], tool).args.map(({ name }: { name: string }) => name)).toEqual(names);
      for (const { name, original } of tool.parameters) {
        expect(safeName(name)).toBe(name);
        if (safeName(original) === original) expect(name).toBe(original);
        for (const word of [name, original]) {
          expect(parameterFor(tool.parameters, word, accepts)?.original).toBe(original);
          expect(repairArguments(tool, { [word]: "x" }).args).toEqual({ [original]: "x" });
        }
      }
    }
  });
  await fc.assert(property, runs(300));
});
