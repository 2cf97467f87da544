/** TypeScript programs that pause, and go on in another process: what they drew, when it was, and what they called stays. */

import { expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/codegen.js";
import type { LanguageRows } from "../../../runtime/run/languages/table.js";
import { handler, principal } from "../../../test/runtime/gateway/fixture.js";
import { LENT_LANGUAGES } from "../../../test/runtime/gateway/lent-engines.js";
import { onBoth, SLOW } from "../../../test/runtime/run/kept/databases.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { sharedLanguage } from "../../../test/support/run/languages.js";

/** Two sets of processes: a run goes on in one that has not begun it. */
const languages: LanguageRows = [...LENT_LANGUAGES, sharedLanguage("typescript", 2)];

const fenced = (code: string): string => `\`\`\`ts\n${code}\n\`\`\``;
const PROGRAMS = Math.max(4, Math.round(100 * SCALE));

onBoth((at) => {
  function server(calls: [string, unknown][]) {
    const op = (name: string, answer: (args: JsonObject) => unknown) =>
      handler(async (args) => {
        calls.push([name, args]);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        return answer(args);
      });
    return at.server({
      handlers: {
        "onto.task.list": op("list", () => ({ count: 1 })),
        "onto.task.create": op("create", ({ title }) => ({ created: title })),
        "onto.task.delete": op("delete", ({ task_id }) => ({ deleted: task_id })),
        "util.echo.open": op("echo", ({ text }) => ({ text })),
      },
      options: { languages, clock: Date.now },
    }).gateway;
  }

  /** Runs a program to its end, with an approval of all that waits at each pause, each time on another server. */
  async function carriedOut(code: string) {
    const calls: [string, unknown][] = [];
    let { text } = await server(calls).run({ command: fenced(code) }, principal());
    let pauses = 0;
    for (; text.startsWith("Paused "); pauses++) {
      if (pauses > 20) throw new Error(text);
      const id = /run_\w+/.exec(text)?.[0] ?? text;
      await at.decidedOnly(id, [
        ...new Set([...text.matchAll(/(\d+): onto\.task\.delete/g)].map(([, place = ""]) => place)),
      ]);
      ({ text } = await server(calls).resume(id, undefined));
    }
    return { text, calls, pauses };
  }

  test("random numbers, UUIDs, bytes and times are the same after a pause", { timeout: SLOW }, async () => {
    const { text, calls, pauses } = await carriedOut(`
const draw = () => [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))], Date.now(), new Date(), performance.now(), Date()];
const before = draw();
await util.echo.open({ text: JSON.stringify(before) });
await new Promise((done) => setTimeout(done, 5));
const between = draw();
await onto.task.delete({ task_id: "task_1" });
const after = draw();
await onto.task.delete({ task_id: "task_2" });
[before, between, after, draw()]`);
    expect(pauses).toBe(2);
    const [before, between, after, last] = JSON.parse(text) as [unknown[], unknown[], unknown[], unknown[]];
    expect(calls[0]).toEqual(["echo", { text: JSON.stringify(before) }]);
    expect(calls.map(([op]) => op)).toEqual(["echo", "delete", "delete"]);
    expect(new Set([before, between, after, last].map(([, uuid]) => uuid)).size).toBe(4);
    for (const [one, next] of [
      [before, between],
      [between, after],
      [after, last],
    ] as const)
      expect(Number(next[3])).toBeGreaterThanOrEqual(Number(one[3]));
    for (const [, uuid] of [before, last])
      expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });

  test("a program that waits in many ways goes on in each", { timeout: SLOW }, async () => {
    const { text, calls } = await carriedOut(`
async function* ids() { for (let n = 1; n <= 2; n++) { await new Promise((go) => setTimeout(go, 1)); yield "task_" + n; } }
const settled = [];
for await (const task_id of ids()) {
  console.log("at", task_id);
  settled.push(...await Promise.allSettled([onto.task.delete({ task_id }), onto.task.list(), Promise.reject(new Error("own"))]));
}
const first = await Promise.race([onto.task.delete({ task_id: "task_3" }), new Promise((go) => setTimeout(() => go("late"), 1e6))]);
const any = await Promise.any([Promise.reject(1), onto.task.delete({ task_id: "task_4" })]);
[settled.map((one) => one.status === "fulfilled" ? Object.values(one.value)[0] : one.reason.message), first.deleted, any.deleted]`);
    expect(text).toBe('at task_1\nat task_2\n[["task_1",1,"own","task_2",1,"own"],"task_3","task_4"]');
    expect(calls.filter(([op]) => op === "delete").map(([, args]) => args)).toEqual(
      [1, 2, 3, 4].map((n) => ({ task_id: `task_${n}` })),
    );
  });

  test(`${PROGRAMS} random programs with timers and calls at once: no call is lost or doubled`, {
    timeout: SLOW,
  }, async () => {
    const random = randomOf(20_261_201);
    for (let n = 0; n < PROGRAMS; n++) {
      const lanes = n % 4 === 0 ? 20 : 2 + Math.floor(random() * 4);
      const sent: string[] = [];
      const code = [...Array(lanes).keys()].map((lane) => {
        const steps = [...Array(1 + Math.floor(random() * 3)).keys()].map((step) => {
          const name = `task_${n}_${lane}_${step}`;
          const kind = Math.floor(random() * 4);
          if (kind === 0) return "await pause();";
          if (kind === 1) return "await onto.task.list();";
          sent.push(name);
          return kind === 2
            ? `all.push((await onto.task.delete({ task_id: "${name}" })).deleted);`
            : `all.push((await onto.task.create({ project_id: "proj_1", title: "${name}", props: { r: Math.random() } })).created);`;
        });
        return `(async () => { ${steps.join(" ")} })()`;
      });
      const { text, calls } = await carriedOut(`
const all: string[] = [];
const pause = () => new Promise<void>((go) => setTimeout(go, Math.random() * 8));
await Promise.all([${code.join(", ")}]);
all.sort()`);
      expect(JSON.parse(text)).toEqual([...sent].sort());
      const made = calls.flatMap(([, args]) => {
        const { task_id, title } = args as { task_id?: string; title?: string };
        return task_id ?? title ?? [];
      });
      expect([...made].sort()).toEqual([...sent].sort());
    }
  });
});
