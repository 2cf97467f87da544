/**
 * Measures the preview of a program of 200 transactional writes beside the same program run for real, in turn, and how long
 * another writer waits meanwhile: for another row, and on PostgreSQL for a row that the preview has written. Wall time.
 */

import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { runSettingsOf } from "../../runtime/config/run-settings.js";
import { queries } from "../../runtime/state/schema.js";
import { fixture, handler, principal } from "../runtime/gateway/fixture.js";
import { notesServer } from "../runtime/run/preview/notes.js";
import { DATABASES, type Place } from "../runtime/state/databases.js";
import { median } from "./measure.js";
import { createReport, flags } from "./report.js";

const CALLS = 200;
const ROUNDS = flags.quick ? 2 : 9;
/** Longest wait of another writer, in milliseconds. */
const GOAL_MS = 100;
/** Between two writes of the other writer. */
const PAUSE_MS = 5;
const PROGRAM = `for n in range(${CALLS}): notes.add(body=str(n))\nNone`;
/** Writes a row, and has another writer write the same one. */
const COLLIDING = 'made = notes.add(body="a")["note"]\ntracker.get(issue=made["id"])\nnotes.add(body="b")\nNone';

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

interface Measured {
  readonly preview: readonly number[];
  readonly real: readonly number[];
  /** Waits of another writer while previews are open. */
  readonly others: readonly number[];
  /** Waits of a writer of the same row. */
  readonly same: readonly number[];
}

async function measured(place: Place): Promise<Measured> {
  const state = await place.open();
  const write = (name: string) =>
    state.transaction("write", (tx) =>
      queries(tx)
        .insertInto("server_secrets")
        .values({ name, value: "" })
        .onConflict((conflict) => conflict.column("name").doNothing())
        .execute(),
    );
  const same: number[] = [];
  const { more = [], handlers = {} } = notesServer({ seen: [] });
  const get = handler(async ({ issue }) => {
    const row = { id: String(issue), body: "of another writer" };
    const work = () =>
      state.transaction("write", (tx) =>
        queries(tx)
          .insertInto("notes_entries" as "runs")
          .values(row as never)
          .execute(),
      );
    same.push(await timed(work));
    return { id: "issue-100", number: 1 };
  });
  const { gateway } = fixture({
    more,
    handlers: { ...handlers, "tracker.get": get },
    project: { root: place.root },
    options: { openState: async () => ({ ...state, close: async () => undefined }) },
    settings: { callTimeoutMs: 60_000, run: runSettingsOf({ limits: { wall_ms: 60_000, host_calls: 10_000 } }) },
  });
  const run = async (command: string, isPreview: boolean): Promise<string> => {
    const how = isPreview ? { isPreview: true as const } : {};
    return (await gateway.run({ command }, principal(), how)).text;
  };
  await run(PROGRAM, false);
  await run(PROGRAM, true);
  const [preview, real, others]: number[][] = [[], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    let isOpen = true;
    const writer = async (): Promise<void> => {
      for (let n = 0; isOpen; n++) {
        others?.push(await timed(() => write(`${round} ${n}`)));
        await sleep(PAUSE_MS);
      }
    };
    const writing = writer();
    preview?.push(await timed(() => run(PROGRAM, true)));
    isOpen = false;
    await writing;
    real?.push(await timed(() => run(PROGRAM, false)));
    await run(COLLIDING, true);
  }
  await gateway.close();
  await state.close();
  return { preview: preview ?? [], real: real ?? [], others: others ?? [], same };
}

const { add, finish } = createReport("preview", "wall time of a program in milliseconds");
const ms = (value: number): string => value.toFixed(0);
for (const { name, skip, place: newPlace } of DATABASES) {
  const what = `preview of ${CALLS} writes / the same run, ${name.split(" ")[0]}`;
  if (skip) {
    add({ goal: "V1", what, figures: "TOOLWRIGHT_TEST_POSTGRES is no URL", verdict: "absent" });
    continue;
  }
  const place = await newPlace();
  const raw = await measured(place);
  await place.remove();
  const [preview, real] = [median(raw.preview), median(raw.real)];
  add(
    {
      goal: "V1",
      what,
      figures: `${(preview / real).toFixed(2)}; ${ms(preview)} against ${ms(real)}`,
      verdict: "shown",
    },
    raw,
  );
  const isBusy = (loadavg()[0] ?? 0) > 2;
  const longest = Math.max(...raw.others);
  const collision = Math.max(...raw.same);
  const isMet = longest < GOAL_MS && collision < GOAL_MS;
  add({
    goal: "V2",
    what: `longest wait of another writer meanwhile, ms, ${name.split(" ")[0]}`,
    figures: `${ms(longest)}, for the same row ${ms(collision)} (goal ${GOAL_MS})`,
    verdict: isMet ? "met" : isBusy ? "inconclusive" : "missed",
  });
}
finish();
