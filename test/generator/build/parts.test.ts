/** A program in several CommonJS files: its chunks export what the modules export, also once that changes. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { inParts } from "../../../generator/build/parts.mjs";
import { temporaryFolder } from "../../support/project.js";

/** Each name changes in another way after its module has run, and `fixed` in none. */
const SHARED = `
export let assigned = 0, added = 0, counted = 0, lowered = 0, before = 0, shifted = 8, defaulted, walked = 0, named = 0;
export let [declared, swapped] = [0, 0];
export let inArray = 0, beside = 0, inObject = 0, nested = 0, inLoop = 0;
export const fixed = Math.sqrt(81);
export function hoisted() { return fixed; }
export { fixed as "with-dash" };
export function change() {
  assigned = 1;
  added += 1;
  counted++;
  lowered--;
  ++before;
  shifted >>>= 2;
  defaulted ??= 1;
  for (walked of [1]);
  for (named in { one: 1 });
  swapped = 1;
  declared = 1;
  [inArray, beside = Math.max(1, 0)] = [1];
  for ([inLoop] of [[1]]);
  ({ inObject, at: [nested] } = { inObject: 1, at: [1] });
}
`;
const CHANGED = {
  ...{ assigned: 1, added: 1, counted: 1, lowered: -1, before: 1, shifted: 2, defaulted: 1, walked: 1, named: "one" },
  ...{ declared: 1, swapped: 1, inArray: 1, beside: 1, inLoop: 1, inObject: 1, nested: 1, fixed: 9 },
};
const NAMES = Object.keys(CHANGED);

/** Modules by name; \`other\` and \`late\` are imported by import(), so that \`shared\` gets a chunk of its own. */
const MODULES = {
  program: `import { change, hoisted, ${NAMES.join(", ")} } from "./shared.js";
export { change, hoisted };
export const seen = () => ({ ${NAMES.join(", ")} });
export const other = () => import("./other.js");
export const late = () => import("./late.js");`,
  other: `import * as shared from "./shared.js";
import { "with-dash" as dashed } from "./shared.js";
export { change } from "./shared.js";
export const seen = () => ({ ${NAMES.map((name) => `${name}: shared.${name}`).join(", ")} });
export { dashed };`,
  late: `import { fixed } from "./shared.js";
export default fixed;`,
  shared: SHARED,
};

async function partsOf(modules: Readonly<Record<string, string>>): Promise<Map<string, string>> {
  const root = temporaryFolder();
  mkdirSync(join(root, "src"));
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(root, "src", `${name}.js`), text);
  const built = await build({
    ...{
      absWorkingDir: root,
      entryPoints: ["src/program.js"],
      outdir: join(root, "out"),
      bundle: true,
      splitting: true,
    },
    ...{ format: "esm", platform: "node", outExtension: { ".js": ".mjs" }, write: false, metafile: true },
  });
  const files = { "program.cjs": ["src/program.js"], "other.cjs": ["src/other.js"], "rest.cjs": [] };
  return new Map(await inParts(built, files, ""));
}

/** Loads the first file as the launcher does. */
function loaded(parts: ReadonlyMap<string, string>, exports: object = {}) {
  const part = (file: string): unknown => evaluated(parts.get(file) ?? "", {});
  const evaluated = (text: string, module: object) => {
    const made = { exports, part, ...module };
    new Function("exports", "require", "module", text)(made.exports, () => undefined, made);
    return made.exports as unknown;
  };
  // biome-ignore lint/suspicious/noExplicitAny: modules of the test.
  return evaluated(parts.get("program.cjs") ?? "", {}) as any;
}

describe("inParts", () => {
  test("importers see what is assigned after a module has run", async () => {
    const program = loaded(await partsOf(MODULES));
    const other = await program.other();
    expect(program.seen()).toMatchObject({ assigned: 0, shifted: 8, fixed: 9 });
    expect(other.seen()).toEqual(program.seen());
    other.change();
    expect(program.seen()).toEqual(CHANGED);
    expect(other.seen()).toEqual(CHANGED);
    expect([program.hoisted(), other.dashed, (await program.late()).default]).toEqual([9, 9, 9]);
  });

  test("what does not change is exported as a value, without a getter", async () => {
    const parts = await partsOf(MODULES);
    const text = [...parts.values()].join("\n");
    expect(text).toMatch(/get assigned\(\)/);
    for (const name of NAMES) expect([name, text.includes(`get ${name}()`)]).toEqual([name, name !== "fixed"]);
    expect(text).not.toMatch(/get (?:fixed|hoisted|change)\(\)\{return (?:fixed|hoisted|change)\}/);
  });

  test("modules that import each other over chunks still find each other", async () => {
    const program = loaded(
      await partsOf({
        program: `import { a } from "./a.js";
export const first = a;
export const other = () => import("./other.js");
export const left = () => import("./a.js");
export const right = () => import("./b.js");`,
        other: `import { b } from "./b.js"; export const second = b;`,
        a: `import { b } from "./b.js"; export function a() { return "a"; } export const fromB = () => b();`,
        b: `import { a } from "./a.js"; export function b() { return "b" + a(); }`,
      }),
    );
    expect([program.first(), (await program.other()).second(), (await program.left()).fromB()]).toEqual([
      "a",
      "ba",
      "ba",
    ]);
  });
});
