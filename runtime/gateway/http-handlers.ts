/** Handlers of HTTP API operations: combines `generated/http/<pack>.json` with the configuration of each API. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RuntimeConfig, Settings } from "../config/settings.js";
import type { Bound, Fetch } from "../contract/handler.js";
import type { HttpCall } from "../contract/http-call.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import type { Tool } from "../contract/registry.js";

/** Creates the lookup of HTTP handlers; the requests of a pack are read at its first call. */
export function httpHandlers(
  root: string,
  { sources }: RuntimeConfig,
  { web }: Settings,
): (tool: Tool) => Promise<Bound<never, unknown>> {
  const calls = memoizeAsync(async (pack) => {
    const text = await readFile(join(root, "generated", "http", `${pack}.json`), "utf8");
    return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, HttpCall>>));
  });
  const trusting = memoizeAsync(async (host): Promise<Fetch> => {
    const { guardedFetch } = await import("../http-client/guard.js");
    return guardedFetch({ allowPrivate: [...web.allowPrivate, host] });
  });
  return async ({ op, group }) => {
    const [all, { httpHandler }] = await Promise.all([calls(group), import("../http-client/handler.js")]);
    const call = all.get(op);
    const source = sources.find(
      ({ openapi, pack }) => openapi === call?.source && (pack === undefined || pack === group),
    );
    if (!call || !source)
      throw new Error(
        `generated/http/${group}.json and toolwright.yaml do not agree on ${op}: run "toolwright generate"`,
      );
    return { run: httpHandler(call, source, trusting), exactNumbers: true };
  };
}
