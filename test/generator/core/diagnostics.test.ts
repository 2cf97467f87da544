/** Wrong input: every diagnostic code has a project that causes it, and an error leaves nothing to write. */

import { describe, expect, test } from "vitest";
import { formatDiagnostic, Report } from "../../../generator/core/diagnostic.js";
import { type DiagnosticCode, RULES } from "../../../generator/core/rules.js";
import { classifyDefinitions } from "../../../generator/pass/classify.js";
import { FAULTS, TESTED_APART } from "../../support/generator-faults.js";
import { buildProject, errorsOf, hostOf, jsonProject, tool, tsProject } from "../../support/generator-host.js";

const codes = Object.keys(RULES) as readonly DiagnosticCode[];
/** Follow-ups that one fault may bring: each file of a colliding pack. */
const REPEATING: readonly string[] = ["output-collision"];

describe("each fault is one line with its place, the fact and the remedy", () => {
  test("no code is without a case", () => {
    expect(codes.filter((code) => !(code in FAULTS))).toEqual(TESTED_APART);
  });

  test.each(Object.entries(FAULTS))(
    "%s is said as it is written down, and no files are given if it is an error",
    async (code, { project, says }) => {
      // Handlers are asked for where ops are called, as in a project on the disk.
      const host = { ...hostOf(project), needsHandlers: code === "handlers-unnamed" };
      const { diagnostics, files } = await buildProject(project, host);
      expect(diagnostics.map(formatDiagnostic)).toContain(says);
      expect(diagnostics.filter((one) => one.code !== code || !REPEATING.includes(code))).toHaveLength(
        REPEATING.includes(code) ? 0 : 1,
      );
      expect(files.length > 0).toBe(RULES[code as DiagnosticCode].severity !== "error");
    },
  );

  test("every line says where, unless it is about a whole file that is not there or would be written", () => {
    const withoutLine = Object.entries(FAULTS).flatMap(([code, { says }]) =>
      /^\S+:\d+:\d+ /.test(says) ? [] : [code],
    );
    expect(withoutLine).toEqual(["output-collision"]);
  });

  test("kind-annotation-mismatch: configuration calls a read-only tool a write", () => {
    const report = new Report();
    const place = { file: "definitions/a.json", line: 3, column: 2 };
    const definition = {
      name: "get_a",
      description: "",
      parameters: {},
      annotations: { readOnlyHint: true },
      pack: "p",
      origin: "proxy",
      place,
    };
    const one = { ...definition, refs: new Map(), input: { kind: "unknown" }, compiled: undefined } as never;
    classifyDefinitions([one], { sources: [], ops: { get_a: { kind: "write" } }, place: () => place }, report);
    expect(report.sorted().map(formatDiagnostic)[0]).toBe(
      "definitions/a.json:3:2 error kind-annotation-mismatch  p.get_a is a write, but its annotations call it read-only; correct the annotation, or set `kind: read` under `ops`",
    );
  });
});

test("a path with the separators of Windows is answered with the path to write", async () => {
  const { diagnostics } = await buildProject({ "toolwright.yaml": "sources: [{ mcp: 'servers\\*.json' }]\n" });
  expect(diagnostics.map(formatDiagnostic)).toEqual([
    "definitions/toolwright.yaml:1:11 error source-empty  no file matches servers\\*.json; write servers/*.json: names of folders are separated by /, on Windows too",
  ]);
});

test("what other people wrote stays on its line, and writes nothing to the terminal", () => {
  const report = new Report();
  const place = { file: "definitions/a\u0007.json", line: 3, column: 2 };
  report.add("parameter-renamed", place, { tool: "\u001b]0;pwn\u0007", names: "a\u009b31m\n\u202eb" });
  expect(report.sorted().map(formatDiagnostic)).toEqual([
    String.raw`definitions/a\u0007.json:3:2 info parameter-renamed  arguments of \u001b]0;pwn\u0007 have other names in Python: a\u009b31m\u000a\u202eb; nothing to do: a call may use either`,
  ]);
});

describe("what is found is complete and says nothing twice", () => {
  test("all faults are reported at once, sorted by file and line", async () => {
    const tools = [tool("list_a", { n: { type: "nmber" } }), { type: "function" }, tool("list_a")];
    const { diagnostics } = await buildProject(jsonProject(tools, "ops:\n  list_b: {}\n"));
    expect(errorsOf(diagnostics).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      "definitions/tools.json:11:7 schema-invalid",
      "definitions/tools.json:17:2 not-a-tool",
      "definitions/tools.json:20:2 duplicate-tool",
    ]);
  });

  test("where definitions could not be read, entries that name them are not called wrong", async () => {
    const config =
      "ops: { list_a: { op: p.a.list } }\npolicies: { p.a.list: { do: [x] } }\naliases: { ls: p.a.list }\n";
    const { diagnostics } = await buildProject(tsProject("export const TOOLS = [make()];", config));
    expect(errorsOf(diagnostics)).toEqual([
      "definitions/tools.ts:1:23 unsupported-expression a call of make cannot be read without running the code",
    ]);
  });

  test("where a definition was refused, its pin and aliases are not called wrong", async () => {
    const config = "policies: { p.list_a: { do: [x] } }\naliases: { ls: p.list_a }\n";
    const { diagnostics } = await buildProject(jsonProject([tool("list_a", { n: { type: "nmber" } })], config));
    expect(diagnostics.map((one) => one.code)).toEqual(["schema-invalid"]);
  });

  test("the same line is printed once", () => {
    const report = new Report();
    const place = { file: "a", line: 1, column: 1 };
    for (const _ of [1, 2]) report.add("alias-cycle", place, { cycle: ["x", "x"] });
    expect(report.sorted()).toHaveLength(1);
    expect(report.failed).toBe(true);
  });
});
