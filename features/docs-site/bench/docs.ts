/**
 * Measures CPU and memory of `docs build` for all tools of the real servers in the corpora, and for half of them. The
 * cost of a site of one op, mostly imports, is subtracted before the two are compared. `--quick` builds each once.
 */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HelpIndexFile } from "../../../runtime/contract/help.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { type Command, least, type Run, run } from "../../../test/bench/measure.js";
import { createReport, FOLDER, flags, ROOT } from "../../../test/bench/report.js";
import { hasCorpora, snapshotFiles } from "../../../test/support/corpora.js";

const ROUNDS = flags.quick ? 1 : 5;
/** How much more twice as many ops may take. */
const LINEAR = 2.2;
/** What a site of all ops may take. */
const GOAL_SECONDS = 4;
const GOAL_MB = 250;
const metIf = (is: boolean): "met" | "missed" => (is ? "met" : "missed");

const { add, finish } = createReport("docs", "CPU and memory of whole commands");
const LAUNCHER = join(ROOT, "generator", "launch.mjs");

/** A project with every tool of the corpora, generated. */
async function generatedCorpora(): Promise<string> {
  const root = join(FOLDER, "docs-all");
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
  for (const [name, text] of snapshotFiles()) writeFileSync(join(root, "definitions", "servers", name), text);
  await run({ args: [LAUNCHER, "generate", "--root", root], cwd: ROOT });
  return root;
}

/** The same with some of the tools: what the site is made from, and nothing else. */
function shortened(from: string, count: number): string {
  const root = join(FOLDER, `docs-${count}`);
  const read = <T>(name: string): T => JSON.parse(readFileSync(join(from, "generated", name), "utf8"));
  const [registry, index] = [read<Registry>("registry.json"), read<HelpIndexFile>("help/index.json")];
  // Every nth, so that each pack has its share.
  const tools = registry.tools.filter((_, at) => at % Math.round(registry.tools.length / count) === 0);
  const ops = Object.fromEntries(tools.flatMap(({ op }) => (index.ops[op] ? [[op, index.ops[op]]] : [])));
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "generated", "help"), { recursive: true });
  cpSync(join(from, "definitions", "toolwright.yaml"), join(root, "definitions", "toolwright.yaml"));
  writeFileSync(join(root, "generated", "registry.json"), JSON.stringify({ ...registry, tools }));
  writeFileSync(join(root, "generated", "help", "index.json"), JSON.stringify({ ...index, ops }));
  for (const { op } of tools)
    cpSync(join(from, "generated", "help", `${op}.md`), join(root, "generated", "help", `${op}.md`));
  return root;
}

/** Where sites are built: in memory, if possible. A disk that is busy takes up to 4 s of processor time for the files of one site. */
const SITES = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : FOLDER, "toolwright-sites-"));
process.once("exit", () => rmSync(SITES, { recursive: true, force: true }));

const building = (root: string): Command => ({
  args: [LAUNCHER, "docs", "build", "--root", root, "--out", join(SITES, "site"), "--json"],
  cwd: ROOT,
  before: () => rmSync(join(SITES, "site"), { recursive: true, force: true }),
});

async function linear(): Promise<void> {
  const all = await generatedCorpora();
  const ops = (one: Run | undefined): number => JSON.parse(one?.stdout ?? "{}").ops;
  const total = JSON.parse(readFileSync(join(all, "generated", "registry.json"), "utf8")).tools.length;
  const roots = [shortened(all, 1), shortened(all, total / 2), all];
  const runs: Run[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, root] of roots.entries()) runs[at]?.push(await run(building(root)));
  const [imports, half, whole] = runs.map((some) => least(some.map(({ cpu }) => cpu))) as [number, number, number];
  const [, halfMemory, memory] = runs.map((some) => least(some.map(({ rss }) => rss))) as [number, number, number];
  const factor = (whole - imports) / (half - imports);
  const counts = `${ops(runs[2]?.[0])} ops / ${ops(runs[1]?.[0])}`;
  const figures = `${factor.toFixed(2)}, bound ${LINEAR}; ${whole.toFixed(2)} s against ${half.toFixed(2)} s`;
  add({ goal: "D1", what: `site of ${counts}, imports taken off`, figures, verdict: metIf(factor <= LINEAR) }, runs);
  const time = `${whole.toFixed(2)} s of CPU (goal ${GOAL_SECONDS} s)`;
  add({ goal: "D1", what: `site of ${ops(runs[2]?.[0])} ops`, figures: time, verdict: metIf(whole <= GOAL_SECONDS) });
  const growth = `${memory.toFixed(0)} MB against ${halfMemory.toFixed(0)} MB (goal ${GOAL_MB} MB)`;
  add({ goal: "D2", what: `memory, site of ${counts}`, figures: growth, verdict: metIf(memory <= GOAL_MB) });
}

if (hasCorpora) await linear();
else add({ goal: "D1", what: "the site", figures: "the corpora are not beside the checkout", verdict: "absent" });
finish();
