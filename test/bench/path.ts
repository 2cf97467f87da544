/**
 * From a task in words to a call of a right op, by scripted agents: what they send and read, in o200k tokens, how many calls it takes, and
 * how many tasks succeed. The tasks are in `path-tasks.json`: over the project of this checkout, twelve real MCP servers, and the HTTP
 * APIs of GitHub and Stripe. A scripted agent reads no better than words that are equal: it compares versions of toolwright, and does
 * not predict a model. Registries that are not at hand are left out; `--quick` installs nothing. Exit 1 if a goal is missed.
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { createGateway, type ProjectGateway } from "../../generator/entry/index.js";
import { CORPORA, hasCorpora } from "../support/corpora.js";
import { DIRECTORY, hasDescriptions, installDescriptions } from "./api-packages.js";
import { createReport, FOLDER, flags, putAway, ROOT } from "./report.js";

/** A task, and the ops of which a call is right. */
interface Task {
  readonly registry: "example" | "servers" | "github" | "stripe";
  readonly task: string;
  readonly ops: readonly string[];
}

/** What an agent has sent and read. */
interface Trip {
  tokens: number;
  calls: number;
  isRight: boolean;
}

/** Servers by the name of their pack: snapshots of `tools/list`. */
const SERVERS: Readonly<Record<string, string>> = {
  azure: "azure__mcp",
  chrome_devtools: "chrome-devtools-mcp",
  gmail: "gongrzhe__server-gmail-autoauth-mcp",
  heroku: "heroku__mcp-server",
  hosting: "hostinger-api-mcp",
  linear: "tacticlaunch__mcp-linear",
  mongodb: "mongodb-mcp-server",
  notion: "notionhq__notion-mcp-server",
  postman: "postman__postman-mcp-server",
  slack: "modelcontextprotocol__server-slack",
  supabase: "supabase__mcp-server-supabase",
  trello: "delorenj__mcp-server-trello",
};
const APIS = { github: "github.com/api.github.com.json", stripe: "stripe.com.json" } as const;

/** Ops that an agent tries, and requests for directories that it makes. */
const MAX_TRIES = 3;
const MAX_STEPS = 6;

/** Least share of tasks that succeed, and most tokens and calls on average. */
const GOALS = {
  reader: { right: 0.9, tokens: 800, calls: 4.1 },
  words: { right: 0.9, tokens: 350, calls: 2.2 },
  searcher: { right: 0.9, tokens: 350, calls: 2.2 },
  programmer: { right: 0.9, tokens: 350, calls: 2.2 },
} as const;

/** A new project; its root. */
function project(name: string, sources: string, files: Readonly<Record<string, string>>): string {
  const root = join(FOLDER, "path", name);
  putAway(root);
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  for (const [to, from] of Object.entries(files)) cpSync(from, join(root, "definitions", to));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `use: [ot]\nsources: [${sources}]\n`);
  return root;
}

/** The roots of the registries that are at hand. */
function rootsOf(): ReadonlyMap<string, string> {
  const roots = new Map([["example", ROOT]]);
  if (hasCorpora) {
    const files = Object.entries(SERVERS).map(([pack, file]) => [`servers/${pack}.json`, `${CORPORA}mcp/${file}.json`]);
    roots.set("servers", project("servers", "{ mcp: servers/*.json }", Object.fromEntries(files)));
  }
  if (!flags.quick || hasDescriptions())
    for (const [pack, file] of Object.entries(APIS)) {
      const from = join(installDescriptions(), DIRECTORY, file);
      roots.set(pack, project(pack, `{ openapi: ${pack}.json, pack: ${pack} }`, { [`${pack}.json`]: from }));
    }
  return roots;
}

function opened(root: string): Promise<ProjectGateway> {
  const words = [join(ROOT, "generator", "launch.mjs"), "generate", "--root", root];
  if (root !== ROOT) execFileSync(process.execPath, words, { stdio: "ignore" });
  return createGateway({ root, caller: { id: "agent", grant: { level: "admin", projects: "*" } } });
}

/** An agent at work on one task. */
class Agent {
  readonly trip: Trip = { tokens: 0, calls: 0, isRight: false };
  private readonly gateway: ProjectGateway;
  private readonly task: Task;
  private readonly ops: ReadonlySet<string>;

  constructor(gateway: ProjectGateway, task: Task) {
    this.gateway = gateway;
    this.task = task;
    this.ops = new Set(gateway.registry.tools.map(({ op }) => op));
  }

  private read(request: object, answer: string): string {
    this.trip.calls++;
    this.trip.tokens += countTokens(JSON.stringify(request)) + countTokens(answer);
    return answer;
  }

  async help(path: string): Promise<string> {
    return this.read({ path }, JSON.stringify(await this.gateway.help(path)));
  }

  async run(command: string): Promise<string> {
    return this.read({ command }, (await this.gateway.run(command)).text);
  }

  /** Ops in an answer, in its order. */
  named(answer: string): readonly string[] {
    return [...new Set(answer.match(/[A-Za-z_]\w*(?:\.\w+)+/g))].filter((name) => this.ops.has(name));
  }

  /** Parts of an answer, those with the most words of the task first. */
  byWords(parts: readonly string[]): readonly string[] {
    const sought = wordsOf(this.task.task);
    const shared = (part: string): number => [...wordsOf(part)].filter((word) => sought.has(word)).length;
    return [...parts].sort((a, b) => shared(b) - shared(a));
  }

  /** Calls candidates in turn, after their help where `reads` says so; a right one ends the task. */
  async tryAll(candidates: readonly string[], reads: (op: string) => boolean, isCode = false): Promise<void> {
    for (const op of candidates.slice(0, MAX_TRIES)) {
      if (reads(op)) await this.help(op);
      const isRight = this.task.ops.includes(op);
      if (!isRight && reads(op)) continue;
      this.read(isCode ? { command: `${op}()` } : { op, args: {} }, "");
      this.trip.isRight = isRight;
      if (isRight) return;
    }
  }
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .map((word) => word.replace(/(?<=\w{3})s$/, "")),
  );

/** Whether an answer shows how an op is called. */
const showsUse = (answer: string) => (op: string) => answer.includes(`${op}(`);

/** A request that a directory proposes, with words in it. */
function searchIn(answer: string, task: string): string | undefined {
  const { next } = JSON.parse(answer) as { readonly next?: { readonly path?: string } };
  return next?.path?.includes("<words>") ? next.path.replace("<words>", task) : undefined;
}

/** What each agent does with a task. */
const AGENTS: Readonly<Record<keyof typeof GOALS, (agent: Agent, task: string) => Promise<void>>> = {
  async reader(agent, task) {
    let answer = await agent.help("root");
    for (let step = 0; step < MAX_STEPS; step++) {
      const search = searchIn(answer, task);
      if (search !== undefined) {
        const found = await agent.help(search);
        return agent.tryAll(agent.named(found), (op) => !showsUse(found)(op));
      }
      const items = (JSON.parse(answer).items ?? []) as readonly object[];
      const ops = items.filter((item) => "op" in item).map((item) => JSON.stringify(item));
      if (ops.length > 0)
        return agent.tryAll(
          agent.byWords(ops).flatMap((one) => agent.named(one)),
          () => true,
        );
      const groups = items.map((item) => JSON.stringify(item));
      const [best = "{}"] = agent.byWords(groups);
      const { group, path } = JSON.parse(best) as { readonly group?: string; readonly path?: string };
      answer = await agent.help(group ?? path ?? "root");
    }
  },
  async words(agent, task) {
    const found = await agent.help(task);
    await agent.tryAll(agent.named(found), (op) => !showsUse(found)(op));
  },
  async searcher(agent, task) {
    const found = await agent.run(`ot.help(query=${JSON.stringify(task)})`);
    await agent.tryAll(agent.named(found), (op) => !showsUse(found)(op));
  },
  async programmer(agent, task) {
    const found = await agent.run(`ot.help(query=${JSON.stringify(task)}, info="full")`);
    await agent.tryAll(agent.named(found), () => false, true);
  },
};

const { add, finish } = createReport("path", "from a task to a call; o200k tokens of requests and answers");
const all: readonly Task[] = JSON.parse(readFileSync(new URL("path-tasks.json", import.meta.url), "utf8"));
const trips = new Map<keyof typeof GOALS, { readonly task: Task; readonly trip: Trip }[]>();

for (const [registry, root] of rootsOf()) {
  const gateway = await opened(root);
  for (const task of all.filter((one) => one.registry === registry))
    for (const [name, act] of Object.entries(AGENTS) as [keyof typeof GOALS, (typeof AGENTS)["words"]][]) {
      const agent = new Agent(gateway, task);
      await act(agent, task.task);
      trips.set(name, [...(trips.get(name) ?? []), { task, trip: agent.trip }]);
    }
  await gateway.close();
}

for (const [name, made] of trips) {
  const mean = (of: (trip: Trip) => number): number => made.reduce((sum, { trip }) => sum + of(trip), 0) / made.length;
  const right = made.filter(({ trip }) => trip.isRight).length;
  const goal = GOALS[name];
  const [tokens, calls] = [mean((trip) => trip.tokens), mean((trip) => trip.calls)];
  const isMet = right >= goal.right * made.length && tokens <= goal.tokens && calls <= goal.calls;
  const wanted = `goal ${Math.ceil(goal.right * made.length)}; ${goal.tokens}; ${goal.calls}`;
  const figures = `${right} of ${made.length} right, ${tokens.toFixed(0)} tokens, ${calls.toFixed(1)} calls (${wanted})`;
  add({ goal: "F1", what: `from a task to a call / ${name}`, figures, verdict: isMet ? "met" : "missed" });
  for (const { task } of made.filter(({ trip }) => !trip.isRight))
    process.stdout.write(`    ${name} did not find: ${task.registry}, "${task.task}"\n`);
}
finish();
