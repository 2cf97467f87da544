/**
 * The modules under mutation testing: the files that decide, each with the tests that must notice a change in it. The
 * tests run once for each mutant that they reach, so they are those that need no process of their own.
 *
 * `modules.test.ts` fails if a file that is named here does not exist.
 */

import { readdirSync } from "node:fs";

/** The files of a folder that are named, or all its source files. */
function files(folder, ...names) {
  const root = new URL(`../../${folder}/`, import.meta.url);
  const all = () => readdirSync(root).filter((name) => name.endsWith(".ts"));
  return (names.length > 0 ? names.map((name) => `${name}.ts`) : all()).map((name) => `${folder}/${name}`);
}

const testsIn = (folder, ...names) => files(folder, ...names.map((name) => `${name}.test`));
const tests = (folder, ...names) => testsIn(`test/${folder}`, ...names);

const NOT_MUTATED =
  /\/(?:baseline|breaking-rules|changes|command|commands|feature|finders|messages|recorded-calls|request-rules|result-rules|sarif|settings)\.ts$/;

export const MODULES = {
  call: {
    mutate: [
      "runtime/dispatch.ts",
      ...files(
        "runtime/call",
        "answer",
        "call",
        "call-handler",
        "carry-out",
        "envelope",
        "idempotency",
        "ledger",
        "limit",
        "prepare",
        "project-scope",
        "resolve",
        "services",
      ),
      ...files("runtime/call/batch"),
    ],
    tests: [
      ...tests("runtime/call/batch", "rules"),
      ...tests("runtime/call", "answer", "batch", "call-handler", "context", "control", "idempotency", "ledger", "log"),
      ...tests("runtime/call", "limit", "prepare", "resolve", "span"),
      ...tests("runtime/call/arguments", "many-errors", "repairs", "schemas", "validation"),
      ...tests("runtime/call/corrections", "meaning", "rules"),
      ...tests("runtime/contract", "grant"),
      "features/statistics/test/recorded.test.ts",
    ],
  },
  arguments: {
    mutate: files("runtime/call/arguments"),
    tests: [
      ...tests("runtime/call/arguments"),
      ...tests("runtime/call", "control", "resolve"),
      ...tests("runtime/catalog", "help"),
      ...tests("repairs", "repairs"),
    ],
  },
  corrections: {
    mutate: files("runtime/call/corrections"),
    tests: [...tests("runtime/call/corrections"), ...tests("runtime/call", "resolve"), ...tests("repairs", "repairs")],
  },
  results: {
    mutate: files("runtime/run", "results", "result-text"),
    tests: tests("runtime/run", "results"),
  },
  formats: {
    mutate: [...files("runtime/run", "format", "value-tree"), ...files("runtime/run/languages/python", "value-text")],
    tests: tests("runtime/run", "format"),
  },
  sanitizing: {
    mutate: files("runtime/run", "sanitize"),
    tests: tests("runtime/run", "sanitize"),
  },
  help: {
    mutate: [...files("runtime/catalog", "help", "directory"), ...files("runtime/contract", "help")],
    tests: tests("runtime/catalog", "help", "help-details"),
  },
  classification: {
    mutate: files(
      "generator/pass",
      "classify",
      "description-verb",
      "entities",
      "infer-names",
      "name-parts",
      "op-path",
      "op-paths",
      "verb-of",
      "verbs",
    ),
    tests: tests(
      "generator/pass",
      "classify",
      "classify-said",
      "description-verb",
      "infer-names",
      "name-parts",
      "op-path",
      "verb-of",
    ),
  },
  breaking: {
    // The command and its file formats are tested through processes, which take too long here; the others are data, or load parts.
    mutate: files("features/breaking").filter((file) => !NOT_MUTATED.test(file)),
    tests: testsIn(
      "features/breaking/test",
      "accepts",
      "affected",
      "attacks",
      "cases",
      "compare",
      "decide",
      "downstream",
      "evidence",
      "explain",
      "facts",
      "instructions",
      "judge",
      "lines",
      "pairs",
      "proof",
      "report",
      "schema",
      "text-sets",
      "texts",
      "tombstones",
      "tool",
      "values",
    ),
  },
};
