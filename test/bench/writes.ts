/**
 * Measures writes a second, each a row in a transaction of its own: by 16 callers in one process, and by as many in
 * three, on PostgreSQL if `TOOLWRIGHT_TEST_POSTGRES` is a URL. The same writes in one order, as under one lock for all,
 * are measured in turn with those that wait for nothing. Wall time.
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { DATABASES, type Place } from "../runtime/state/databases.js";
import { median } from "./measure.js";
import { createReport, flags } from "./report.js";

const CALLERS = 16;
const MS = flags.quick ? 1000 : 4000;
const ROUNDS = flags.quick ? 1 : 5;
/** Writes a second that one process has to reach. */
const GOAL = 2000;

const SCRIPT = fileURLToPath(new URL("children/writer.ts", import.meta.url));

/** Starts a process, which waits for its sign. */
async function writer(place: Place, callers: number, how: string): Promise<ChildProcess> {
  const flagged = ["--import", "tsx", "-C", "toolwright-source", SCRIPT];
  const args = [...flagged, place.url, place.root, String(MS), String(callers), how];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

/** Writes a second of processes that write at the same time. */
async function rate(place: Place, processes: number, how: "ordered" | "free"): Promise<number> {
  const shares = Array.from({ length: processes }, (_, i) => Math.floor((CALLERS + i) / processes));
  const children = await Promise.all(shares.map((callers) => writer(place, callers, how)));
  const counts = children.map(async (child) => {
    child.stdin?.write("go\n");
    const [said] = await once(child.stdout as NodeJS.EventEmitter, "data");
    return Number(String(said));
  });
  const all = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  return (1000 * all) / MS;
}

const { add, finish } = createReport("writes", "wall time, writes a second");
for (const { name, skip, place: newPlace } of DATABASES.slice(1)) {
  if (skip) {
    add({ goal: "W1", what: name, figures: "TOOLWRIGHT_TEST_POSTGRES is no URL", verdict: "absent" });
    continue;
  }
  const place = await newPlace();
  await (await place.open()).close();
  const [ordered, one, three] = [[], [], []] as [number[], number[], number[]];
  for (let round = 0; round < ROUNDS; round++) {
    ordered.push(await rate(place, 1, "ordered"));
    one.push(await rate(place, 1, "free"));
    three.push(await rate(place, 3, "free"));
  }
  await place.remove();
  const [before, alone, beside] = [median(ordered), median(one), median(three)];
  const isBusy = (loadavg()[0] ?? 0) > cpus().length;
  const verdict = (isMet: boolean) => (isMet ? "met" : isBusy ? "inconclusive" : "missed");
  const whole = (rate: number): string => rate.toFixed(0);
  add(
    {
      goal: "W1",
      what: `writes a second, ${CALLERS} callers / in one order, ${name}`,
      figures: `${(alone / before).toFixed(2)}; ${whole(alone)} against ${whole(before)} (goal ${GOAL})`,
      verdict: verdict(alone >= GOAL),
    },
    { ordered, one },
  );
  add(
    {
      goal: "W2",
      what: `writes a second, three processes / one, ${name}`,
      figures: `${(beside / alone).toFixed(2)}; ${whole(beside)} against ${whole(alone)} (goal 1)`,
      verdict: verdict(beside >= alone),
    },
    { three },
  );
}
finish();
