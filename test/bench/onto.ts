/**
 * Measures whether reads of the reference backend slow down with the table: each op on a project of 1,000 tasks (the
 * baseline) and on one of 100,000 (`--quick`: 10,000), in turn, in one database. Prints the ratio of the medians. The
 * figures are wall time, so the load of the machine is printed beside them. `--state URL` measures on PostgreSQL.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Context } from "toolwright/codegen";
import { SYSTEM } from "../../definitions/onto/backend/id.js";
import { insertEntity } from "../../definitions/onto/backend/rows.js";
import { queries } from "../../definitions/onto/backend/schema.js";
import { handlers, tables } from "../../definitions/onto/handlers.js";
import { silentLog } from "../../runtime/config/log.js";
import { openState, type State } from "../../runtime/state/open.js";

const { values: flags } = parseArgs({
  options: { quick: { type: "boolean" }, state: { type: "string", default: "" } },
});
const SMALL = 1000;
const LARGE = flags.quick ? 10_000 : 100_000;
const PAIRS = flags.quick ? 7 : 21;
const PER_TRANSACTION = 2000;
const VERBS = ["Call", "Write", "Review", "Plan", "Ship", "Test", "Fix", "Measure"];
const NOUNS = ["report", "contract", "supplier", "release", "invoice", "interface", "schedule", "budget", "prototype"];
const PEOPLE = ["Anna", "Boris", "Chen", "Dilara", "Emeka", "Farah", "Goran", "Hana"];

const context = (tx: Context["tx"]): Context => ({
  principal: { kind: "local", id: "bench", grant: { level: "admin", projects: "*" }, allowWrite: true },
  signal: new AbortController().signal,
  deadline: Number.POSITIVE_INFINITY,
  traceId: "tr_0000000000000000",
  ...(tx ? { tx } : {}),
  secret: () => "",
  fetch: () => Promise.reject(new Error("not here")),
  log: silentLog,
  progress: () => undefined,
  warn: () => undefined,
});

type Op = "onto.project.create" | "onto.task.list" | "onto.task.search" | "onto.project.graph.get" | "onto.task.create";

async function call(state: State, op: Op, args: object): Promise<unknown> {
  const mode = op.endsWith("create") ? "write" : "read";
  return state.transaction(mode, (tx) => handlers[op].run(args as never, context(tx)));
}

/** A project with that many tasks, written row by row through the backend's own inserts. */
async function project(state: State, size: number): Promise<string> {
  const made = (await call(state, "onto.project.create", {
    project: { name: `${size} tasks`, type_key: "project.business.bench", state_key: "planning" },
    entities: [],
    relationships: [],
  })) as { readonly project: { readonly id: string } };
  const { id } = made.project;
  for (let done = 0; done < size; done += PER_TRANSACTION) {
    process.stderr.write(`\r${size} tasks: ${done}   `);
    await state.transaction("write", async (tx) => {
      const store = {
        db: queries(tx),
        ctx: context(tx),
        now: new Date(1.8e12 + done).toISOString(),
        newId: SYSTEM.newId,
      };
      for (let i = done; i < Math.min(size, done + PER_TRANSACTION); i++)
        await insertEntity(store, "task", id, taskValues(i));
    });
  }
  process.stderr.write(`\r${size} tasks written   \n`);
  return id;
}

const pick = (words: readonly string[], i: number): string => words[i % words.length] ?? "";

const taskValues = (i: number) => ({
  title: `${pick(VERBS, i)} the ${pick(NOUNS, Math.floor(i / 8))} with ${pick(PEOPLE, Math.floor(i / 72))} ${i}`,
  description: `Step ${i} of the ${pick(NOUNS, i)}.`,
  type_key: "task.execute",
  state_key: i % 5 === 0 ? "done" : "todo",
  priority: 1 + (i % 5),
});

const MEASURED: readonly (readonly [about: string, op: Op, args: object])[] = [
  ["list, newest 50", "onto.task.list", { limit: 50, offset: 0 }],
  ["list, a page far back", "onto.task.list", { limit: 50, offset: 900 }],
  ["list, one state", "onto.task.list", { state_key: "done", limit: 50, offset: 0 }],
  ["search, common words", "onto.task.search", { search: "review the contract", limit: 20, offset: 0 }],
  ["search, a rare word", "onto.task.search", { search: "with 777", limit: 20, offset: 0 }],
  ["search, a typo", "onto.task.search", { search: "contarct", limit: 20, offset: 0 }],
  ["project graph", "onto.project.graph.get", {}],
  [
    "create, with look for similar",
    "onto.task.create",
    { title: "Call the supplier with Anna", type_key: "task.execute", state_key: "todo", priority: 3 },
  ],
];

const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

const root = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
const state = await openState({ url: flags.state, root });
try {
  await state.ensure(tables);
  const [small, large] = [await project(state, SMALL), await project(state, LARGE)];
  process.stdout.write(
    `${flags.state === "" ? "SQLite" : "PostgreSQL"}, ${PAIRS} pairs after one that does not count, load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  process.stdout.write(`${"".padEnd(30)} ${`${SMALL}`.padStart(10)} ${`${LARGE}`.padStart(10)}      ratio\n`);
  for (const [about, op, args] of MEASURED) {
    const figures: Readonly<Record<"small" | "large", number[]>> = { small: [], large: [] };
    for (let pair = 0; pair <= PAIRS; pair++) {
      const a = await timed(() => call(state, op, { ...args, project_id: small }));
      const b = await timed(() => call(state, op, { ...args, project_id: large }));
      if (pair > 0) figures.small.push(a);
      if (pair > 0) figures.large.push(b);
    }
    const [a, b] = [median(figures.small), median(figures.large)];
    process.stdout.write(
      `${about.padEnd(30)} ${a.toFixed(1).padStart(7)} ms ${b.toFixed(1).padStart(7)} ms ${(b / a).toFixed(2).padStart(10)}\n`,
    );
  }
} finally {
  await state.close();
  rmSync(root, { recursive: true, force: true });
}
