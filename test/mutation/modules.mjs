/**
 * The modules under mutation testing, each with the tests that must notice a change in it. The tests run once for each
 * mutant that they reach, so they are those that need no process of their own.
 */

const call = (...names) => names.map((name) => `test/runtime/call/${name}.test.ts`);
const help = (...names) => names.map((name) => `test/runtime/catalog/${name}.test.ts`);
const run = (...names) => names.map((name) => `test/runtime/run/${name}.test.ts`);
const breaking = (...names) => names.map((name) => `test/generator/breaking/${name}.test.ts`);

export const MODULES = {
  call: {
    mutate: [
      "runtime/dispatch.ts",
      "runtime/call/{answer,call,call-handler,carry-out,envelope,idempotency,ledger,limit,prepare,project-scope,resolve,services}.ts",
    ],
    tests: [
      ...call(
        "context",
        "control",
        "ledger",
        "resolve",
        "arguments/validation",
        "arguments/repairs",
        "batch",
        "log",
        "span",
      ),
      "test/runtime/contract/grant.test.ts",
      "test/runtime/stats/recorded.test.ts",
    ],
  },
  arguments: {
    mutate: ["runtime/call/arguments/*.ts"],
    tests: [
      ...call(
        "arguments/repairs",
        "arguments/validation",
        "arguments/schemas",
        "arguments/unions",
        "resolve",
        "control",
      ),
      ...help("help"),
    ],
  },
  results: { mutate: ["runtime/run/results.ts", "runtime/run/result-text.ts"], tests: run("results") },
  formats: { mutate: ["runtime/run/format.ts"], tests: run("format") },
  sanitizing: { mutate: ["runtime/run/sanitize.ts"], tests: run("sanitize") },
  help: {
    mutate: ["runtime/catalog/help.ts", "runtime/catalog/directory.ts", "runtime/contract/help.ts"],
    tests: help("help", "help-details", "help-text"),
  },
  classification: {
    mutate: ["generator/pass/{classify,op-path,verb-of,verbs}.ts"],
    tests: ["classify", "classify-said", "op-path", "verb-of"].map((name) => `test/generator/pass/${name}.test.ts`),
  },
  breaking: {
    mutate: [
      "generator/breaking/{compare,downstream,facets,judge,lines,match,report,rules,schema,shape,tombstones,tool,walk}.ts",
    ],
    tests: breaking("cases", "compare", "lines", "properties", "report"),
  },
};
