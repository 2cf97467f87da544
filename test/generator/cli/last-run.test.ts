/**
 * The cache of the last run: without changes `generate` builds nothing and prints the same; after any change it builds.
 */

import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtDigest } from "../../../generator/config/built-values.js";
import { anything } from "../../../runtime/contract/settings/setting.js";
import type { Ran } from "../../support/commands.js";
import { eachCase } from "../../support/each-case.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const tool = (name: string): object => ({ name, description: `Do ${name}.`, inputSchema: { type: "object" } });
const snapshot = (...names: readonly string[]): string => JSON.stringify({ tools: names.map(tool) });

function rootWith(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  return root;
}

const project = (): string =>
  rootWith({
    "toolwright.yaml": "use: []\ninclude: [more.yaml]\nsources: [{ mcp: servers/*.json }]\n",
    "more.yaml": "{}\n",
    "servers/a.json": snapshot("list_a", "frobnicate"),
  });

const generate = (root: string, ...flags: readonly string[]): Promise<Ran> =>
  toolwright(["generate", "--root", root, "--stats", ...flags]);
const quick = ({ stdout }: Ran): boolean => stdout.includes("nothing changed since the last run");

/** Packages that a run with nothing changed must not load. */
const HEAVY = [
  "@ts-morph/common",
  "ts-morph",
  "typescript",
  "json-schema-to-typescript",
  "ajv",
  "ajv-formats",
  "gpt-tokenizer",
  "yaml",
  "nunjucks",
];

/** What V8 writes about the scripts that a process ran. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** The packages that a process ran, from their own files or from the bundle, in which each module is a function named by its path. */
function packagesIn(folder: string): readonly string[] {
  const scripts = readdirSync(folder).flatMap(
    (name) => (JSON.parse(readFileSync(join(folder, name), "utf8")) as Coverage).result,
  );
  const modules = scripts.flatMap(({ url, functions }) => [
    url,
    ...functions.flatMap(({ functionName, ranges }) => (ranges[0]?.count ? functionName : [])),
  ]);
  return [...new Set(modules.flatMap((one) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(one)?.[1] ?? []))];
}

describe("nothing changed", () => {
  test("the same lines and warnings, no file touched, no heavy package loaded", async () => {
    const root = project();
    const first = await generate(root);
    const registry = join(root, "generated", "registry.json");
    const before = statSync(registry).mtimeMs;
    const coverage = temporaryFolder();
    const second = await toolwright(["generate", "--root", root, "--stats"], { env: { NODE_V8_COVERAGE: coverage } });
    expect([quick(first), quick(second)]).toEqual([false, true]);
    expect(second.stderr).toBe(first.stderr);
    expect(second.stderr).toContain("kind-unknown");
    const said = (ran: Ran): readonly string[] => ran.stdout.split("\n").slice(0, 2);
    expect(said(second)).toEqual(said(first));
    expect(second.stdout).toContain("generated/: 0 written,");
    expect(statSync(registry).mtimeMs).toBe(before);
    const loaded = packagesIn(coverage);
    expect(loaded).toContain("commander");
    expect(loaded.filter((name) => HEAVY.includes(name))).toEqual([]);
  });

  test("--strict still refuses what was a warning, and --json is one document", { tags: "full" }, async () => {
    const root = project();
    await generate(root);
    expect((await generate(root, "--strict")).code).toBe(2);
    const { stdout } = await toolwright(["generate", "--root", root, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, ops: 2, written: [], timings_ms: {} });
  });
});

describe("something changed, so everything is built again", () => {
  const changes: readonly (readonly [about: string, change: (root: string) => void])[] = [
    ["a source", (root) => writeFileSync(join(root, "definitions/servers/a.json"), snapshot("list_b"))],
    [
      "a new file that a pattern matches",
      (root) => writeFileSync(join(root, "definitions/servers/b.json"), snapshot("x")),
    ],
    ["an included file", (root) => appendFileSync(join(root, "definitions/more.yaml"), "# more\n")],
    ["a generated file, by hand", (root) => appendFileSync(join(root, "generated/ops.ts"), "// mine\n")],
    ["a generated file, gone", (root) => rmSync(join(root, "generated/stubs.pyi"))],
    [
      "an orphan of ours",
      (root) => cpSync(join(root, "generated/help/a.list_a.md"), join(root, "generated/help/a.old.md")),
    ],
    ["the cache, cut short", (root) => writeFileSync(join(root, ".onetool/cache/last-run.json"), "{")],
    [
      "the generator",
      (root) => {
        const file = join(root, ".onetool/cache/last-run.json");
        writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), by: "another" }));
      },
    ],
  ];
  eachCase(
    changes,
    "a source",
    "an included file",
    "a generated file, by hand",
    "the generator",
  )("%s: the next run builds all, and check passes", { tags: "full" }, async (_, change) => {
    const root = project();
    await generate(root);
    change(root);
    const again = await generate(root);
    expect([again.code, quick(again)]).toEqual([0, false]);
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
  });

  test("a file in place of the folder is reported, and the user must move it", { tags: "full" }, async () => {
    const root = project();
    await generate(root);
    rmSync(join(root, "generated"), { recursive: true });
    writeFileSync(join(root, "generated"), "");
    const { code, stderr } = await generate(root);
    expect([code, stderr]).toEqual([2, expect.stringContaining("generated cannot be written, since")]);
  });

  test("a source with another time and the same text is no change", { tags: "full" }, async () => {
    const root = project();
    await generate(root);
    utimesSync(join(root, "definitions/servers/a.json"), 1, 1);
    expect(quick(await generate(root))).toBe(true);
  });
});

describe("doctor and check agree on what is stale", () => {
  /** Sections of toolwright.yaml that only servers and commands read. */
  const SERVED = `trust: local
access: { allow_write: true }
secrets: { from: [env] }
public_url: https://tools.example
http: { allowed_hosts: [tools.example] }
state: { pool: 4 }
output: { preview_lines: 9 }
sanitize: { default: true }
limits: { runs: 2 }
approve: []
log: { level: warn }
projects: { here: . }
topics: [{ pattern: "*", file: notes.md }]
synonyms: { customer: client }
diagnostics: { kind-unknown: info }
expose: { answer_bytes: 5000, run_preview: always }
servers: { a: { url: https://a.example/mcp, timeout: 9, lazy: true, sanitize: true } }
ops: { list_a: { deadline_ms: 900 }, frobnicate: { check: a.list } }
budget: { tool: 9000, help_short: 9000 }
`;
  const BASE = "use: []\ninclude: [more.yaml]\nsources: [{ mcp: servers/*.json }]\n";
  const WITHOUT = "servers: { a: { url: https://a.example/mcp } }\nops: { list_a: {}, frobnicate: {} }\n";

  async function stateAfter(change: string): Promise<readonly unknown[]> {
    const root = project();
    const file = join(root, "definitions/toolwright.yaml");
    writeFileSync(file, `${BASE}${WITHOUT}`);
    await generate(root);
    writeFileSync(file, `${BASE}${change}`);
    const { stdout } = await toolwright(["doctor", "--root", root, "--json"]);
    const fresh = JSON.parse(stdout).findings.find((one: { what: string }) => one.what === "fresh");
    const { code } = await toolwright(["check", "--root", root]);
    return [fresh.ok, fresh.found, code];
  }

  test("keys that no build reads, comments and the order of keys leave generated/ as it is", async () => {
    expect(await stateAfter(`# more\n${SERVED}`)).toEqual([true, "not older than definitions/, as far as is known", 0]);
  });

  test.for([
    ["a key of the build", WITHOUT.replace("list_a: {}", "list_a: { notes: [Other.] }")],
    ["a part of a key that has others which are not", `${WITHOUT}expose: { hot: ["a.*"] }\n`],
    ["the languages of programs", `${WITHOUT}run: { languages: [typescript] }\n`],
    ["a part of a server", WITHOUT.replace("a.example/mcp", "b.example/mcp, timeout: 9")],
  ] as const)("%s makes both say so", async ([, change]) => {
    expect(await stateAfter(change)).toEqual([false, "older than definitions/toolwright.yaml", 1]);
  });

  test("keys of a feature count if it takes part in builds", () => {
    const feature = { name: "quota", settings: [{ key: "quota", setting: anything() }] };
    const digests = (features: Parameters<typeof builtDigest>[1]) =>
      [1, 2].map((quota) => builtDigest({ sources: [], place, ...{ quota } }, features));
    const place = () => ({ file: "definitions/toolwright.yaml", line: 1, column: 1 });
    expect(new Set(digests([feature])).size).toBe(1);
    expect(new Set(digests([{ ...feature, generate: () => undefined }])).size).toBe(2);
  });
});
