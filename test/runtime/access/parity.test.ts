/**
 * Every op, every kind of key, every transport: who is shown what, and what comes of a call, is the same everywhere and what the table of grants
 * says. `SCALE=1` takes every op, the default some of each pack, level and target.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tool } from "../../../runtime/contract/registry.js";
import { eachGroup, slowRows } from "../../support/each-case.js";
import { randomOf, SCALE, shuffled } from "../../support/random.js";
import { type Caller, dispatchCaller, httpCaller, socketCaller, stdioCaller, type Way } from "./parity/callers.js";
import { callOf, casesOf } from "./parity/cases.js";
import { type Call, callsOf, expected, HOLDERS, type Holder, isLive, isSeen, TOOLS } from "./parity/model.js";
import { openWorld, type World } from "./parity/world.js";

const SLOW = 900_000;
const cleaning: (() => unknown)[] = [];
let world: World;
/** What comes of each call for an admin key, in this process. */
const ran = new Map<string, string>();

beforeAll(async () => {
  world = await openWorld((clean) => void cleaning.unshift(clean));
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

/** Whether a way can ask without changing anything: a write that is allowed must be a dry run. */
const isHarmless = (way: Way, call: Call, who: Holder): boolean =>
  (way.has?.(call.tool) ?? true) && (way.dry || call.tool.kind === "read" || expected(call, who) !== "ran");

/** Where each call costs a request, the default takes every twelfth one, others for each way and caller. */
const someOf = <T>(way: { readonly name: string; readonly cheap?: true }, items: readonly T[], turn: number) =>
  SCALE >= 1 || way.cheap || way.name.startsWith("dispatch") ? items : items.filter((_, at) => (at + turn) % 12 === 0);

/** A process on stdio for each caller costs the most, so the default has one for every second caller. */
async function callersOf(who: Holder, turn: number): Promise<readonly Caller[]> {
  const { root, url, socket, keys, gateway } = world;
  const key = keys[who];
  return [
    dispatchCaller(gateway, key),
    ...(SCALE >= 1 || turn % 2 === 0 ? [await stdioCaller(root, key)] : []),
    await httpCaller(url, "older", key, keys.admin),
    await httpCaller(url, "newer", key, keys.admin),
    socketCaller(socket, key),
  ];
}

/** What differs from the table; a call that is allowed must end as it does for an admin key in this process. */
async function differences(way: Way, who: Holder, asked: readonly Call[]): Promise<readonly string[]> {
  const verdicts = await way.verdicts(asked);
  return asked.flatMap((call, at) => {
    const got = (verdicts[at] ?? "nothing").slice(0, 150);
    const model = expected(call, who);
    const name = `${call.tool.op} ${call.which}`;
    if (model === "ran" && !ran.has(name)) ran.set(name, got);
    const code = model === "ran" ? (ran.get(name) ?? "nothing") : model;
    const wanted =
      model === "ran" && code === "VALIDATION_ERROR"
        ? "arguments that fit"
        : (way.reads?.(code, model !== "ran", call.tool.op) ?? code);
    return got === wanted ? [] : [`${way.name}: ${name}: ${got}, not ${wanted}`];
  });
}

/** Reads that an answer about an id that does not exist may make, as the caller: those that find an entity, and that the caller may make. */
const tellsOfIds = (op: string, who: Holder): boolean =>
  TOOLS.some(
    (tool) => tool.op === op && /^(?:get|search)$/.test(tool.action ?? "") && tool.kind === "read" && isSeen(tool, who),
  );

/** Calls of each op that got to a handler although they are refused. */
function intruders(handled: readonly string[], who: Holder, asked: readonly Call[]): readonly string[] {
  const left = asked.filter((call) => expected(call, who) === "ran").map(({ tool }) => tool.op);
  return handled.filter((op) => {
    const at = left.indexOf(op);
    if (at >= 0) left.splice(at, 1);
    return at < 0 && !tellsOfIds(op, who);
  });
}

// The default asks as a holder of one project, and as one of a key that is dead.
const ASKING = HOLDERS.map((who, turn) => [who, turn] as const);
eachGroup(ASKING, "project:prj", ...slowRows("revoked"))("to %s", {}, (who, turn) => {
  let callers: readonly Caller[] = [];
  beforeAll(async () => {
    callers = await callersOf(who, turn);
  }, SLOW);
  afterAll(async () => {
    for (const caller of callers) await caller.close();
  });

  test("an op is listed, and known to help, where some project exists for which it is allowed", {
    timeout: SLOW,
  }, async () => {
    const seen = TOOLS.filter((tool) => isSeen(tool, who)).map(({ op }) => op);
    const model = (tool: Tool): string => (!isLive(who) ? "UNAUTHENTICATED" : isSeen(tool, who) ? "ok" : "NOT_FOUND");
    for (const { lists, help } of callers) {
      for (const [list, listed] of Object.entries(await lists())) expect([...listed].sort(), list).toEqual(seen);
      for (const way of help) {
        const some = someOf(way, tools, turn);
        expect(await way.verdicts(some.map(({ op }) => op)), way.name).toEqual(some.map(model));
      }
    }
  });

  test("every way to call an op has the verdict of the table; what is refused reaches no handler and changes nothing", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    const calls = tools.flatMap((tool) => callsOf(tool, world.objects));
    const before = await world.rows();
    for (const [at, way] of callers.flatMap(({ ways }) => ways).entries()) {
      const harmless = calls.filter((call) => isHarmless(way, call, who));
      const asked = someOf(way, harmless, turn + at);
      const handledBefore = world.handled.length;
      expect(await differences(way, who, asked)).toEqual([]);
      expect(intruders(world.handled.slice(handledBefore), who, asked), way.name).toEqual([]);
    }
    expect(await world.rows()).toBe(before);
  });

  test("[E5] cases with real objects end alike whatever the way, and what is refused changes nothing", {
    timeout: SLOW,
  }, async () => {
    const cases = casesOf(who, world.objects);
    const [done, refused] = [true, false].map((isDone) => cases.filter(({ code }) => (code === "ok") === isDone));
    for (const some of [done ?? [], refused ?? []]) {
      const before = await world.rows();
      for (const way of callers.flatMap(({ ways }) => ways)) {
        const asked = some.filter(({ call }) => way.has?.(call.tool) ?? true);
        const codes = asked.map(({ code, call }) => way.reads?.(code, who !== "admin", call.tool.op) ?? code);
        expect(await way.verdicts(asked.map(({ call }) => call)), way.name).toEqual(codes);
      }
      if (some === refused) expect(await world.rows()).toBe(before);
    }
  });

  test.runIf(who === "project:prj")(
    "[E7] a foreign session and one that does not exist are the same denial",
    {
      timeout: SLOW,
      tags: "slow",
    },
    async () => {
      const { two, none } = world.objects;
      for (const way of callers.flatMap(({ ways }) => ways)) {
        // Answers get narrower when a call is repeated, so both are asked until that has ended.
        const says = async (id = ""): Promise<string> => {
          let text = "";
          for (let time = 0; time < 3; time++)
            text = await way.says(callOf("oubliette.session.get", { session_id: id }));
          return text.replaceAll(id, "<id>").replace(/failed \d+ times|repeated\W+\d+/g, "repeated");
        };
        const foreign = await says(two["session"]);
        expect(foreign, way.name).toBe(await says(none["session"]));
        expect(foreign, way.name).toMatch(/NOT_FOUND|-32002|LookupError/);
      }
    },
  );

  test.runIf(who.startsWith("project:prj"))(
    "[E8] a list of projects holds that of the key alone",
    {
      timeout: SLOW,
    },
    async () => {
      const { one, two } = world.objects;
      for (const way of callers.flatMap(({ ways }) => ways)) {
        const listed = await way.says(callOf("oubliette.project.list", {}));
        expect(
          listed.match(/prj_[a-z2-7]{16}/g)?.filter((id) => id !== one["prj"]),
          way.name,
        ).toEqual([]);
        expect(listed).not.toContain(two["prj"]);
      }
    },
  );
});
