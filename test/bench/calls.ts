/**
 * Measures what a call costs, beside a bare server of the official SDK whose one tool answers at once: `ot.version` over
 * stdio, one call after another and 50 at once, and over HTTP; a list of 20 tasks beside the query alone; dispatch in
 * this process; and whether a call, a question and the memory grow with the number of ops. All sides are called in turn
 * by the same client. Wall time unless a row says CPU, which is that of the server. `--quick` makes fewer calls, and
 * leaves out the growth.
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { localPrincipal } from "../../runtime/gateway/gateway.js";
import { hasCorpora, snapshotFiles } from "../support/corpora.js";
import { serveHttp } from "../support/http.js";
import { openRoot } from "../support/open-root.js";
import { freshRoot, type Json, temporaryFolder, toolwright } from "../support/project.js";
import {
  bareHttp,
  bareStdio,
  type CalledSide,
  callOp,
  ECHO,
  httpClient,
  ownStdio,
  type ToolCall,
} from "./call-sides.js";
import { figures, inTurn, least, processMs, ratios, type Sides, spreads } from "./measure.js";
import { createReport, flags } from "./report.js";

const PAIRS = flags.quick ? 3 : 9;
/** Calls of one batch that is timed, and calls that warm a server. */
const BATCH = flags.quick ? 500 : 2000;
const WARM = 2 * BATCH;
const AT_ONCE = 50;

/** Bounds of the issue: times that a call of ours may take beside the bare one. */
const BOUND = { oneByOne: 1.3, atOnce: 1 / 0.7, list: 2, growth: 1.5 } as const;
const DISPATCH_US = 60;

const { add, finish } = createReport("calls", "wall time, and CPU of servers");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** A side with the call that it is asked for. */
interface Asked {
  readonly side: CalledSide;
  readonly call: ToolCall;
}

/** Makes some calls, so many at once. */
async function calls({ side, call }: Asked, count: number, atOnce: number): Promise<void> {
  let left = count;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await side.call(call);
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
}

/** Milliseconds of a call, by the clock, and of the server's processor. */
async function batch(asked: Asked, atOnce: number): Promise<Readonly<Record<"wall" | "cpu", number>>> {
  const [before, begun] = [processMs(asked.side.pid), performance.now()];
  await calls(asked, BATCH, atOnce);
  return { wall: (performance.now() - begun) / BATCH, cpu: (processMs(asked.side.pid) - before) / BATCH };
}

/** Adds a row of both ratios. */
function row(goal: string, what: string, sides: Sides<number>, bound?: number): void {
  const { minima, paired } = ratios(sides);
  const ratio = Math.min(minima, paired);
  const wanted = bound === undefined ? "" : `, bound ${bound.toFixed(2)}`;
  const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)})${wanted}; ${micro(least(sides.ours))} against ${micro(least(sides.peer))}`;
  const missed = spreads(sides) ? "inconclusive" : "missed";
  const verdict = bound === undefined ? "shown" : ratio <= bound ? "met" : missed;
  add({ goal, what, figures, verdict, ratio }, sides);
}

const micro = (ms: number): string => `${(1000 * ms).toFixed(0)} µs`;

/** What a row of two servers is measured with. */
interface Measuring {
  readonly atOnce?: number;
  readonly bound?: number;
}

/** Measures a call of ours beside that of a bare server: by the clock, and in CPU of the servers. */
async function compare(goal: string, what: string, ours: Asked, peer: Asked, measuring: Measuring = {}): Promise<void> {
  const { atOnce = 1, bound } = measuring;
  for (const one of [ours, peer]) await calls(one, WARM, atOnce);
  const raw = await inTurn(
    () => batch(ours, atOnce),
    () => batch(peer, atOnce),
    PAIRS,
    ({ wall }) => wall,
  );
  row(
    goal,
    what,
    figures(raw, ({ wall }) => wall),
    bound,
  );
  if (process.platform === "linux")
    row(
      goal,
      `${what}, CPU of the servers`,
      figures(raw, ({ cpu }) => cpu),
    );
}

async function overStdio(root: string): Promise<void> {
  const [own, bare] = [await ownStdio(root), await bareStdio("bare-stdio.mjs")];
  const [ours, peer] = [
    { side: own, call: callOp("ot.version") },
    { side: bare, call: ECHO },
  ];
  await compare("C1", "a call over stdio / of a bare server", ours, peer, { bound: BOUND.oneByOne });
  await compare("C2", `${AT_ONCE} calls at once over stdio / of a bare server`, ours, peer, {
    ...{ atOnce: AT_ONCE, bound: BOUND.atOnce },
  });
  await Promise.all([own.close(), bare.close()]);
}

async function overHttp(root: string): Promise<void> {
  const { url, child, signal, exit } = await serveHttp(root, [], later);
  const own = httpClient(child.pid ?? 0, new URL(url), async () => {
    signal("SIGTERM");
    await exit;
  });
  const bare = await bareHttp();
  const [ours, peer] = [
    { side: own, call: callOp("ot.version") },
    { side: bare, call: ECHO },
  ];
  await compare("C3", "a call over HTTP / of a bare server", ours, peer);
  await compare("C3", `${AT_ONCE} calls at once over HTTP / of a bare server`, ours, peer, { atOnce: AT_ONCE });
  await Promise.all([own.close(), bare.close()]);
}

/** A list of 20 tasks beside the query alone, which reads the same file. */
async function lists(root: string): Promise<void> {
  const own = await ownStdio(root, ["--allow-write"]);
  const project_id = await projectOfTasks(own);
  const bare = await bareStdio("bare-list.mjs", join(root, ".onetool", "state.db"));
  const ours = { side: own, call: callOp("onto.task.list", { project_id, limit: 20 }) };
  const peer = { side: bare, call: { name: "list", arguments: { project_id } } };
  for (const one of [ours, peer])
    if (!(await one.side.call(one.call)).includes("Task 49")) throw new Error("the list is not that of the tasks");
  await compare("C4", "a list of 20 tasks over stdio / the query of a bare server", ours, peer, { bound: BOUND.list });
  await Promise.all([own.close(), bare.close()]);
}

/** Creates a project of 50 tasks. */
async function projectOfTasks(side: CalledSide): Promise<string> {
  const made = async (op: string, args: object): Promise<Json> => {
    const { structuredContent } = JSON.parse(await side.call(callOp(op, args))).result;
    if (!structuredContent.ok) throw new Error(JSON.stringify(structuredContent));
    return structuredContent.result;
  };
  const project = { name: "bench", type_key: "project.business.bench" };
  const { id } = (await made("onto.project.create", { project, entities: [], relationships: [] })).project;
  const more = { description: "What is to be done, said in a sentence.", type_key: "task.execute", state_key: "todo" };
  for (let i = 0; i < 50; i++)
    await made("onto.task.create", { project_id: id, title: `Task ${i}`, priority: 3, ...more });
  return id;
}

/** CPU of a dispatched call that does nothing, in this process. */
async function dispatching(root: string): Promise<void> {
  const { gateway } = await openRoot(root, "", later);
  const principal = localPrincipal(gateway.settings);
  const some = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let i = 0; i < BATCH; i++) await gateway.dispatch({ op: "ot.version", args: {} }, principal);
    await gateway.recorder?.flush();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / BATCH;
  };
  await some();
  const times: number[] = [];
  for (let i = 0; i < 2 * PAIRS; i++) times.push(await some());
  const best = least(times);
  add(
    {
      goal: "C5",
      what: "dispatch of an op that does nothing, CPU with its row of statistics",
      figures: `${micro(best)} (goal ${DISPATCH_US} µs)`,
      verdict: best <= DISPATCH_US / 1000 ? "met" : "missed",
    },
    { times },
  );
}

/** A generated project with the tools of real servers, each server so many times under other names. */
async function manyOps(times: number): Promise<string> {
  const root = temporaryFolder(later);
  const folder = join(root, "definitions", "servers");
  mkdirSync(folder, { recursive: true });
  for (let i = 0; i < times; i++)
    for (const [name, text] of snapshotFiles()) writeFileSync(join(folder, i === 0 ? name : `x${i}-${name}`), text);
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    stringify({ use: ["ot"], sources: [{ mcp: "servers/*.json" }] }),
  );
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr.slice(-2000));
  return root;
}

/** Asked of a server with few ops and of one with many. */
const GROWING: readonly (readonly [what: string, call: ToolCall])[] = [
  ["a call", callOp("ot.version")],
  ["the help of an op", { name: "tool_help", arguments: { path: "ot.version" } }],
  ["a question", callOp("ot.help", { query: "which version is installed" })],
];

/** Whether a call takes longer where there are more ops. */
async function growth(few: string): Promise<void> {
  if (!hasCorpora) return void process.stdout.write("../shared is not there\n");
  for (const times of [1, 4]) {
    const root = await manyOps(times);
    const { length } = JSON.parse(readFileSync(join(root, "generated", "registry-index.json"), "utf8")).tools;
    const [own, peer] = [await ownStdio(root), await ownStdio(few)];
    for (const [what, call] of GROWING)
      await compare(
        "C6",
        `${what} with ${length} ops / with those of this repository`,
        { side: own, call },
        { side: peer, call },
        {
          bound: BOUND.growth,
        },
      );
    await Promise.all([own.close(), peer.close()]);
  }
}

try {
  const root = freshRoot(later);
  await overStdio(root);
  await overHttp(root);
  await lists(root);
  await dispatching(freshRoot(later));
  if (!flags.quick) await growth(freshRoot(later));
} finally {
  for (const clean of cleaning.reverse()) await clean();
}
finish();
