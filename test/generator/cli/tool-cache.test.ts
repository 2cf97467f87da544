/** Where tools without a project are kept. */

import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { toolCache } from "../../../generator/cli/tool-cache.js";

test.each<[platform: NodeJS.Platform, env: Readonly<Record<string, string>>, folder: string]>([
  ["linux", {}, join(homedir(), ".cache")],
  ["linux", { LOCALAPPDATA: "/app" }, join(homedir(), ".cache")],
  ["darwin", {}, join(homedir(), "Library", "Caches")],
  ["win32", { LOCALAPPDATA: "/app" }, "/app"],
  ["win32", {}, join(homedir(), "AppData", "Local")],
  ["darwin", { XDG_CACHE_HOME: "/cache" }, "/cache"],
  ["linux", { XDG_CACHE_HOME: "" }, join(homedir(), ".cache")],
  ["linux", { XDG_CACHE_HOME: "beside" }, join(homedir(), ".cache")],
])("on %s with %j it is below %s", (platform, env, folder) => {
  expect(toolCache(env, platform)).toBe(join(folder, "toolwright", "projects"));
});
