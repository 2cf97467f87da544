/** What features do in a gateway: around calls and help, in the order of the list, until it is closed. */

import { expect, test } from "vitest";
import type { Recorder } from "../../runtime/contract/recorder.js";
import { createResourcePool } from "../../runtime/contract/resource-pool.js";
import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import { text } from "../../runtime/contract/settings/setting.js";
import { loadFeatures, type ServePart, type ServingFeature } from "../../runtime/gateway/features.js";
import { createLive } from "../../runtime/gateway/reloadable-gateway.js";
import { type FixtureOptions, fixture, okOf, principal } from "../runtime/gateway/fixture.js";
import { connectedTo } from "../runtime/serve/mcp/connected.js";

/** A feature that says when it is called, and when a value of it is closed. */
function telling(name: string, told: string[]): ServingFeature {
  const part: ServePart = ({ config, generated, shared }) => {
    const value = shared("value", () => {
      told.push(`${name} made for ${config.sources.length} sources and ${generated.tools.length > 0} ops`);
      return { value: name, close: async () => void told.push(`${name} closed`) };
    });
    return {
      around: ({ dispatch, help }) => ({
        help,
        dispatch: {
          ...dispatch,
          async dispatch(request, who, options) {
            told.push(`${value} before`);
            const envelope = await dispatch.dispatch(request, who, options);
            told.push(`${value} after`);
            return envelope;
          },
        },
      }),
    };
  };
  return { name, serve: async () => part };
}

test("the first feature is innermost, one without a part does nothing, and values are closed, the latest first", async () => {
  const told: string[] = [];
  const features = [telling("inner", told), { name: "none" }, telling("outer", told)];
  const nothing: ServingFeature = { name: "nothing", serve: async () => () => undefined };
  const loaded = await loadFeatures({ features: [...features, nothing], config: { sources: [] } });
  const { gateway, exec } = fixture({ options: { features: loaded } });
  okOf(await exec("onto.task.list"));
  const made = ["inner", "outer"].map((name) => `${name} made for 0 sources and true ops`);
  const around = ["outer before", "inner before", "inner after", "outer after"];
  expect(told).toEqual([...made, ...around]);
  await gateway.close();
  expect(told.slice(-2)).toEqual(["outer closed", "inner closed"]);
});

test("gateways of one process share what a feature makes, each feature its own", async () => {
  const told: string[] = [];
  const features = await loadFeatures({ features: [telling("a", told), telling("b", told)], config: { sources: [] } });
  const options = { features, shared: createResourcePool() };
  const [first, second] = [fixture({ options }), fixture({ options })];
  expect(told).toHaveLength(2);
  await first.gateway.close();
  expect(told).toHaveLength(2);
  await second.gateway.close();
  expect(told.slice(2)).toEqual(["b closed", "a closed"]);
});

test("the words of the first feature that has some rank ops for the caller", async () => {
  const asked: string[] = [];
  const words = (name: string): ServingFeature => ({
    name,
    serve: async () => () => ({
      ownWords: ({ id }) => {
        asked.push(`${name} ${id}`);
        return () => new Map();
      },
    }),
  });
  const features = await loadFeatures({ features: [words("first"), words("second")], config: { sources: [] } });
  const { gateway } = fixture({ options: { features } });
  gateway.help({ path: "some task" }, principal({ id: "anna" }));
  expect(new Set(asked)).toEqual(new Set(["first anna"]));
  await gateway.close();
});

test("the first recorder is that of features behind it, of programs and of transports", async () => {
  const seen: unknown[] = [];
  const recorderOf = (name: string): Recorder => ({ name }) as unknown as Recorder;
  const recording = (name: string): ServingFeature => ({
    name,
    serve: async () => (context) => {
      seen.push(context.recorder);
      return { recorder: recorderOf(name) };
    },
  });
  const features = await loadFeatures({ features: ["a", "b", "c"].map(recording), config: { sources: [] } });
  const { gateway } = fixture({ options: { features } });
  expect(seen).toEqual([undefined, recorderOf("a"), recorderOf("a")]);
  expect(gateway.recorder).toEqual(recorderOf("a"));
  await gateway.close();
});

test("pages of the console get data of all features, and each feature the figures of all", async () => {
  const drifting: ServingFeature = { name: "drifting", serve: async () => () => ({ opFigures: { drifted: "drift" } }) };
  const answering = (name: string): ServingFeature => ({
    name,
    serve: async () => (context) => ({
      console: { [name]: async ({ word = "" }, { id }) => ({ value: { word, id, figures: context.opFigures() } }) },
    }),
  });
  const features = [answering("one"), drifting, answering("two")];
  const { gateway } = fixture({ options: { features: await loadFeatures({ features, config: { sources: [] } }) } });
  const { added } = gateway.consoleData;
  const ask = (name: string) => added[name]?.({ word: name }, principal({ id: "anna" }), new URL("http://localhost/"));
  const figures = { drifted: "drift" };
  expect(await ask("one")).toEqual({ value: { word: "one", id: "anna", figures } });
  expect(await ask("two")).toEqual({ value: { word: "two", id: "anna", figures } });
  expect(await ask("drifting")).toBeUndefined();
  await gateway.close();
});

test("a key of a shipped feature has the values of variables, one of a plugin has their names", async () => {
  const seen: unknown[] = [];
  const reading = (name: string, origin?: string): ServingFeature => ({
    ...{ name, settings: [{ key: `docs.${name}`, setting: text("A text.") }] },
    ...(origin === undefined ? {} : { origin }),
    serve: async () => (context) => void seen.push(context.own),
  });
  const features = [reading("own"), reading("added", "./added.ts")];
  const docs = { own: "${WORD}", added: "${WORD}" };
  const config: WrittenConfig & { readonly docs: object } = {
    sources: [],
    plugins: ["./added.ts"],
    trust: "local",
    docs,
  };
  const loaded = await loadFeatures({ features, config, lookup: (name) => `<${name}>` });
  await fixture({ options: { features: loaded } }).gateway.close();
  expect(seen).toEqual([{ docs: { own: "<WORD>" } }, { docs: { added: "${WORD}" } }]);
});

test("the first feature with answers in MCP says what the server can, and answers with the configuration in force", async () => {
  const answering = (name: string): ServingFeature => ({
    name,
    serve: async () => () => ({
      mcp: {
        ...{ capabilities: { prompts: { listChanged: true } }, methods: ["prompts/list"] },
        load: async () => ({
          answers: {
            "prompts/list": async (_, { gateway }) => ({ prompts: [{ name: `${name} ${gateway.settings.trust}` }] }),
          },
          pages: { contents: () => new Map(), has: () => false, require: () => {} },
        }),
      },
    }),
  });
  const made = async (name: string, settings: FixtureOptions["settings"] = {}) => {
    const features = await loadFeatures({
      features: [{ name: "none" }, answering(name), answering("b")],
      config: { sources: [] },
    });
    return fixture({ settings, options: { features } }).gateway;
  };
  const live = createLive(await made("a"), async () => ({ gateway: await made("c", { trust: "local" }), stale: [] }));
  const client = await connectedTo(live);
  expect(client.getServerCapabilities()).toEqual({
    tools: { listChanged: true },
    prompts: { listChanged: true },
    logging: {},
  });
  expect((await client.listPrompts()).prompts).toEqual([{ name: "a none" }]);
  await live.reload();
  expect((await client.listPrompts(undefined, { cacheMode: "refresh" })).prompts).toEqual([{ name: "c local" }]);
  await live.close();
});
