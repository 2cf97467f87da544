/** Servers that are killed at every point of the work on a program: another one goes on, and no effect is lost or doubled. */

import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import type { State } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { CHECKOUT } from "../../../support/project.js";
import { randomOf, SCALE } from "../../../support/random.js";
import { DATABASES, type Place } from "../../state/databases.js";
import type { Life } from "./mortal-server.js";

const SERVER = fileURLToPath(new URL("mortal-server.ts", import.meta.url));
/** Programs that a server carries out at once. */
const AT_ONCE = Math.max(5, Math.round(50 * SCALE));
const BATCHES = Math.max(1, Math.round(10 * SCALE * SCALE));
/** Servers of a batch that are killed; the next one ends the work. */
const KILLED = Math.max(1, Math.round(3 * SCALE));
const LONG_AGO = "2026-01-01T00:00:00.000Z";

/** A random program, the answer that it gives, and the effects that it has. */
interface Program {
  readonly command: string;
  readonly answer: unknown;
  readonly sent: readonly string[];
  readonly stored: readonly string[];
}

/** How a language writes the steps of a program. */
interface Writing {
  readonly name: string;
  readonly start: readonly string[];
  /** Steps: the code that appends what a call gives to the list of answers. */
  readonly list: string;
  remove(task: string): string;
  create(title: string): string;
  atOnce(chains: readonly (readonly [name: string, again: boolean])[]): string;
  end(task: string): readonly string[];
  /** The command of a program. */
  command(lines: readonly string[]): string;
}

const PYTHON: Writing = {
  name: "Python",
  start: [
    "import asyncio",
    `async def chain(name, again):
    first = await onto.task.delete(task_id=name)
    count = (await onto.task.list())["count"]
    if again:
        second = await onto.task.create(project_id="proj_1", title=name + "_" + str(count))
        return [first["deleted"], second["created"]]
    return [first["deleted"]]`,
    "done = []",
  ],
  list: 'done.append(onto.task.list()["count"])',
  remove: (task) => `done.append(onto.task.delete(task_id="${task}")["deleted"])`,
  create: (title) => `done.append(onto.task.create(project_id="proj_1", title="${title}")["created"])`,
  atOnce: (chains) =>
    `done.append(await asyncio.gather(${chains.map(([one, again]) => `chain("${one}", ${again ? "True" : "False"})`).join(", ")}))`,
  end: (task) => [`onto.task.delete(task_id="${task}")`, "done"],
  command: (lines) => lines.join("\n"),
};

/** With timers; what depends on chance and time is an argument, which must be the same when the program goes on. */
const TYPESCRIPT: Writing = {
  name: "TypeScript",
  start: [
    "const seen = () => ({ u: crypto.randomUUID(), r: Math.random(), at: Date.now(), ms: performance.now() });",
    "const pause = () => new Promise<void>((go) => setTimeout(go, Math.random() * 5));",
    "const made = async (title: string) => (await onto.task.create({ project_id: 'proj_1', title, props: seen() })).created;",
    `const chain = async (name: string, again: boolean) => {
  const first = await onto.task.delete({ task_id: name });
  await pause();
  const { count } = await onto.task.list();
  return again ? [first.deleted, await made(\`\${name}_\${count}\`)] : [first.deleted];
};`,
    "const done: any[] = [];",
  ],
  list: "done.push((await onto.task.list()).count); await pause();",
  remove: (task) => `done.push((await onto.task.delete({ task_id: "${task}" })).deleted);`,
  create: (title) => `done.push(await made("${title}"));`,
  atOnce: (chains) =>
    `done.push(await Promise.all([${chains.map(([one, again]) => `chain("${one}", ${again})`).join(", ")}]));`,
  end: (task) => [`await onto.task.delete({ task_id: "${task}" });`, "done"],
  command: (lines) => `\`\`\`ts\n${lines.join("\n")}\n\`\`\``,
};

/** Kinds of steps. */
const KINDS = 4;
/** Chains of calls at once: a few, or in one of five steps many. */
const MANY_CHAINS = 20;
const chainsOf = (random: () => number): number => (random() < 0.2 ? MANY_CHAINS : 2 + Math.floor(random() * 3));

/** Steps in a row: reads, writes of both kinds, and calls in parallel that go on with what they were answered. */
function programOf(writing: Writing, tag: string, random: () => number): Program {
  const lines = [...writing.start];
  const [answer, sent, stored]: [unknown[], string[], string[]] = [[], [], []];
  const steps = 2 + Math.floor(random() * 4);
  for (let step = 0; step < steps; step++) {
    const name = `task_${tag}_${step}`;
    const kind = Math.floor(random() * KINDS);
    if (kind === 0) {
      lines.push(writing.list);
      answer.push(1);
    } else if (kind === 1) {
      lines.push(writing.remove(name));
      answer.push(name);
      sent.push(name);
    } else if (kind === 2) {
      lines.push(writing.create(name));
      answer.push(name);
      stored.push(name);
    } else {
      const chains = Array.from({ length: chainsOf(random) }, (_, i) => [`${name}_${i}`, random() < 0.5] as const);
      lines.push(writing.atOnce(chains));
      answer.push(chains.map(([one, again]) => (again ? [one, `${one}_1`] : [one])));
      for (const [one, again] of chains) {
        sent.push(one);
        if (again) stored.push(`${one}_1`);
      }
    }
  }
  const last = `task_${tag}_end`;
  lines.push(...writing.end(last));
  return { command: writing.command(lines), answer, sent: [...sent, last], stored };
}

/** A program with a call of each kind. */
function shortProgram(writing: Writing, tag: string): Program {
  const [removed, created, last] = ["removed", "created", "end"].map((name) => `task_${tag}_${name}`) as [
    string,
    string,
    string,
  ];
  const lines = [
    ...writing.start,
    writing.list,
    writing.remove(removed),
    writing.create(created),
    ...writing.end(last),
  ];
  return { command: writing.command(lines), answer: [1, removed, created], sent: [removed, last], stored: [created] };
}

/** A server's life: its answers; undefined if it was killed. */
async function lived(life: Life): Promise<readonly string[] | undefined> {
  const args = ["--import", "tsx", "-C", "toolwright-source", SERVER, JSON.stringify(life)];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: CHECKOUT });
    return JSON.parse(stdout);
  } catch (error) {
    if (error instanceof Error && "signal" in error && error.signal === "SIGKILL") return undefined;
    throw error;
  }
}

/** Each program has at least so many points, so that the first server is killed. */
const FEWEST_POINTS = 8;

/** Lets servers carry programs out, of which the first ones are killed. */
async function carriedOut(life: Omit<Life, "killAt">, random: () => number, state: State) {
  for (let kills = 0, turn = 0; ; turn++) {
    const most = FEWEST_POINTS * AT_ONCE * (turn + 1);
    const said = await lived({ ...life, killAt: turn < KILLED ? 1 + Math.floor(random() * most) : 0 });
    if (said) return { kills, texts: said };
    kills += 1;
    await endLeases(state);
  }
}

/** Ends the leases of a server that was killed, for which a test need not wait. */
const endLeases = (state: State): Promise<unknown> =>
  state.transaction("write", async (tx) => {
    await queries(tx).updateTable("runs").set({ lease_until: LONG_AGO }).execute();
    await queries(tx).updateTable("ledger").set({ lease_until: LONG_AGO }).execute();
  });

async function effectsOf(
  { root }: Place,
  state: State,
): Promise<{ readonly sent: readonly string[]; readonly stored: readonly string[] }> {
  const file = join(root, "effects");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  const rows = await state.transaction("read", (tx) =>
    sql<{ task: string }>`select task from effects`.execute(queries(tx)),
  );
  return { sent: lines.map((line) => line.split(" ")[1] ?? ""), stored: rows.rows.map(({ task }) => task) };
}

describe.each(DATABASES)("with $name", ({ name, skip, place }) => {
  describe.skipIf(skip)("kills", () => {
    test.each([PYTHON, TYPESCRIPT])(
      `${BATCHES * AT_ONCE} programs in $name whose servers are killed, ${KILLED} of each batch, are carried out once`,
      {
        timeout: 60_000 + BATCHES * 240_000,
        tags: name === "SQLite" ? "slow" : "full",
      },
      async (writing) => {
        const here = await place();
        const state = await here.open();
        await state.transaction("write", (tx) => sql`create table effects (task text)`.execute(queries(tx)));
        const random = randomOf(20_261_126);
        const all: Program[] = [];
        let kills = 0;
        for (let batch = 0; batch < BATCHES; batch++) {
          const made = Array.from({ length: AT_ONCE }, (_, i) => programOf(writing, `${batch}_${i}`, random));
          all.push(...made);
          const programs = made.map(({ command }) => command);
          const ended = await carriedOut({ url: here.url, root: here.root, programs }, random, state);
          kills += ended.kills;
          expect(ended.texts.map(read)).toEqual(made.map(({ answer }) => answer));
        }
        const { sent, stored } = await effectsOf(here, state);
        expect([...sent].sort()).toEqual(all.flatMap((one) => one.sent).sort());
        expect([...stored].sort()).toEqual(all.flatMap((one) => one.stored).sort());
        expect(kills).toBeGreaterThan(0);
        await state.close();
        await here.remove();
      },
    );

    test.each([PYTHON, TYPESCRIPT])(
      "a program in $name is carried out once, at whichever of its points the server is killed",
      { timeout: 1_800_000, tags: "full" },
      async (writing) => {
        const here = await place();
        const state = await here.open();
        await state.transaction("write", (tx) => sql`create table effects (task text)`.execute(queries(tx)));
        const all: Program[] = [];
        for (let killAt = 1, isKilled = true; isKilled; killAt++) {
          const program = shortProgram(writing, String(killAt));
          all.push(program);
          const life = { url: here.url, root: here.root, programs: [program.command] };
          const first = await lived({ ...life, killAt });
          isKilled = first === undefined;
          if (isKilled) await endLeases(state);
          const texts = first ?? (await lived({ ...life, killAt: 0 })) ?? [];
          expect(texts.map(read)).toEqual([program.answer]);
        }
        expect(all.length).toBeGreaterThan(FEWEST_POINTS);
        const { sent, stored } = await effectsOf(here, state);
        expect([...sent].sort()).toEqual(all.flatMap((one) => one.sent).sort());
        expect([...stored].sort()).toEqual(all.flatMap((one) => one.stored).sort());
        await state.close();
        await here.remove();
      },
    );
  });
});

/** An answer; the text of an error. */
function read(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
