/** `state` of the configuration: a URL, or a map with more; a flag replaces the URL. */

import { describe, expect, test } from "vitest";
import { withOverrides } from "../../../runtime/config/settings.js";
import { stateSettingsOf } from "../../../runtime/config/state-settings.js";
import type { FilledConfig } from "../../../runtime/contract/settings/project-settings.js";

const URL_1 = "postgres://db/one";
const LISTEN = "postgres://direct/one";

test.each<readonly [FilledConfig["state"], object]>([
  ["", { url: "", pool: 10 }],
  [URL_1, { url: URL_1, pool: 10 }],
  [
    { url: URL_1, pool: 3, listen_url: LISTEN },
    { url: URL_1, pool: 3, listenUrl: LISTEN },
  ],
  [{ pool: 3 }, { url: "postgres://of/the-variable", pool: 3 }],
  [
    { url: "", pool: 3 },
    { url: "", pool: 3 },
  ],
])("the settings of the state are read from %j", (state, settings) => {
  const lookup = (name: string) => (name === "TOOLWRIGHT_STATE" ? "postgres://of/the-variable" : undefined);
  expect(stateSettingsOf(state, lookup)).toEqual(settings);
});

describe("what cannot be used is refused by its key", () => {
  test.each<readonly [FilledConfig["state"], string]>([
    ["mysql://db", "state must be a postgres:// URL, or empty for .onetool/state.db, and begins with mysql:"],
    [{ url: URL_1, listen_url: "http://x" }, "state.listen_url must be a postgres:// URL"],
    [{ listen_url: LISTEN }, "state.listen_url is set without state.url: name both"],
  ])("in %j", (state, message) => {
    expect(() => stateSettingsOf(state)).toThrow(message);
  });
});

test("--state replaces the URL and its listening URL, and keeps the size of the pool", () => {
  const overridden = (state?: FilledConfig["state"]) =>
    withOverrides({ sources: [], ...(state === undefined ? {} : { state }) }, { state: URL_1 }) as {
      readonly state: FilledConfig["state"];
    };
  expect(stateSettingsOf(overridden({ url: "postgres://db/file", pool: 3, listen_url: LISTEN }).state)).toEqual({
    url: URL_1,
    pool: 3,
  });
  expect(overridden().state).toBe(URL_1);
  expect(overridden("postgres://db/file").state).toBe(URL_1);
});
