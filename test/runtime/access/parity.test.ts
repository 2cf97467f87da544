/**
 * Every op, every kind of key, every door: who is shown what, and what comes of a call, is the same everywhere and what the table of grants
 * says (`access.md` 2 and 7). `SCALE=1` takes every op, the default some of each pack, level and target.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tool } from "../../../runtime/codegen.js";
import { dispatchSeat, httpSeat, type Seat, socketSeat, stdioSeat, type Way } from "../../support/parity/doors.js";
import {
  type Call,
  callsOf,
  expected,
  HOLDERS,
  type Holder,
  isLive,
  isSeen,
  TOOLS,
} from "../../support/parity/model.js";
import { openWorld, type World } from "../../support/parity/world.js";
import { randomOf, SCALE, shuffled } from "../../support/random.js";

const SLOW = 900_000;
const cleaning: (() => unknown)[] = [];
let world: World;
let before = "";
/** What comes of each call for an admin key, in this process. */
const ran = new Map<string, string>();

beforeAll(async () => {
  world = await openWorld((clean) => void cleaning.unshift(clean));
  before = await world.rows();
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning) await clean();
});

/** At least one op of each pack, level, kind and target. */
function someTools(): readonly Tool[] {
  const classes = new Map<string, Tool[]>();
  for (const tool of shuffled(TOOLS, randomOf(8))) {
    const name = [tool.group, tool.access, tool.kind, tool.target].join(" ");
    classes.set(name, [...(classes.get(name) ?? []), tool]);
  }
  return [...classes.values()].flatMap((all) => all.slice(0, Math.ceil(all.length * Math.min(1, SCALE))));
}

const tools = someTools();
const label = ({ tool, which }: Call): string => `${tool.op} ${which}`;

/** Whether a way can ask without changing anything: a write that is allowed must be a dry run. */
const isHarmless = (way: Way, call: Call, who: Holder): boolean =>
  (way.has?.(call.tool) ?? true) && (way.dry || call.tool.kind === "read" || expected(call, who) !== "ran");

async function seatsOf(who: Holder): Promise<readonly Seat[]> {
  const { root, url, socket, keys, gateway } = world;
  const key = keys[who];
  return [
    dispatchSeat(gateway, key),
    await stdioSeat(root, key),
    await httpSeat(url, "older", key, keys.admin),
    await httpSeat(url, "newer", key, keys.admin),
    socketSeat(socket, key),
  ];
}

describe.each(HOLDERS)("%s", (who) => {
  let seats: readonly Seat[] = [];
  beforeAll(async () => {
    seats = await seatsOf(who);
  }, SLOW);
  afterAll(async () => {
    for (const seat of seats) await seat.close();
  });

  test("[D8] an op is listed, and known to help, where some project exists for which it is allowed", {
    timeout: SLOW,
  }, async () => {
    const seen = TOOLS.filter((tool) => isSeen(tool, who)).map(({ op }) => op);
    const ops = tools.map(({ op }) => op);
    for (const { lists, help } of seats) {
      for (const [list, listed] of Object.entries(await lists())) expect([...listed].sort(), list).toEqual(seen);
      const model = tools.map((tool) => (!isLive(who) ? "UNAUTHENTICATED" : isSeen(tool, who) ? "ok" : "NOT_FOUND"));
      for (const { name, verdicts } of help) expect(await verdicts(ops), name).toEqual(model);
    }
  });

  test("every way to call an op has the verdict of the table, and nothing changes", { timeout: SLOW }, async () => {
    const calls = tools.flatMap((tool) => callsOf(tool, world.objects));
    const found: string[] = [];
    for (const way of seats.flatMap(({ ways }) => ways)) {
      const asked = calls.filter((call) => isHarmless(way, call, who));
      const verdicts = await way.verdicts(asked);
      for (const [at, call] of asked.entries()) {
        const got = (verdicts[at] ?? "nothing").slice(0, 150);
        const model = expected(call, who);
        const name = label(call);
        if (model === "ran" && !ran.has(name)) ran.set(name, got);
        const code = model === "ran" ? (ran.get(name) ?? "nothing") : model;
        const wanted = way.reads?.(code, model !== "ran") ?? code;
        if (got !== wanted) found.push(`${way.name}: ${name}: ${got}, not ${wanted}`);
      }
    }
    expect(found).toEqual([]);
    expect(await world.rows()).toBe(before);
  });
});
