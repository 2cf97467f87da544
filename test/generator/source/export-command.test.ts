/** Tools that code makes are refused with a command that exports them as JSON; here it is run, and what it writes is read. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { buildProject } from "../../support/generator-host.js";

const folder = mkdtempSync(join(tmpdir(), "export-command-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FLAT = (name: string) => `{ type: "function", name: "${name}", description: "It.", parameters: {} }`;
const BEFORE = `export const OTHER = 7;\nexport function other() { return OTHER; }\n`;

async function built(file: string, text: string) {
  const { registry, diagnostics } = await buildProject({
    "toolwright.yaml": `use: []\nsources: [{ chat-tools: "${file}", pack: p, kind: read }]\n`,
    [file]: text,
  });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  return { tools: (registry?.tools ?? []).map((one) => one.tool_name), errors };
}

/** Runs the command that a refusal prints, in a project of its own. */
function ran(name: string, file: string, text: string, command: string, manifest: object | undefined): string {
  const root = join(folder, name);
  mkdirSync(join(root, "definitions"), { recursive: true });
  symlinkSync(join(process.cwd(), "node_modules"), join(root, "node_modules"));
  if (manifest) writeFileSync(join(root, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(root, "definitions", file), text);
  execFileSync("sh", ["-c", command.replace("npx tsx", join(process.cwd(), "node_modules/.bin/tsx"))], { cwd: root });
  return readFileSync(join(root, "definitions", file.replace(".ts", ".json")), "utf8");
}

const FORMS: readonly (readonly [string, string])[] = [
  ["a function", `export function make() { const all = [${FLAT("get_a")}]; return all; }`],
  ["an async function", `export async function make() { const all = [${FLAT("get_a")}]; return all; }`],
  [
    "a promise",
    `export const make = (): Promise<object[]> => { const all = [${FLAT("get_a")}]; return Promise.resolve(all); };`,
  ],
  ["push", `export const list: object[] = [];\nlist.push(${FLAT("get_a")});`],
  [
    "map",
    `export const list = ["get_a"].map((name) => ({ type: "function", name, description: "It.", parameters: {} }));`,
  ],
  ["another name", `const made: object[] = [];\nmade.push(${FLAT("get_a")});\nexport { made as "the tools" };`],
  ["a default export", `const made: object[] = [];\nmade.push(${FLAT("get_a")});\nexport default made;`],
  ["a class", `export class Tools { list = [${FLAT("get_a")}]; }`],
];

/** Forms that are tried without the tag `slow`. */
const QUICK: ReadonlySet<string> = new Set(["an async function", "push", "map"]);

describe.each([
  ["without package.json", undefined],
  ["ESM", { type: "module" }],
  ["CommonJS", { type: "commonjs" }],
])("the printed command exports what was refused: %s", (kind, manifest) => {
  const tags = manifest ? "slow" : [];
  test.each(FORMS.filter(([form]) => manifest || QUICK.has(form)))(
    "the file that it writes has the tools: %s",
    { tags },
    async (form, text) => {
      const file = form === "push" ? "my tools' list.ts" : "t.ts";
      const refused = await built(file, BEFORE + text);
      expect(refused.errors.map(({ code }) => code)).toEqual(["unsupported-expression"]);
      const [, command = ""] = refused.errors[0]?.fix.split("under `sources`: ") ?? [];
      const json = ran(`${kind} ${form}`, file, BEFORE + text, command, manifest);
      expect(await built("t.json", json)).toEqual({ tools: ["get_a"], errors: [] });
    },
  );
});
