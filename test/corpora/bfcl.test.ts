/** Foreign input: every case file of BFCL builds, and its ground-truth calls are accepted. `SCALE=1` takes all cases. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Validator } from "toolwright/codegen";
import { afterAll, describe, expect, test } from "vitest";
import type { Registry } from "../../runtime/contract/registry.js";
import { type Case, callOf, caseFiles, casesOf, hasCorpus, toolName, toolsOf } from "../support/generator-bfcl.js";
import { buildProject, errorsOf, jsonProject } from "../support/generator-host.js";
import { CHECKOUT } from "../support/project.js";
import { randomOf, runs, SCALE, shuffled } from "../support/random.js";

/** Python's types are the ones that the corpus' words come from; calls of the JavaScript file hold source text for values. */
const isPython = (file: string): boolean =>
  !file.includes("javascript") && casesOf(file).some((one) => one.ground_truth !== null);
const BOUND = 0.995;
const FOLDER = join(CHECKOUT, ".cache", `test-bfcl.${process.pid}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** All cases at full size, else a seeded sample that is never too small to say something. */
function sampleOf(file: string): readonly Case[] {
  const cases = casesOf(file);
  const count = Math.max(Math.ceil(cases.length * Math.min(1, SCALE)), Math.min(16, cases.length));
  const chosen = new Set(shuffled(cases, randomOf(runs(1).seed)).slice(0, count));
  return cases.filter((one) => chosen.has(one));
}

interface Built {
  readonly cases: readonly Case[];
  readonly registry: Registry;
  readonly validators: Readonly<Record<string, Validator>>;
}

const builds = new Map<string, Promise<Built>>();

/** One registry a file, its generated validators loaded as the runtime does; made once. */
function builtFrom(file: string): Promise<Built> {
  const known = builds.get(file) ?? build(file);
  builds.set(file, known);
  return known;
}

async function build(file: string): Promise<Built> {
  const cases = sampleOf(file);
  const { registry, files, diagnostics } = await buildProject(jsonProject(toolsOf(cases)));
  if (!registry) throw new Error(errorsOf(diagnostics).join("\n"));
  const path = join(FOLDER, `${file}.js`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, files.find((one) => one.path === "validators/p.js")?.text ?? "");
  const { validators } = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as {
    validators: Built["validators"];
  };
  return { cases, registry, validators };
}

describe.skipIf(!hasCorpus)(hasCorpus ? `at scale ${SCALE}` : "../shared/corpora/bfcl is not there", () => {
  test.each(caseFiles())("%s builds without an error, one op a function", { tags: "full" }, async (file) => {
    const { cases, registry, validators } = await builtFrom(file);
    const names = cases.flatMap(({ id, function: functions }) => functions.map(({ name }) => toolName(id, name)));
    expect(registry.tools.map((one) => one.tool_name).sort()).toEqual([...names].sort());
    expect(Object.keys(validators)).toEqual(registry.tools.map((one) => one.op));
  });

  test.each(caseFiles().filter(isPython))(
    `at least ${100 * BOUND} per cent of the ground-truth calls of %s are accepted`,
    async (file) => {
      const { cases, registry, validators } = await builtFrom(file);
      const tools = new Map(registry.tools.map((one) => [one.tool_name, one]));
      const calls = cases.flatMap(({ id, ground_truth: truth }) =>
        (truth ?? []).flatMap((call) =>
          Object.entries(call).map(([name, args]) => {
            const one = tools.get(toolName(id, name));
            return { id, op: one?.op ?? "", args: callOf(args, one?.parameters_schema) };
          }),
        ),
      );
      const refused = calls.flatMap(({ id, op, args }) => {
        const validator = validators[op];
        if (validator?.(args)) return [];
        return [`${id}: ${(validator?.errors ?? []).map((one) => `${one.instancePath} ${one.keyword}`).join(", ")}`];
      });
      console.log(
        `${file}: ${calls.length - refused.length} of ${calls.length} calls accepted${refused.map((line) => `\n  ${line}`).join("")}`,
      );
      // A sample is so small that the one call which contradicts its own schema would be over the bound.
      expect(refused.length).toBeLessThanOrEqual(Math.max(1, Math.floor((1 - BOUND) * calls.length)));
    },
  );
});
