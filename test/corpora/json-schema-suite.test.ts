/**
 * Runs the JSON Schema Test Suite, draft-07 and 2020-12 with optional parts: printed validators against Ajv and against
 * the suite.
 *
 * `json-schema-failures.json` lists known failures with the reason, by file: a new failure fails the run, and so does
 * an entry that passes. `UPDATE=1` rewrites the names; reasons are written by hand. The rule that a tool's input is an
 * object at its root has precedence over the suite.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { JsonSchema, Validator } from "toolwright/codegen";
import { afterAll, describe, expect, test } from "vitest";
import { type Compiled, loadCompiler } from "../../generator/core/compile.js";
import { strangeDialect, withoutDialect } from "../../generator/core/dialect.js";
import { unsureKeywords } from "../../generator/core/unsure.js";
import type { EmitContext } from "../../generator/emit/emitter.js";
import { validators } from "../../generator/emit/validators.js";
import type { Registry } from "../../runtime/contract/registry.js";
import { CHECKOUT } from "../support/project.js";

const SUITE = fileURLToPath(new URL("../../../shared/corpora/json-schema-test-suite/", import.meta.url));
const here = existsSync(SUITE);
const FAILURES = fileURLToPath(new URL("json-schema-failures.json", import.meta.url));
const FOLDER = join(CHECKOUT, ".cache", `test-suite.${process.pid}`);
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const DRAFTS = {
  draft7: { uri: "http://json-schema.org/draft-07/schema#", ajv: Ajv },
  "draft2020-12": { uri: "https://json-schema.org/draft/2020-12/schema", ajv: Ajv2020 },
} as const;
type Draft = keyof typeof DRAFTS;

interface Group {
  readonly file: string;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

/** By file: why, and which. */
type Failures = Readonly<Record<string, { readonly because: string; readonly failures: readonly string[] }>>;
const listed = JSON.parse(readFileSync(FAILURES, "utf8")) as Readonly<Record<Draft, Failures>>;

function groupsOf(draft: Draft): readonly Group[] {
  const files = readdirSync(SUITE + draft, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".json"),
  );
  return files.sort().flatMap((file) => {
    const groups = JSON.parse(readFileSync(join(SUITE, draft, file), "utf8")) as readonly Group[];
    return groups.map((group) => ({ ...group, file, schema: schemaOf(group.schema, draft) }));
  });
}

/** In its dialect, and no bare `true` or `false`, which no tool has. */
const schemaOf = (schema: JsonSchema | boolean, draft: Draft): JsonSchema => ({
  $schema: DRAFTS[draft].uri,
  ...(typeof schema === "boolean" ? { allOf: [schema] } : schema),
});

/** The validators of all groups that compile, printed and loaded as those of a pack are. */
async function printed(draft: Draft, groups: readonly Group[]): Promise<Readonly<Record<string, Validator>>> {
  const compiler = await loadCompiler();
  const compiled = new Map<string, Compiled>();
  groups.forEach(({ schema }, i) => {
    const one = attempt(() => compiler.compile(schema));
    if (one) compiled.set(`suite.g${i}`, one);
  });
  const tools = [...compiled.keys()].map((op) => ({
    op,
    group: "suite",
    source: { kind: "local", file: "suite.json" },
  }));
  const registry = { tools, packs: [{ name: "suite" }] } as unknown as Registry;
  const files = await validators.emit(registry, { compiled } as unknown as EmitContext);
  const path = join(FOLDER, `${draft}.js`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(path, files.find((one) => one.path === "validators/suite.js")?.text ?? "");
  return ((await import(/* @vite-ignore */ pathToFileURL(path).href)) as { validators: Record<string, Validator> })
    .validators;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/**
 * Ajv as its documentation begins, with formats, and asked for own properties: else it refuses `{}` where a schema names
 * `constructor`, which printed validators do not.
 */
function oraclesOf(draft: Draft): (schema: JsonSchema) => ((value: unknown) => boolean) | undefined {
  const options = { strict: false, allErrors: true, ownProperties: true, addUsedSchema: false, logger: false } as const;
  const ajv = new DRAFTS[draft].ajv(options);
  formats.default(ajv as never);
  return (schema) => {
    const validate = attempt(() => ajv.compile(withoutDialect(schema)));
    return validate && ((value) => validate(value) === true);
  };
}

interface Result {
  readonly file: string;
  readonly name: string;
  /** Whether a diagnostic says that verdicts may differ, or nothing is generated. */
  readonly said: boolean;
  /** Undefined where the schema does not compile, or the validator throws. */
  readonly ours: boolean | undefined;
  readonly ajv: boolean | undefined;
  readonly valid: boolean;
}

async function resultsOf(draft: Draft): Promise<readonly Result[]> {
  const groups = groupsOf(draft);
  const ours = await printed(draft, groups);
  const oracleOf = oraclesOf(draft);
  return groups.flatMap(({ file, description, schema, tests }, i) => {
    const [validator, oracle] = [ours[`suite.g${i}`], oracleOf(schema)];
    const said = !validator || unsureKeywords(schema).length > 0 || strangeDialect(schema) !== undefined;
    return tests.map((one) => ({
      file,
      name: `${description}: ${one.description}`,
      said,
      ours: attempt(() => validator?.(one.data)),
      ajv: attempt(() => oracle?.(one.data)),
      valid: one.valid,
    }));
  });
}

function failuresOf(results: readonly Result[], known: Failures): Failures {
  const failed = results.filter((one) => one.ours !== one.valid);
  const files = [...new Set(failed.map((one) => one.file))];
  return Object.fromEntries(
    files.map((file) => [
      file,
      {
        because: known[file]?.because ?? "",
        failures: failed.filter((one) => one.file === file).map((one) => one.name),
      },
    ]),
  );
}

const results: Partial<Record<Draft, Promise<readonly Result[]>>> = {};
const cached = (draft: Draft): Promise<readonly Result[]> => {
  results[draft] ??= resultsOf(draft);
  return results[draft];
};

describe.skipIf(!here)(here ? "JSON Schema Test Suite" : "../shared/corpora is not there", () => {
  test.each(["draft7", "draft2020-12"] as const)(
    "%s: the verdict is Ajv's, or else the suite's",
    { tags: "full" },
    async (draft) => {
      const differ = (await cached(draft)).filter((one) => one.ours !== undefined && one.ours !== one.ajv);
      expect(differ.filter((one) => one.ours !== one.valid)).toEqual([]);
    },
  );

  test.each(["draft7", "draft2020-12"] as const)(
    "%s: fails in what is listed, and in nothing else",
    { tags: "full" },
    async (draft) => {
      const all = await cached(draft);
      const failures = failuresOf(all, listed[draft]);
      const count = Object.values(failures).reduce((sum, one) => sum + one.failures.length, 0);
      console.log(`${draft}: ${all.length - count} of ${all.length} as the suite says`);
      if (process.env["UPDATE"] === "1") {
        const now = JSON.parse(readFileSync(FAILURES, "utf8"));
        writeFileSync(FAILURES, `${JSON.stringify({ ...now, [draft]: failures }, null, 2)}\n`);
      }
      expect(failures).toEqual(listed[draft]);
      for (const [file, { because }] of Object.entries(listed[draft])) expect(because, file).not.toBe("");
    },
  );

  test.each(["draft7", "draft2020-12"] as const)(
    "%s: a wrong verdict of a required keyword is said",
    { tags: "slow" },
    async (draft) => {
      // Formats are checked in every dialect: a documented choice.
      const required = (await cached(draft)).filter((one) => !/^optional\/|^format\.json/.test(one.file));
      const wrong = required.filter((one) => one.ours !== one.valid);
      expect(wrong.filter((one) => !one.said)).toEqual([]);
      // The diagnostic stays rare: it would say nothing if every schema had it.
      const right = required.filter((one) => one.ours === one.valid);
      const cautious = right.filter((one) => one.said);
      console.log(`${draft}: ${wrong.length} wrong and said, ${cautious.length} of ${right.length} right ones said`);
      expect(cautious.length).toBeLessThan(right.length / 10);
    },
  );
});
