/**
 * The generator's goals, each as a ratio against a named baseline that runs in turn with ours. `--quick` takes
 * this project's own tools and 3 pairs, and installs nothing. Raw pairs go to `.cache/bench/generator.json`; `--accept` keeps the
 * run as the one that later runs are held against and that `docs/performance.md` shows. Exit 1 where a goal is missed or a ratio grew by more
 * than 15 per cent; a spread that does not settle is inconclusive, which is neither.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Registry } from "../../runtime/contract/registry.js";
import { expandableApi } from "../support/expandable-api.js";
import { type FunctionTool, project, toolsOf, writeTools } from "./inputs.js";
import { type Command, cpuOf, least, most, type Pairs, pairs, ratios, run, spreads } from "./measure.js";
import { installPeers } from "./peers.js";
import { createReport, FOLDER, flags, putAway, ROOT } from "./report.js";

/** Runs that take over 5 s are repeated less often. */
const [SHORT, LONG] = flags.quick ? [3, 3] : [7, 3];

const { add, finish } = createReport("generator", "CPU of fresh processes");

/** A goal that a ratio of CPU is held against: it fails only where both ratios exceed the bound. */
async function ratio(
  goal: string,
  what: string,
  bound: number,
  ours: Command,
  peer: Command,
  count: number,
): Promise<Pairs> {
  const raw = await pairs(ours, peer, count);
  const { minima, paired } = ratios(cpuOf(raw));
  const seconds = (side: Pairs["ours"]): string => `${least(side.map((one) => one.cpu)).toFixed(2)} s`;
  const verdict = Math.min(minima, paired) <= bound ? "met" : spreads(cpuOf(raw)) ? "inconclusive" : "missed";
  const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}), bound ${bound}; ${seconds(raw.ours)} against ${seconds(raw.peer)}`;
  add({ goal, what, figures, verdict, ratio: Math.min(minima, paired) }, raw);
  return raw;
}

const node = (...args: readonly string[]): Command => ({ args, cwd: ROOT });
const child = (name: string): string => fileURLToPath(new URL(`children/${name}`, import.meta.url));
const rssOf = (raw: Pairs, side: keyof Pairs): number => most(raw[side].map((one) => one.rss));

/** Ours, bundled and loaded as the command line of the package is. */
function bundled(): string {
  const folder = join(FOLDER, "generate");
  const [file, start] = [join(folder, "generate.cjs"), join(folder, "generate.mjs")];
  const bundle = "import(process.argv[1]).then(({ bundleLoaded }) => bundleLoaded(...process.argv.slice(2)))";
  execFileSync(process.execPath, [
    "-e",
    bundle,
    join(ROOT, "generator/build/bundle.mjs"),
    ROOT,
    child("generate.ts"),
    file,
  ]);
  const loader = pathToFileURL(join(ROOT, "generator/entry/load-program.mjs")).href;
  const load = `import { loadProgram } from ${JSON.stringify(loader)};\nawait loadProgram(${JSON.stringify(file)}, ${JSON.stringify(folder)}).runCommand();\n`;
  writeFileSync(start, load);
  return start;
}

/** A full generate into an empty folder. */
const generating = (program: string, folder: string): Command => ({
  ...node(program, "generate", folder),
  before: () => putAway(join(folder, "generated")),
});

const flooring = (folder: string): Command => node(child("floor.mjs"), join(folder, "definitions", "tools.ts"));

/** The tools of this project, for the quick look; in one pack there is one of each name. */
function ownTools(): readonly FunctionTool[] {
  const { tools } = JSON.parse(readFileSync(join(ROOT, "generated", "registry.json"), "utf8")) as Registry;
  return [...new Map(tools.map((tool) => [tool.tool_name, tool])).values()].map(
    ({ tool_name: name, description, parameters_schema: parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    }),
  );
}

async function nothingChanged(folder: string): Promise<void> {
  const program = join(ROOT, "generator", "launch.mjs");
  const ours = node(program, "generate", "--root", folder);
  await run(ours);
  await ratio("G4", "generate with nothing changed / an empty node", 3, ours, node("-e", "0"), SHORT);
}

/** A run of the command line after a change of one schema, beside one that finds nothing of the last run. */
async function oneChanged(folder: string, tools: readonly FunctionTool[]): Promise<void> {
  const command = node(join(ROOT, "generator", "launch.mjs"), "generate", "--root", folder);
  let turn = 0;
  const change = (): void => {
    turn += 1;
    writeTools(folder, [changedTool(turn), ...tools]);
  };
  const forget = (): void => {
    for (const name of ["generated", ".onetool"]) putAway(join(folder, name));
  };
  await run({ ...command, before: change });
  const ours = { ...command, before: change };
  await ratio("G8", "generate with one schema changed / a full one", 0.65, ours, { ...command, before: forget }, SHORT);
}

/** A description whose objects all refer to each other: the size of what is generated, and `check` with the notes of the last run. */
async function sharedDefinitions(objects: number): Promise<void> {
  const folder = join(FOLDER, "shared");
  const described = expandableApi(objects);
  mkdirSync(join(folder, "definitions"), { recursive: true });
  writeFileSync(join(folder, "definitions", "api.json"), described);
  writeFileSync(
    join(folder, "definitions", "toolwright.yaml"),
    "use: []\nsources: [{ openapi: api.json, pack: api }]\n",
  );
  const command = (name: string): Command => node(join(ROOT, "generator", "launch.mjs"), name, "--root", folder);
  await run(command("generate"));
  const written = readdirSync(join(folder, "generated"), { recursive: true, withFileTypes: true });
  const size = written.reduce(
    (sum, one) => sum + (one.isFile() ? statSync(join(one.parentPath, one.name)).size : 0),
    0,
  );
  const figures = `${(size / described.length).toFixed(1)}; ${(size / 1e6).toFixed(1)} MB of ${(described.length / 1e6).toFixed(1)} MB`;
  add({ goal: "G10", what: "generated/ / a description of shared definitions", figures, verdict: "shown" });
  const warm = await run(command("check"));
  putAway(join(folder, ".onetool"));
  const cold = await run(command("check"));
  const seconds = `${warm.cpu.toFixed(2)} s against ${cold.cpu.toFixed(2)} s`;
  const share = (warm.cpu / cold.cpu).toFixed(2);
  add({ goal: "G10", what: "check of it, warm / cold", figures: `${share}; ${seconds}`, verdict: "shown" });
}

const changedTool = (maxLength: number): FunctionTool => ({
  type: "function",
  function: {
    name: "list_before_all",
    description: "One that changes.",
    parameters: { type: "object", properties: { q: { type: "string", maxLength } } },
  },
});

async function linear(program: string, tools: readonly FunctionTool[]): Promise<void> {
  const sizes = [1, 600, 1200].map((count) => project(join(FOLDER, `first-${count}`), tools.slice(0, count)));
  const figures: number[][] = [[], [], []];
  for (let i = 0; i <= LONG; i++)
    for (const [at, folder] of sizes.entries()) {
      const { cpu } = await run(generating(program, folder));
      if (i > 0) figures[at]?.push(cpu);
    }
  const [imports, half, whole] = figures.map(least) as [number, number, number];
  const factor = (whole - imports) / (half - imports);
  const verdict = factor <= 2.2 ? "met" : "missed";
  add({
    goal: "G5",
    what: "1,200 tools / 600, imports taken off",
    figures: `${factor.toFixed(2)}, bound 2.2`,
    verdict,
  });
}

async function breaking(folder: string, changed: string): Promise<void> {
  const registry = join(folder, "generated", "registry.json");
  const read = "for (const f of process.argv.slice(1)) JSON.parse(require('fs').readFileSync(f, 'utf8'))";
  const program = join(ROOT, "generator", "launch.mjs");
  const other = join(changed, "generated", "registry.json");
  const ours = node(
    program,
    "breaking",
    "--root",
    changed,
    "--against",
    registry,
    "--fail-on",
    "error",
    "--format",
    "json",
  );
  const raw = await pairs(ours, node("-e", read, registry, other), SHORT);
  const { minima } = ratios(cpuOf(raw));
  const seconds = least(raw.ours.map((one) => one.cpu));
  const figures = `${minima.toFixed(2)}; ${seconds.toFixed(2)} s against ${least(raw.peer.map((one) => one.cpu)).toFixed(2)} s (goal 0.5 s)`;
  add(
    { goal: "G6", what: "breaking on two such registries / reading both", figures, verdict: "shown", ratio: minima },
    raw,
  );
}

/** Validators by their name: the blocks of a generated module. */
const blocksOf = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readFileSync(join(folder, "generated", "validators", "github.js"), "utf8")
      .split(/^export const (?=\w+ = \/\*@__PURE__)/m)
      .map((block) => [block.slice(0, block.indexOf(" ")), block.trimEnd()]),
  );

function validators(tools: number, folder: string, changed: string): void {
  const [before, after] = [blocksOf(folder), blocksOf(changed)];
  const size = [...before.values()].reduce((sum, block) => sum + block.length, 0) / tools;
  const named = [...before].filter(([name]) => name.startsWith("github"));
  const touched = named.filter(
    ([name, block]) => after.get(name)?.split("\n/** Validators of")[0] !== block.split("\n/** Validators of")[0],
  );
  const figures = `${(size / 1000).toFixed(1)} kB a tool, bound 6; one more tool changes ${touched.length} other validators, bound 0`;
  add({ goal: "G7", what: "validators", figures, verdict: size <= 6000 && touched.length === 0 ? "met" : "missed" });
}

/** What is generated is checked as a project has it: against the declarations of the installed package, as "npm install" built it. */
async function typeCost(folder: string, tools: readonly FunctionTool[], tsc: string): Promise<void> {
  const peer = join(FOLDER, "peer-types");
  mkdirSync(peer, { recursive: true });
  writeFileSync(join(peer, "tools.json"), JSON.stringify(tools));
  await run(node(child("types.mjs"), join(peer, "tools.json"), join(peer, "types.ts")));
  const options = [
    "--strict",
    "--noEmit",
    "--skipLibCheck",
    "--target",
    "es2023",
    "--module",
    "nodenext",
    "--moduleResolution",
    "nodenext",
    "--types",
    "node",
  ];
  const checking = (file: string): Command => node(join(tsc, "lib", "tsc.js"), ...options, file);
  const ours = checking(join(folder, "generated", "registry.ts"));
  await ratio(
    "G9",
    "tsc on what is generated / on json-schema-to-typescript's types",
    1.2,
    ours,
    checking(join(peer, "types.ts")),
    SHORT,
  );
  const counted = await run({ ...ours, args: [...ours.args, "--extendedDiagnostics"] });
  const instantiations = /Instantiations:\s+(\d+)/.exec(counted.stdout)?.[1] ?? "?";
  add({ goal: "G9", what: "type instantiations", figures: instantiations, verdict: "shown" });
}

async function quick(program: string): Promise<void> {
  const folder = project(join(FOLDER, "own"), ownTools());
  await ratio(
    "G3",
    "full generate of our own tools / its floor",
    1.4,
    generating(program, folder),
    flooring(folder),
    SHORT,
  );
  await nothingChanged(folder);
}

async function full(program: string): Promise<void> {
  const peer = installPeers(join(FOLDER, "peers"));
  const octokit = peer("@octokit/openapi");
  if (octokit === undefined) {
    add({
      goal: "G1",
      what: "GitHub's description",
      figures: "could not be installed; only --quick is possible",
      verdict: "absent",
    });
    return quick(program);
  }
  const description = join(octokit, "generated", "api.github.com.json");
  const tools = toolsOf(description);
  const [c, c74] = [project(join(FOLDER, "c"), tools), project(join(FOLDER, "c74"), tools.slice(0, 74))];
  const extra: FunctionTool = {
    type: "function",
    function: {
      name: "list_after_all",
      description: "One more.",
      parameters: { type: "object", properties: { q: { type: "string", maxLength: 9 } } },
    },
  };
  const more = project(join(FOLDER, "more"), [...tools.slice(0, 600), extra, ...tools.slice(600)]);
  process.stdout.write(`${tools.length} tools\n`);
  const ours = generating(program, c);
  await ratio("G1", "full generate on C / its floor", 1.25, ours, flooring(c), LONG);
  await against(peer("openapi-typescript"), "openapi-typescript on A", 0.85, ours, (at) =>
    node(join(at, "bin", "cli.js"), description, "-o", join(FOLDER, "a.ts")),
  );
  await against(peer("@hey-api/openapi-ts"), "hey-api types on A", 0.25, ours, (at) =>
    node(
      join(at, "dist", "run.mjs"),
      "-i",
      description,
      "-o",
      join(FOLDER, "hey"),
      "-p",
      "@hey-api/typescript",
      "--silent",
      "--no-log-file",
    ),
  );
  const small = await ratio(
    "G3",
    "full generate on C74 / its floor",
    1.4,
    generating(program, c74),
    flooring(c74),
    SHORT,
  );
  add({
    goal: "G2",
    what: "memory of C74",
    figures: `${rssOf(small, "ours").toFixed(0)} MB (goal 200)`,
    verdict: "shown",
  });
  await nothingChanged(c74);
  await oneChanged(project(join(FOLDER, "changed"), tools), tools);
  await linear(program, tools);
  await run(generating(program, c));
  await run(generating(program, more));
  await breaking(c, more);
  await sharedDefinitions(60);
  validators(tools.length, c, more);
  const tsc = peer("typescript");
  if (tsc !== undefined) await typeCost(c74, tools.slice(0, 74), tsc);
}

/** G1 against one peer, and G2 where it is openapi-typescript. */
async function against(
  at: string | undefined,
  name: string,
  bound: number,
  ours: Command,
  command: (at: string) => Command,
): Promise<void> {
  const what = `full generate on C / ${name}`;
  if (at === undefined) return add({ goal: "G1", what, figures: "could not be installed", verdict: "absent" });
  const raw = await ratio("G1", what, bound, ours, command(at), LONG);
  if (!name.startsWith("openapi-typescript")) return;
  const [mine, other] = [rssOf(raw, "ours"), rssOf(raw, "peer")];
  const figures = `${(mine / other).toFixed(2)}, bound 0.75; ${mine.toFixed(0)} MB against ${other.toFixed(0)} MB`;
  add({ goal: "G2", what: `memory on C / ${name}`, figures, verdict: mine <= 0.75 * other ? "met" : "missed" });
}

await (flags.quick ? quick : full)(bundled());
finish();
