/** Random programs that fail at a random line after writes, and are sent again, corrected: nothing is doubled, nothing lost. */

import { expect, test } from "vitest";
import type { JsonObject } from "../../../../runtime/codegen.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import { randomOf, SCALE } from "../../../support/random.js";
import { handler, principal } from "../../gateway/fixture.js";
import { onBoth, SLOW } from "./databases.js";

/** Programs, and how many are carried out at once. */
const PROGRAMS = Math.max(4, Math.round(200 * SCALE));
const AT_ONCE = 4;
const RUN = runSettingsOf({ engine: "cpython", limits: { wall_ms: SLOW, cpu_ms: SLOW } });
const FAULTS = ["1 / 0", '{}["nope"]', "[][1]", "undefined_name", 'raise ValueError("no")', "onto.task.delete()"];

/** Steps of a program, and what they make. */
interface Generated {
  readonly lines: readonly string[];
  readonly made: readonly string[];
  /** The first place, from 0, at which something is written. */
  readonly firstWrite: number;
}

/** Reads, writes whose arguments depend on them, loops, calls in parallel, batches, random values. */
function programOf(tag: string, random: () => number): Generated {
  const lines = ["import asyncio, random, uuid", `tag = "${tag}"`];
  const made: string[] = [];
  const create = (title: string): string => `onto.task.create(project_id="proj_1", title=${title})`;
  const write = (step: number): string => {
    made.push(`${tag} ${step}`);
    return create(`f"{tag} ${step}"`);
  };
  const kinds: readonly ((step: number) => string)[] = [
    (step) => `x${step} = ${write(step)}["id"]`,
    (step) => {
      const title = `${tag} count ${made.length} ${step}`;
      made.push(title);
      return `x${step} = ${create(`f"{tag} count {onto.task.search(search=tag)['count']} ${step}"`)}["id"]`;
    },
    (step) => {
      made.push(...[0, 1, 2].map((n) => `${tag} loop ${step} ${n}`));
      return `for n in range(3): ${create(`f"{tag} loop ${step} {n}"`)}`;
    },
    (step) => {
      made.push(...[0, 1, 2].map((n) => `${tag} gather ${step} ${n}`));
      return `x${step} = await asyncio.gather(*[${create(`f"{tag} gather ${step} {n}"`)} for n in range(3)])`;
    },
    (step) => `x${step} = onto.task.search(search=tag)["count"]`,
    (step) => {
      made.push(`${tag} random ${step}`);
      return `${create(`f"{tag} random ${step} {random.random()}{uuid.uuid4()}"[:40]`)}`;
    },
    (step) => `same = ${write(step)}; same = ${write(step)}`,
  ];
  const steps = 2 + Math.floor(random() * 5);
  let firstWrite = -1;
  for (let step = 0; step < steps || made.length === 0; step++) {
    const kind = kinds[Math.floor(random() * kinds.length)];
    if (kind) lines.push(kind(step));
    if (firstWrite < 0 && made.length > 0) firstWrite = lines.length;
  }
  return { lines: [...lines, '"end"'], made, firstWrite };
}

onBoth((at) => {
  test(`of ${PROGRAMS} programs, each write is made once`, { timeout: 20 * SLOW }, async () => {
    const titles: string[] = [];
    const { gateway } = at.server({
      approve: [],
      settings: { run: RUN },
      handlers: {
        "onto.task.create": handler(async ({ title }: JsonObject) => ({ id: `task_${titles.push(String(title))}` })),
        "onto.task.search": handler(async ({ search }: JsonObject) => ({
          count: titles.filter((one) => one.startsWith(`${search} `)).length,
        })),
      },
    });
    const send = (lines: readonly string[], after: string | undefined) => {
      const command = lines.join("\n");
      return gateway.run(after === undefined ? { command } : { command, after }, principal());
    };

    /** Fails once to three times, then ends. */
    async function carryOut(nth: number): Promise<void> {
      const random = randomOf(20_261_130 + nth);
      const { lines, made, firstWrite } = programOf(`p${nth}`, random);
      let id: string | undefined;
      for (let failures = 1 + Math.floor(random() * 3); failures > 0; failures--) {
        const place = firstWrite + Math.floor(random() * (lines.length - firstWrite));
        const fault = FAULTS[Math.floor(random() * FAULTS.length)] ?? "";
        const { text, isError } = await send(lines.toSpliced(place, 0, fault), id);
        expect(isError, text).toBe(true);
        id = /after="(run_\w+)"/.exec(text)?.[1];
        expect(id, `${lines.join("\n")}\n\n${text}`).toBeDefined();
      }
      expect(await send(lines, id), lines.join("\n")).toMatchObject({ text: "end", isError: false });
      const own = titles.filter((title) => title.startsWith(`p${nth} `));
      const known = own.map((title) => title.replace(/( random \d+) .*/, "$1"));
      expect(known.sort(), lines.join("\n")).toEqual([...made].sort());
    }

    for (let from = 0; from < PROGRAMS; from += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, PROGRAMS - from) }, (_, at) => from + at);
      await Promise.all(some.map(carryOut));
    }
  });
});
