/**
 * Measures how long another client waits for the answer to a ping while a server is attacked: 50th and 99th percentile,
 * and the slowest. Attacks are hostile frames on each transport, bodies of 4 MB of each kind of JSON, programs that are
 * hard to parse, texts for slow patterns, and answers of upstream servers: as large as they may be, and too large. The figures are wall time without the time that the server's main thread
 * waited for a processor. `--quick` makes one attack of a kind, for half a second.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { raw, type ServedEverywhere, serveEverywhere } from "../support/http.js";
import { generatedRoot, temporaryFolder } from "../support/project.js";
import { randomOf } from "../support/random.js";
import { hostileFrames, LARGE_BODIES } from "../support/servers/hostile-frames.js";
import { type Liveness, pingsDuring } from "../support/servers/liveness.js";
import { HUGE_FORMS, HUGE_SERVERS, serveHuge } from "../support/upstream/huge.js";
import { createReport, flags, shown, within } from "./report.js";

const GOAL_MS = 100;
const AT_LEAST_MS = flags.quick ? 500 : 3000;
const TOGETHER = 50;

const { add, finish } = createReport("liveness", "wall time of pings");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** A tool whose text has a form. */
const demoOf = (pattern: string): string => `export const pack = { summary: "Texts." };

interface Text {
  /** @pattern ${pattern} */
  text: string;
}

/**
 * Says what it was told.
 *
 * @kind read
 */
export function echo({ text }: Text): string {
  return text;
}
`;

/** Programs of up to 250,000 characters that are hard to read. */
const SOURCES: readonly (readonly [what: string, code: string])[] = [
  ["spaces before a value", `${" ".repeat(249_000)}1`],
  ["members in a row", `"a"${".b".repeat(120_000)}`],
  ["statements on one line", "a=1;".repeat(60_000)],
  ["parentheses", "(".repeat(120_000)],
  ["back-ticks", "`".repeat(250_000)],
];

const calling = (name: string, args: object): string =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });

function line(what: string, { p50, p99, worst, answered, unanswered, faults }: Liveness): void {
  const lost = unanswered > 0 || faults.length > 0 ? `; ${unanswered} without an answer ${faults.join(", ")}` : "";
  const figures = `p50 ${shown(p50)}, p99 ${shown(p99)}, slowest ${shown(worst)} of ${answered} (goal p99 ${GOAL_MS} ms)${lost}`;
  const verdict = lost === "" ? within(p99, GOAL_MS) : "missed";
  add({ goal: "L1", what: `ping during ${what}`, figures, verdict }, { p50, p99, worst });
}

type Attack = readonly [name: string, attack: () => Promise<unknown>];

/** The slowest of several attacks of a kind, so that each kind is one row. */
async function kind(what: string, all: readonly Attack[]): Promise<void> {
  const attacks = flags.quick ? all.slice(0, 1) : all;
  const seen: (readonly [string, Liveness])[] = [];
  for (const [name, attack] of attacks)
    seen.push([name, await pingsDuring(target(), attack, { atLeastMs: AT_LEAST_MS, tries: 1, graceMs: 20_000 })]);
  const [slowest] = seen.sort(([, a], [, b]) => b.p99 - a.p99);
  if (slowest) line(`${what}, slowest of ${attacks.length}: ${slowest[0]}`, slowest[1]);
}

let server: ServedEverywhere;
const target = () => ({ socket: server.socket, pid: server.child.pid });
const post = (body: string): Promise<unknown> => raw(server.url, { body }).catch(() => undefined);

async function ended(child: ServedEverywhere["child"]): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
}

/** Starts the server again: an attack may have left it without an answer. */
async function start(root: string): Promise<void> {
  if (server) await ended(server.child);
  server = await serveEverywhere(root, [], async (clean) => later(clean));
  server.child.stdout?.resume();
}

function frames(): readonly (readonly [string, () => Promise<unknown>])[] {
  const next = hostileFrames(randomOf(20261123));
  const some = (): readonly Buffer[] => Array.from({ length: TOGETHER }, next);
  const lines = (): Buffer => Buffer.concat(some().flatMap((one) => [one, Buffer.from("\n")]));
  const overSocket = async (): Promise<void> => {
    const socket = createConnection(server.socket).resume();
    socket.on("error", () => undefined).end(lines());
    await Promise.race([new Promise((resolve) => socket.once("close", resolve)), sleep(200)]);
    socket.destroy();
  };
  const overStdin = async (): Promise<void> => {
    server.child.stdin?.write(lines());
    await sleep(5);
  };
  const overHttp = async (): Promise<void> => {
    await Promise.race([
      Promise.all(some().map((one) => raw(server.url, { body: one }).catch(() => undefined))),
      sleep(200),
    ]);
  };
  return [
    ["stdio", overStdin],
    ["socket", overSocket],
    ["HTTP", overHttp],
  ];
}

/** A generated project with that tool; undefined where `generate` refuses the pattern. */
function rootOf(pattern: string): Promise<string | undefined> {
  const definitions = join(temporaryFolder(later), "definitions");
  mkdirSync(definitions);
  writeFileSync(join(definitions, "demo.ts"), demoOf(pattern));
  writeFileSync(join(definitions, "toolwright.yaml"), "sources: [{ functions: demo.ts }]\n");
  return generatedRoot(definitions, later).catch(() => undefined);
}

async function patterns(pattern: string): Promise<void> {
  const root = await rootOf(pattern);
  const what = `texts for the pattern ${pattern}`;
  if (root === undefined) return add({ goal: "L1", what, figures: "generate refuses the pattern", verdict: "shown" });
  await start(root);
  await kind(what, [["commas", () => post(calling("tool_exec", { op: "demo.echo", args: { text: ",".repeat(40) } }))]]);
}

/** Each source on a server of its own: a blocked one would not answer the next source either. */
async function sources(root: string): Promise<void> {
  for (const [name, code] of SOURCES) {
    await start(root);
    const attack = (): Promise<unknown> => Promise.race([post(calling("run", { command: code })), sleep(5_000)]);
    line(`run of ${name}`, await pingsDuring(target(), attack, { atLeastMs: AT_LEAST_MS, tries: 1, graceMs: 5_000 }));
  }
}

/** Bytes of answers: near to the bound, a tenth of that for forms of many small parts, and beyond it. */
const ANSWER_SIZES = [400_000, 4_000_000, 31_000_000];

/** Answers of upstream servers, in which the pinged server is a client. */
async function upstreams(): Promise<void> {
  const huge = await serveHuge({ timeout: 60 }, later);
  await ended(server.child);
  server = huge.server;
  for (const name of HUGE_SERVERS)
    for (const bytes of ANSWER_SIZES)
      await kind(
        `answers of ${bytes} bytes of an upstream server (${name})`,
        HUGE_FORMS.map((form) => [form, () => huge.call(name, form, bytes).catch(() => undefined)]),
      );
}

try {
  const root = await rootOf("^.*$");
  if (root === undefined) throw new Error("the project cannot be generated");
  await start(root);
  line("nothing", await pingsDuring(target(), () => sleep(AT_LEAST_MS), { tries: 1 }));
  await kind("frames", frames());
  await kind(
    "bodies of 4 MB",
    LARGE_BODIES.map(([name, body]) => [name, () => post(body)]),
  );
  await patterns("^(.*,){25}x");
  await sources(root);
  await upstreams();
} finally {
  for (const clean of cleaning.reverse()) await clean();
}
finish();
