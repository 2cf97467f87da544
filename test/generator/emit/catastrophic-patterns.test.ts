/** No pattern of a schema takes long on any text: 200 patterns that make a backtracking matcher hang, each attacked. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Validator } from "toolwright/codegen";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildProject, errorsOf, jsonProject, tool } from "../../support/generator-host.js";
import { CHECKOUT } from "../../support/project.js";
import { SCALE } from "../../support/random.js";
import { threadMs } from "../../support/used.js";
import { CATASTROPHES } from "./catastrophic-patterns.js";

const LENGTH = 10_000;
const MAX_MS = 50;

/** One tool per pattern, which is used as `pattern` of a text and for the names of an object. */
const tools = CATASTROPHES.map(({ pattern }, i) =>
  tool(`set_a${i}`, {
    text: { type: "string", pattern },
    names: { type: "object", propertyNames: { pattern }, additionalProperties: true },
    members: { type: "object", patternProperties: { [pattern]: { type: "integer" } } },
  }),
);

/** Milliseconds of processor time, the best of some runs: the compiler of the engine adds to single ones. */
function fastest(run: () => void): number {
  const times = Array.from({ length: 4 }, () => {
    const before = threadMs();
    run();
    return threadMs() - before;
  });
  return Math.min(...times);
}

let validators: Readonly<Record<string, Validator>> = {};
let warnings: readonly string[] = [];

beforeAll(async () => {
  const { files, diagnostics } = await buildProject(jsonProject(tools));
  expect(errorsOf(diagnostics)).toEqual([]);
  warnings = diagnostics.filter(({ code }) => code === "pattern-unchecked").map(({ message }) => message);
  const folder = join(CHECKOUT, ".cache", "test-validators");
  const file = join(folder, `catastrophic.${process.pid}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, files.find((one) => one.path === "validators/p.js")?.text ?? "");
  ({ validators } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { validators: typeof validators });
  return () => rmSync(file);
}, 60_000);

describe("generated validators", () => {
  test("there are 200 patterns, all of which are checked", () => {
    expect(CATASTROPHES.length).toBeGreaterThanOrEqual(200);
    expect(warnings).toEqual([]);
    expect(Object.keys(validators).length).toBe(CATASTROPHES.length);
  });

  test.each(CATASTROPHES.map((one, i) => ({ ...one, i })).filter(({ i }) => SCALE >= 1 || i % 10 === 0))(
    `$pattern is done within ${MAX_MS} ms`,
    { timeout: 20_000 },
    ({ attack, i }) => {
      const validator = validators[`p.set_a${i}`];
      const text = attack(LENGTH);
      for (const args of [{ text }, { names: { [text]: 1 } }, { members: { [text]: 1 } }])
        expect(fastest(() => validator?.(args))).toBeLessThan(MAX_MS);
    },
  );

  test.each([
    ["^(a+)+$", "aaa", "aab"],
    ["^(.*,){3}x", "a,b,c,x", "a,b,x"],
    ["^(['\"])[^]*\\1$", "'it is'", "'it is\""],
    ["\\s*$", "", ""],
    ["^(?=.*\\d)(?=.*[a-z])\\S+$", "a1", "aa"],
  ])("%s has the answers of the engine", async (pattern, fits, differs) => {
    const { files } = await buildProject(jsonProject([tool("set_a", { text: { type: "string", pattern } })]));
    const folder = join(CHECKOUT, ".cache", "test-validators");
    const file = join(folder, `answers.${process.pid}.${Buffer.from(pattern).toString("hex")}.js`);
    writeFileSync(file, files.find((one) => one.path === "validators/p.js")?.text ?? "");
    onTestFinished(() => rmSync(file));
    const loaded = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as { validators: typeof validators };
    for (const text of [fits, differs])
      expect([text, loaded.validators["p.set_a"]?.({ text })]).toEqual([text, new RegExp(pattern, "u").test(text)]);
  });

  test("patterns that are linear stay plain regular expressions", async () => {
    const plain = tool("set_a", { text: { type: "string", pattern: "^[a-z]+(?:-[a-z]+)*$" } });
    const { files } = await buildProject(jsonProject([plain]));
    const text = files.find((one) => one.path === "validators/p.js")?.text;
    expect(text).toContain('new RegExp("^[a-z]+(?:-[a-z]+)*$", "u")');
    expect(text).not.toContain("boundedPattern");
  });

  test.each(["url", "uri", "email", "uri-reference", "uri-template", "hostname", "ipv6", "regex", "byte", "duration"])(
    "the format %s is done in time on the texts of every pattern",
    { tags: "full" },
    async (format) => {
      const { formats } = await import("toolwright/codegen");
      const check = formats[format] as RegExp | ((text: string) => boolean);
      const texts = ["http://", "a@", "{", "[", ""].flatMap((before) =>
        [":", "a.", "a", "%41", "@", "/", "-", "1:", "{a,", "A=", "(a", "1Y", "["].map(
          (pump) => before + pump.repeat(LENGTH / pump.length),
        ),
      );
      for (const text of texts)
        expect(
          fastest(() => void (check instanceof RegExp ? check.test(`${text}\n`) : check(`${text}\n`))),
        ).toBeLessThan(MAX_MS);
    },
  );
});
