/**
 * The modules that decide, each with the tests that must notice a change in it. The tests run once for each mutant that they reach, so
 * they are those that need no process of their own.
 */

const gateway = (...names) => names.map((name) => `test/runtime/gateway/${name}.test.ts`);
const run = (...names) => names.map((name) => `test/runtime/run/${name}.test.ts`);
const breaking = (...names) => names.map((name) => `test/breaking/${name}.test.ts`);

export const MODULES = {
  call: {
    mutate: ["runtime/dispatch.ts", "runtime/dispatch/*.ts"],
    tests: [
      ...gateway("context", "control", "ledger", "resolve", "validation", "repairs", "batch", "log"),
      "test/runtime/access/grant.test.ts",
      "test/runtime/observe/span.test.ts",
      "test/runtime/stats/recorded.test.ts",
    ],
  },
  arguments: {
    mutate: ["runtime/arguments/*.ts"],
    tests: gateway("repairs", "validation", "schemas", "unions", "resolve", "control", "help"),
  },
  results: { mutate: ["runtime/run/results.ts", "runtime/run/result-text.ts"], tests: run("results") },
  formats: { mutate: ["runtime/run/format.ts", "runtime/run/format-yaml.ts"], tests: run("format") },
  sanitizing: { mutate: ["runtime/run/sanitize.ts"], tests: run("sanitize") },
  help: {
    mutate: ["runtime/help.ts", "runtime/directory.ts", "runtime/contract/help.ts"],
    tests: gateway("help", "help-details", "help-text"),
  },
  classification: {
    mutate: ["generator/pass/{classify,op-path,verb-of,verbs}.ts"],
    tests: ["classify", "classify-said", "op-path", "verb-of"].map((name) => `test/pass/${name}.test.ts`),
  },
  breaking: {
    mutate: [
      "generator/breaking/{compare,downstream,facets,judge,lines,match,report,rules,schema,shape,tombstones,tool,walk}.ts",
    ],
    tests: breaking("cases", "compare", "lines", "properties", "report"),
  },
};
