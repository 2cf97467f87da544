/**
 * The emitted validators of all tools of the corpora give the same results as Ajv with all its defaults that do not
 * throw: on examples of each schema and on seeded mutations of them. `SCALE=1` takes every tool.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { JsonSchema, Validator } from "toolwright/codegen";
import { afterAll, describe, expect, test } from "vitest";
import { dialectOf, withoutDialect } from "../../generator/core/dialect.js";
import { CORPORA, hasCorpora } from "../support/corpora.js";
import { buildProject } from "../support/generator-host.js";
import { instancesOf } from "../support/instances.js";
import { CHECKOUT, type Json } from "../support/project.js";
import { randomOf, runs, SCALE, shuffled } from "../support/random.js";

const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));
const FOLDER = join(CHECKOUT, ".cache", `test-verdicts.${process.pid}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));
const MUTATIONS = 40;

type Tool = Json & { readonly name: string; readonly inputSchema?: JsonSchema };

/** Pack to tools: a seeded share of each server's. */
function packs(): readonly (readonly [pack: string, tools: readonly Tool[]])[] {
  const files = [
    ...readdirSync(`${CORPORA}mcp`)
      .sort()
      .map((name) => `mcp/${name}`),
    "mcp-repo/github-mcp-server.json",
  ];
  const collection = parsed("mcp-repo/livemcpbench.json").servers;
  const all: readonly (readonly Tool[])[] = [
    ...files.map((path) => parsed(path).tools),
    ...collection.map((one: Json) => one.tools),
  ];
  return all.map((tools, i) => {
    const some = shuffled(tools, randomOf(runs(1).seed + i)).slice(0, Math.ceil(tools.length * Math.min(1, SCALE)));
    return [`s${i}`, some];
  });
}

/** Ajv as its documentation begins, with formats, in the dialect of a schema. */
function oracleOf(schema: JsonSchema): (value: unknown) => boolean {
  const classes = { "draft-07": Ajv, "2019-09": Ajv2019, "2020-12": Ajv2020 };
  const ajv = new classes[dialectOf(schema)]({ strict: false, allErrors: true, logger: false });
  formats.default(ajv as never);
  const validate = ajv.compile(withoutDialect(schema));
  return (value) => validate(value) === true;
}

async function validatorsOf(pack: string, text: string): Promise<Readonly<Record<string, Validator>>> {
  const file = join(FOLDER, `${pack}.js`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(file, text);
  return ((await import(/* @vite-ignore */ pathToFileURL(file).href)) as Json).validators;
}

/** A pack's tools, each with its emitted validator and the schema it was given. */
async function judged(pack: string, tools: readonly Tool[]) {
  const { registry, files, diagnostics } = await buildProject({
    [`${pack}.json`]: JSON.stringify({ tools }),
    "toolwright.yaml": `use: []\nsources: [{ mcp: ${pack}.json }]\n`,
  });
  expect(diagnostics.filter((one) => one.severity === "error")).toEqual([]);
  const validators = await validatorsOf(pack, files.find((one) => one.path === `validators/${pack}.js`)?.text ?? "");
  return (registry?.tools ?? []).map(({ op, tool_name }) => {
    const schema = tools.find((one) => one.name === tool_name)?.inputSchema ?? { type: "object" };
    return { name: `${op} (${tool_name})`, schema, validator: validators[op] };
  });
}

describe.skipIf(!hasCorpora)(hasCorpora ? `at scale ${SCALE}` : "../shared/corpora is not there", () => {
  test("emitted validators and Ajv give the same verdicts", { timeout: 900_000, tags: "slow" }, async () => {
    const random = randomOf(runs(1).seed);
    let tools = 0;
    const verdicts = { true: 0, false: 0 };
    const differ: string[] = [];
    for (const [pack, some] of packs())
      for (const { name, schema, validator } of await judged(pack, some)) {
        tools++;
        const oracle = oracleOf(schema);
        for (const value of instancesOf(schema, MUTATIONS, random)) {
          const verdict = oracle(value);
          verdicts[`${verdict}`]++;
          if (validator?.(value) !== verdict)
            differ.push(`${name}: Ajv ${verdict}, ${JSON.stringify(value).slice(0, 300)}`);
        }
      }
    console.log(`${tools} tools: ${verdicts.true} values taken, ${verdicts.false} refused, ${differ.length} differ`);
    expect(differ).toEqual([]);
    expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(10 * tools);
  });
});
