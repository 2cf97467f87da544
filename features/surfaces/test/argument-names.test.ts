/** Names of arguments in the emitted Python client. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { buildProject } from "../../../test/support/generator-host.js";
import { ODD_NAMES, oddProject } from "../../../test/support/odd-names.js";
import { runs } from "../../../test/support/random.js";

test("each argument is sent under its own name, whichever names the others have", { timeout: 120_000 }, async () => {
  const property = fc.asyncProperty(fc.array(ODD_NAMES, { minLength: 1, maxLength: 5 }), async (sets) => {
    const build = await buildProject(oddProject(sets, "surfaces: [python]\n"));
    const client = build.files.find(({ path }) => path.endsWith("client.py"))?.text ?? "";
    for (const { parameters } of build.registry?.tools ?? [])
      for (const { name, original } of parameters) {
        const own = /^__(?!.*__$)/.test(name) ? `x${name}_*` : name;
        expect(client).toMatch(
          new RegExp(`${JSON.stringify(original).replace(/^"|"$/g, "'").replace(/[$.]/g, "\\$&")}: ${own}[,}]`),
        );
      }
    expect(build.registry?.tools).toHaveLength(sets.length);
  });
  await fc.assert(property, runs(300));
});
