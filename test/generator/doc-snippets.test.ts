/** Snippets of the README and `docs/`: command lines are taken by the command line, configuration by its schema, JSON by a parser. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import formats from "ajv-formats";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { FEATURES } from "../../features/list.js";
import { commandLine } from "../../generator/cli/command-line.js";
import type { Actions } from "../../generator/cli/commands.js";
import { editorSchema } from "../../generator/config/editor-schema.js";
import { type Block, docBlocks } from "../support/doc-blocks.js";
import { docPages, pageText } from "../support/doc-pages.js";
import { ADDED_COMMANDS } from "../support/feature-commands.js";
import { CHECKOUT } from "../support/project.js";

const snippets = docBlocks();

/** Words of a command, without quotes, up to a comment or a redirection; a quote that another line ends goes to the end of this one. */
const words = (line: string): readonly string[] =>
  [...(line.split(/ +#|(?:^| )[<>] /)[0] ?? "").matchAll(/(?:"[^"]*"?|'[^']*'?|[^\s"'])+/g)].map(([word]) =>
    word.replace(/["']/g, ""),
  );

/** Commands of `toolwright` in a snippet, however it is called. */
const calls = ({ page, text }: Block) =>
  [...text.matchAll(/^(?:\$ )?(?:\w+="[^"]*" )?(?:npm (?:exec --no|run --silent) (?:-- )?)?toolwright (.*)$/gm)].map(
    ([, line = ""]) => ({ page, args: words(line) }),
  );

test("every command in docs/ is one that the command line takes", async () => {
  const actions = new Proxy({}, { get: () => async () => 0 }) as Actions;
  const found = snippets.filter(({ language }) => ["", "sh", "console"].includes(language)).flatMap(calls);
  expect(found.length).toBeGreaterThan(20);
  const before = process.exitCode;
  const faults: string[] = [];
  for (const { page, args } of found) {
    const program = commandLine("toolwright", "", actions, ADDED_COMMANDS);
    for (const one of [program, ...program.commands, ...program.commands.flatMap((group) => group.commands)])
      one.configureOutput({ writeErr: () => {} });
    await program.parseAsync([...args], { from: "user" }).catch((error: Error) => {
      faults.push(`${page}: toolwright ${args.join(" ")}: ${error.message}`);
    });
  }
  process.exitCode = before;
  expect(faults).toEqual([]);
});

test("every script in docs/ is one of package.json", () => {
  const { scripts } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  const named = docPages().flatMap((page) =>
    [...pageText(page).matchAll(/npm (?:run (?:--silent )?([\w:]+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own,
    ),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([]);
});

test("every piece of toolwright.yaml in docs/ fits the schema of the configuration", () => {
  const { required: _, ...schema } = editorSchema(FEATURES);
  const validate = formats.default(new Ajv({ allErrors: true, strict: false })).compile(schema);
  const pieces = snippets.filter(({ language, text }) => language === "yaml" && !/^# definitions\/(?!tool)/.test(text));
  const parsed = pieces.map(({ page, text }) => ({ page, value: parse(text) })).filter(({ value }) => value !== null);
  expect(parsed.length).toBeGreaterThan(6);
  const faults = parsed.flatMap(({ page, value }) =>
    validate(value) ? [] : [{ page, value, errors: validate.errors }],
  );
  expect(faults).toEqual([]);
});

test("all JSON in docs/ that is not abridged parses", () => {
  const whole = snippets.filter(({ language, text }) => language === "json" && !/…[,\s}\]]|^\/\//m.test(text));
  // A value over several lines begins with a bare bracket; otherwise each line is one.
  const lines = whole.flatMap(({ text }) =>
    /^[{[]$/m.test(text.split("\n")[0] ?? "") ? [text] : text.trim().split("\n"),
  );
  expect(lines.length).toBeGreaterThan(1);
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
});
