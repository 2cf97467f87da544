/** Features of plugins in a gateway: what they see of a call, what they may do to it, and their time limits. */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { defineFeature, type Feature, type FeatureServing, fail, type ServeContext } from "../../runtime/feature.js";
import { loadFeatures } from "../../runtime/gateway/features.js";
import { pluginFeature } from "../../runtime/gateway/plugin-features.js";
import { errorOf, fixture, okOf, principal } from "../runtime/gateway/fixture.js";

const DECLARED = {
  name: "quota",
  plugin: "./quota.ts",
  serves: true,
  settings: [{ key: "quota.per_hour", schema: { type: "integer" }, preset: 1000, about: "Calls in an hour." }],
};
const CONFIG = {
  sources: [],
  plugins: ["./quota.ts"],
  trust: "local",
  public_url: "https://a.example",
  quota: { per_hour: 2 },
} as const;
const limits = { serveMs: 30, closeMs: 30 };

/** A feature whose module has this `serve`, as it is loaded. */
const loadedOf = (serve: Feature["serve"], config: object = CONFIG) => {
  const module = defineFeature({ name: "quota", ...(serve ? { serve } : {}) });
  const feature = pluginFeature(DECLARED, async () => module, limits);
  return loadFeatures({ features: [feature], config: config as typeof CONFIG });
};
const gatewayWith = async (serving: FeatureServing) =>
  fixture({ options: { features: await loadedOf(async () => () => serving) } });

test("it gets its own keys, the log and the clock, and nothing else", async () => {
  let given: ServeContext | undefined;
  const features = await loadedOf(async () => (context: ServeContext) => {
    given = context;
    return undefined;
  });
  const { gateway } = fixture({ options: { features } });
  expect(Object.keys(given ?? {}).sort()).toEqual(["clock", "config", "log"]);
  expect(given?.config).toEqual({ quota: { per_hour: 2 } });
  await gateway.close();
});

test("it sees the op that is meant, a copy of the valid arguments and the caller; a call that is refused before does not come", async () => {
  const seen: unknown[] = [];
  const { gateway, exec, calls } = await gatewayWith({
    around: (dispatch) => async (call) => {
      const { op, kind, args, principal: who, dryRun } = call;
      seen.push({ op, kind, dryRun, caller: who.id, args: structuredClone(args) });
      Object.assign(args, { query: "other" });
      expect(Object.isFrozen(call)).toBe(true);
      return dispatch(call);
    },
  });
  okOf(await exec("search_ontology", { search: "milk" }, {}, principal({ id: "anna" })));
  expect(errorOf(await exec("onto.search", {})).code).toBe("VALIDATION_ERROR");
  const args = { query: "milk" };
  expect(calls).toEqual([{ op: "onto.search", args }]);
  expect(seen).toEqual([{ op: "onto.search", kind: "read", dryRun: false, caller: "anna", args }]);
  await gateway.close();
});

test("it refuses a call with a code, and the handler is not called", async () => {
  let count = 0;
  const { gateway, exec, calls } = await gatewayWith({
    around: (dispatch) => async (call) => (++count > 2 ? fail("RATE_LIMITED", "2 calls are made.") : dispatch(call)),
  });
  okOf(await exec("onto.task.list"));
  okOf(await exec("onto.task.list"));
  expect(errorOf(await exec("onto.task.list"))).toMatchObject({ code: "RATE_LIMITED", message: "2 calls are made." });
  expect(calls).toHaveLength(2);
  await gateway.close();
});

test.each<[string, NonNullable<FeatureServing["around"]>, string]>([
  [
    "throws",
    () => async () => {
      throw new Error("no table");
    },
    "Error: no table",
  ],
  ["throws no error", () => () => Promise.reject(7), "7"],
  [
    "passes another call on",
    (dispatch) => (call) => dispatch({ ...call, args: {} }),
    "Error: dispatch takes the call itself that the feature was given, until it is answered",
  ],
  ["does nothing", () => async () => undefined, "Error: it neither passed the call on nor refused it"],
])("one that %s fails that call as INTERNAL, and the log names it", async (_, around, why) => {
  const { gateway, exec, calls, lines } = await gatewayWith({ around });
  const envelope = await exec("onto.task.list");
  const { code, message } = errorOf(envelope);
  expect([code, message]).toEqual(["INTERNAL", `onto.task.list failed; see the log under ${envelope.meta.trace_id}.`]);
  expect(calls).toEqual([]);
  const logged = JSON.stringify(lines);
  expect(logged).toContain(`the feature quota (./quota.ts) failed: ${why}`);
  expect(logged).toContain(envelope.meta.trace_id);
  await gateway.close();
});

test("one that takes longer than a call may fails it; then the call is not carried out any more", async () => {
  const late: Promise<unknown>[] = [];
  const around: FeatureServing["around"] = (dispatch) => (call) => {
    const passed = sleep(60).then(() => dispatch(call));
    late.push(passed.catch((error: unknown) => error));
    return passed;
  };
  const features = await loadedOf(async () => () => ({ around }));
  const { gateway, exec, calls, lines } = fixture({ settings: { callTimeoutMs: 20 }, options: { features } });
  expect(errorOf(await exec("onto.task.list")).code).toBe("INTERNAL");
  expect(JSON.stringify(lines)).toContain("the feature quota (./quota.ts) failed: Error: it took longer than 20 ms");
  expect(String(await late[0])).toContain("until it is answered");
  expect(calls).toEqual([]);
  await gateway.close();
});

test("the time of the call itself is not its own", async () => {
  const around: FeatureServing["around"] = (dispatch) => (call) => sleep(600).then(() => dispatch(call));
  const features = await loadedOf(async () => () => ({ around }));
  const handlers = { "onto.task.list": () => sleep(600, "late") };
  const { gateway, exec } = fixture({ settings: { callTimeoutMs: 1000 }, handlers, options: { features } });
  expect(okOf(await exec("onto.task.list")).result).toBe("late");
  await gateway.close();
});

test("it sees how a call ends, and does not change it; a call that it passes on twice is made once", async () => {
  const seen: unknown[] = [];
  const { gateway, exec, calls } = await fixtureOf(seen);
  expect(errorOf(await exec("onto.search", { query: "milk" }))).toMatchObject({ code: "NOT_FOUND", message: "gone" });
  expect(okOf(await exec("onto.task.list")).result).toEqual({ done: "onto.task.list" });
  expect(seen).toEqual(["NOT_FOUND", "NOT_FOUND", true, true]);
  expect(calls).toHaveLength(1);
  await gateway.close();
});

async function fixtureOf(seen: unknown[]) {
  const features = await loadedOf(async () => () => ({
    around: (dispatch) => async (call) => {
      for (const answer of [await dispatch(call), await dispatch(call)])
        seen.push(answer.ok ? answer.ok : answer.error.code);
      return { ok: true, result: "mine" };
    },
  }));
  return fixture({ handlers: { "onto.search": async () => fail("NOT_FOUND", "gone") }, options: { features } });
}

test("the last feature is outermost, and sees the refusal of an inner one", async () => {
  const told: string[] = [];
  const featureOf = (name: string, refuses: boolean) => {
    const around: FeatureServing["around"] = (dispatch) => async (call) => {
      told.push(`${name} before`);
      if (refuses) fail("PERMISSION_DENIED", "Not today.");
      const answer = await dispatch(call);
      told.push(`${name} after ${answer.ok ? "ok" : answer.error.code}`);
    };
    const module = { name, serve: async () => () => ({ around }) };
    return pluginFeature({ name, plugin: `./${name}.ts`, serves: true }, async () => module);
  };
  const plugins = ["./inner.ts", "./outer.ts"];
  for (const refuses of [false, true]) {
    const parts = [featureOf("inner", refuses), featureOf("outer", false)];
    const features = await loadFeatures({ features: parts, config: { ...CONFIG, plugins } });
    const { gateway, exec } = fixture({ options: { features } });
    told.push(JSON.stringify((await exec("onto.task.list")).ok));
    await gateway.close();
  }
  const calls = ["outer before", "inner before"];
  expect(told).toEqual([
    ...[...calls, "inner after ok", "outer after ok", "true"],
    ...[...calls, "outer after PERMISSION_DENIED", "false"],
  ]);
});

test.each([
  ["without trust: local", { ...CONFIG, trust: "none" as const }],
  ["once the configuration does not name it", { ...CONFIG, plugins: ["./other.ts"] }],
])("it is not loaded %s", async (_, config) => {
  const feature = pluginFeature(DECLARED, async () => {
    throw new Error("loaded");
  });
  const { parts } = await loadFeatures({ features: [feature], config });
  expect(parts).toEqual([]);
});

test.each<[string, () => Promise<unknown>, string]>([
  ["fails", () => Promise.reject(new Error("no such module")), "no such module"],
  ["has no serve", async () => ({ name: "quota" }), 'it has no `serve`: run "toolwright generate"'],
  ["gives nothing", async () => ({ serve: async () => undefined }), "`serve` gives no function"],
  ["does not end", () => new Promise(() => undefined), "`serve` did not end within 0.03 s"],
])("a module that %s ends the start, with its name", async (_, load, why) => {
  const feature = pluginFeature(DECLARED, load, limits);
  await expect(loadFeatures({ features: [feature], config: CONFIG })).rejects.toThrow(
    `the feature quota (./quota.ts) cannot be served: ${why}; correct it, or take it out of \`plugins\``,
  );
});

test("one that throws when it is started ends the start", async () => {
  const features = await loadedOf(async () => () => {
    throw new Error("no folder");
  });
  expect(() => fixture({ options: { features } })).toThrow("(./quota.ts) cannot be served: no folder;");
});

test("it is closed with the gateway; one that fails or takes too long is logged", async () => {
  const closes: (() => Promise<void>)[] = [
    async () => undefined,
    () => Promise.reject(new Error("stuck")),
    () => new Promise(() => undefined),
  ];
  const logged: unknown[] = [];
  for (const close of closes) {
    let isClosed = false;
    const { gateway, lines } = await gatewayWith({
      close() {
        isClosed = true;
        return close();
      },
    });
    await gateway.close();
    expect(isClosed).toBe(true);
    logged.push(lines.map(({ message, fields }) => ({ message, ...fields })));
  }
  const message = "the feature quota (./quota.ts) was not closed";
  expect(logged).toEqual([
    [],
    [{ message, error: "stuck" }],
    [{ message, error: "`close` did not end within 0.03 s" }],
  ]);
});
