/**
 * Measures transactions a second on PostgreSQL, if `TOOLWRIGHT_TEST_POSTGRES` is a URL: writes of a row by 16 callers in
 * one process and in three, beside the same writes in one order, as under one lock for all, and by plain `pg`; and reads
 * of a row. All are measured in turn. Wall time.
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
/** Writes and reads a second that one process has to reach. */
const GOAL = 2000;
const READS_GOAL = 3000;

const SCRIPT = fileURLToPath(new URL("children/writer.ts", import.meta.url));

/** Starts a process, which waits for its sign. */
async function writer(place: Place, callers: number, how: string): Promise<ChildProcess> {
  const flagged = ["--import", "tsx", "-C", "toolwright-source", SCRIPT];
  const args = [...flagged, place.url, place.root, String(MS), String(callers), how];
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

const KINDS = {
  ordered: [1, "ordered"],
  one: [1, "free"],
  three: [3, "free"],
  bareOne: [1, "bare"],
  bareThree: [3, "bare"],
  reads: [1, "reads"],
} as const;
type Kind = keyof typeof KINDS;

/** Transactions a second of processes that work at the same time. */
async function rate(place: Place, kind: Kind): Promise<number> {
  const [processes, how] = KINDS[kind];
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

/** The rates of each kind, measured in turn. */
async function measured(place: Place): Promise<Readonly<Record<Kind, readonly number[]>>> {
  const rates: Record<Kind, number[]> = { ordered: [], one: [], three: [], bareOne: [], bareThree: [], reads: [] };
  const kinds = Object.keys(KINDS) as Kind[];
  for (let round = 0; round < ROUNDS; round++) for (const kind of kinds) rates[kind].push(await rate(place, kind));
  return rates;
}

const { add, finish } = createReport("writes", "wall time, transactions a second");
const whole = (rate: number): string => rate.toFixed(0);
for (const { name, skip, place: newPlace } of DATABASES.slice(1)) {
  if (skip) {
    add({ goal: "W1", what: name, figures: "TOOLWRIGHT_TEST_POSTGRES is no URL", verdict: "absent" });
    continue;
  }
  const place = await newPlace();
  await (await place.open()).close();
  const rates = await measured(place);
  await place.remove();
  const of = (kind: Kind): number => median(rates[kind]);
  const isBusy = (loadavg()[0] ?? 0) > CALLERS;
  const verdict = (isMet: boolean) => (isMet ? "met" : isBusy ? "inconclusive" : "missed");
  const { ordered, one, three, bareOne, bareThree, reads } = rates;
  add(
    {
      goal: "W1",
      what: `writes a second, ${CALLERS} callers / in one order, ${name}`,
      figures: `${(of("one") / of("ordered")).toFixed(2)}; ${whole(of("one"))} against ${whole(of("ordered"))} (goal ${GOAL})`,
      verdict: verdict(of("one") >= GOAL),
    },
    { ordered, one },
  );
  const [share, bareShare] = [of("three") / of("one"), of("bareThree") / of("bareOne")];
  add(
    {
      goal: "W2",
      what: `writes a second, three processes / one, beside plain pg, ${name}`,
      figures: `${share.toFixed(2)} and ${bareShare.toFixed(2)}; ${whole(of("three"))} against ${whole(of("one"))}; pg ${whole(of("bareThree"))} against ${whole(of("bareOne"))} (goal: 0.9 of pg's ratio, as ${cpus().length} cores are shared)`,
      verdict: verdict(share >= Math.min(1, 0.9 * bareShare)),
    },
    { three, bareOne, bareThree },
  );
  add(
    {
      goal: "W3",
      what: `reads of a row a second, ${CALLERS} callers, ${name}`,
      figures: `${whole(of("reads"))} (goal ${READS_GOAL})`,
      verdict: verdict(of("reads") >= READS_GOAL),
    },
    { reads },
  );
}
finish();
