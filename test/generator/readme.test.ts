/** What the README and `docs/` say that the code says too: tables made by machine, token figures, limits, variables, exit codes. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commandLine } from "../../generator/cli/command-line.js";
import type { Actions } from "../../generator/cli/commands.js";
import type { Budget } from "../../generator/emit/budget.js";
import { judgedInSteps } from "../../runtime/contract/bounded-validation.js";
import { MESSAGE_BOUNDS, UPSTREAM_BOUNDS } from "../../runtime/contract/json-survey.js";
import { MAX_UNKNOWN } from "../../runtime/contract/request-fields.js";
import { MAX_FEATURE_KEYS, MAX_FEATURES } from "../../runtime/contract/settings/feature-settings.js";
import { ANSWER_BYTES } from "../../runtime/contract/settings/servers.js";
import type { Validator } from "../../runtime/contract/validation.js";
import { MAX_WORK, withBudget } from "../../runtime/contract/work-budget.js";
import { PLUGIN_LIMITS } from "../../runtime/gateway/plugin-features.js";
import { acceptedTable, readAccepted } from "../bench/accepted.js";
import { expectPart, pageText, section } from "../support/doc-pages.js";
import { ADDED_COMMANDS } from "../support/feature-commands.js";
import { filesOf } from "../support/imports.js";
import { CHECKOUT } from "../support/project.js";
import { HTTP_LIMITS, LIMITS, SOCKET_LIMITS } from "../support/setting-limits.js";
import { constantIn } from "../support/source-constants.js";
import { breakingTable, commands, commandsText, configurationTable, diagnosticsTable } from "./reference-tables.js";

describe("tables that are made from the code; UPDATE=1 rewrites them", () => {
  test("diagnostics", () => {
    expectPart("docs/reference/diagnostics.md", "rules", diagnosticsTable());
  });

  test("breaking rules", () => {
    expectPart("docs/reference/breaking-rules.md", "breaking rules", breakingTable());
  });

  test("flags of the commands", () => {
    expectPart("docs/reference/command-line.md", "commands", `\n${commandsText()}\n`);
  });

  test("keys of the configuration", () => {
    const table = configurationTable();
    expect(table.split("\n").filter((row) => row.endsWith("|  |"))).toEqual([]);
    expectPart("docs/reference/configuration.md", "configuration", table);
  });

  test("the accepted bench", () => {
    const run = readAccepted();
    if (run) expectPart("docs/performance.md", "bench", acceptedTable(run));
  });
});

test("the README's token figures are those of budget.json", () => {
  const { exposed }: Budget = JSON.parse(readFileSync(join(CHECKOUT, "generated/budget.json"), "utf8"));
  const text = pageText("README.md");
  expect(text).toContain(`(${exposed.all_tools.toLocaleString("en-US")} tokens here)`);
  expect(text).toContain(`(${exposed.gateway} tokens)`);
  expect(text).toContain(`(${exposed.signatures.toLocaleString("en-US")} tokens;`);
});

test("the README has at most 200 lines", () => {
  expect(pageText("README.md").split("\n").length).toBeLessThanOrEqual(201);
});

/** Default and maximum by name, from the rows of a table whose first cell names limits in code marks. */
function limitsIn(text: string): Readonly<Record<string, readonly (number | undefined)[]>> {
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const said = rows.flatMap((row) => {
    const [names = "", presets = "", ceilings = ""] = row.slice(2, -2).split(" | ");
    const [defaults, most] = [presets, ceilings].map((cell) => cell.split(", ").map(Number));
    const of = names === "`limits`" || names.startsWith("`limits.") ? [] : [...names.matchAll(/`(\w+)`/g)];
    return of.map(([, name = ""], i) => [name, [defaults?.[i], most?.[i]]] as const);
  });
  return Object.fromEntries(said);
}

test("the limits in docs/ are those of the code: names, defaults and maxima", () => {
  const page = pageText("docs/reference/limits.md");
  expect(limitsIn(section(page, "Limits of calls and runs"))).toEqual(LIMITS);
  expect(limitsIn(section(page, "Limits of HTTP"))).toEqual(HTTP_LIMITS);
  expect(limitsIn(section(page, "Limits of the socket"))).toEqual(SOCKET_LIMITS);
  const http = Object.entries(HTTP_LIMITS).map(([name, [preset]]) => `${name}: ${preset}`);
  expect(pageText("docs/deploying.md")).toContain(`limits: { http: { ${http.join(", ")} } }`);
});

/** The numbers in the rows of `Fixed limits`, in the order of the page, each as the code has it. */
function fixedLimits(): readonly (readonly number[])[] {
  const from = (file: string) => (name: string) => constantIn(file, name);
  const digits = constantIn("runtime/contract/json-survey.ts", "MAX_DIGITS");
  const backtrack = from("runtime/contract/pattern/backtrack.ts");
  const branch = from("runtime/call/arguments/branch.ts");
  const equal = from("runtime/contract/equal-values.ts");
  const bounded = from("runtime/contract/bounded-validation.ts");
  const schema = from("generator/core/bounded-schema.ts");
  const yaml = from("generator/core/yaml-text.ts");
  const issues = constantIn("runtime/call/prepare.ts", "MAX_ISSUES");
  const perUnit = [backtrack("STEPS_PER_UNIT"), 1, constantIn("runtime/contract/closest.ts", "PAIRS_PER_UNIT")];
  return [
    [MESSAGE_BOUNDS.depth, MESSAGE_BOUNDS.parts, digits],
    [ANSWER_BYTES.preset, ANSWER_BYTES.ceiling, UPSTREAM_BOUNDS.depth, UPSTREAM_BOUNDS.parts, digits],
    [backtrack("MAX_STEPS_IN_ALL"), backtrack("MAX_STEPS"), backtrack("MAX_STEPS_PER_CHARACTER")],
    [MAX_UNKNOWN],
    [
      ...[MAX_WORK, 0.1, branch("OPTION_WORK"), equal("VALUE_WORK"), equal("MEMBER_WORK"), bounded("FINDING_WORK")],
      ...perUnit,
    ],
    [constantIn("runtime/contract/error-body.ts", "MAX_FINDINGS"), issues, issues],
    [stepsBehindPlaces()],
    [schema("MAX_SUBSCHEMAS"), schema("MAX_ALTERNATIVES"), constantIn("generator/pass/link.ts", "MAX_SCHEMA_DEPTH")],
    [
      constantIn("generator/core/yaml-file.ts", "MAX_YAML_LENGTH"),
      constantIn("features/http-apis/source/openapi-document.ts", "MAX_YAML_LENGTH"),
      yaml("MAX_DEPTH"),
      yaml("MAX_REPEATED"),
    ],
    [
      ...[MAX_FEATURES, MAX_FEATURE_KEYS, constantIn("generator/cli/commands.ts", "MAX_FEATURE_COMMANDS")],
      ...[PLUGIN_LIMITS.serveMs / 1000, PLUGIN_LIMITS.closeMs / 1000],
    ],
  ];
}

/** Calls of a validator that depends on its place until the budget of a check ends it. */
function stepsBehindPlaces(): number {
  let steps = 0;
  const validate: Validator = Object.assign(() => true, { errors: null });
  withBudget(() => {
    const step = (): boolean => ++steps > 0;
    while (judgedInSteps(validate, step, null, {}));
  });
  return steps;
}

test("the fixed limits in docs/ are those of the code, row by row", () => {
  const rows = section(pageText("docs/reference/limits.md"), "Fixed limits").split("\n").slice(2);
  const said = rows
    .filter((row) => row.startsWith("| ") && !/^\| (not configurable|---)/.test(row))
    .map((row) => [...row.matchAll(/\b\d+(?:\.\d+)?/g)].map(([number]) => Number(number)));
  expect(said).toEqual(fixedLimits());
});

/** Flags that the page says once for all commands, or by their short form; those of commands without a project have a table of their own. */
const SAID_ONCE = ["--root", "--log-level", "--state", "--code"];

test("the page of commands has a row for each command, with its flags", () => {
  const page = pageText("docs/reference/command-line.md");
  const rows = section(page, "Commands").matchAll(/^\| (`((?:[a-z]+(?:-[a-z]+)* ?)+).*?) \| /gm);
  const elsewhere = new Set(section(page, "Without a project").match(/(?<=`)--[a-z]+/g));
  const sorted = (flags: readonly string[]): readonly string[] => [...new Set(flags)].sort();
  const said = new Map(
    [...rows].map(([, cell = "", name = ""]) => [name.trim(), sorted(cell.match(/--[a-z-]+/g) ?? [])] as const),
  );
  const known = commands().map(([name, { options }]) => {
    const isDue = (one: string): boolean =>
      !SAID_ONCE.includes(one) && (said.get(name)?.includes(one) || !elsewhere.has(one));
    return [name, sorted(options.map((one) => one.long ?? "").filter(isDue))] as const;
  });
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(known));
});

test("the exit codes in docs/ are those that --help lists", () => {
  let help = "";
  const program = commandLine("toolwright", "", {} as Actions, ADDED_COMMANDS).configureOutput({
    writeOut: (text) => (help += text),
  });
  program.outputHelp();
  const [, listed = ""] = help.split("Exit codes:");
  const codes = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, one]) => one);
  expect(codes(listed, /(\d+) /g).length).toBeGreaterThan(3);
  expect(codes(pageText("docs/reference/exit-codes.md"), /^\| (\d+) \|/gm)).toEqual(codes(listed, /(\d+) /g));
});

test("the environment variables in docs/ are those that the code reads", () => {
  const files = [
    ...["core", "features", "runtime", "generator", "definitions"].flatMap(filesOf),
    "generator/entry/load-program.mjs",
  ];
  const read = files.flatMap((file) => {
    const text = readFileSync(join(CHECKOUT, file), "utf8");
    const direct = [...text.matchAll(/\benv\["(\w+)"\]/g)];
    const named = [...text.matchAll(/["{]((?:TOOLWRIGHT|OUBLIETTE|BRAVE|LLM)_[A-Z_]+)/g)];
    const taken = [...text.matchAll(/\{([^{}]*)\} = env\b/g)].flatMap(([, names = ""]) => [
      ...names.matchAll(/([A-Z_]{3,}):/g),
    ]);
    return [...direct, ...named, ...taken].map(([, name]) => name);
  });
  const page = pageText("docs/reference/environment.md").matchAll(/^\| (`.*?`) \|/gm);
  const said = [...page].flatMap(([, names = ""]) => [...names.matchAll(/`(\w+)`/g)].map(([, one]) => one));
  const unsaid = [...new Set(read)].filter((one) => !said.includes(one));
  expect(unsaid).toEqual([]);
  expect(said.filter((one) => !read.includes(one))).toEqual([]);
});
