/** Handlers of the ops that are operations of HTTP APIs: `generated/http/<pack>.json` with what configuration says of each API. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Bound, Fetch } from "./contract/handler.js";
import type { HttpCall } from "./contract/http-call.js";
import type { Tool } from "./contract/registry.js";
import { memo } from "./memo.js";
import type { RuntimeConfig, Settings } from "./settings.js";

/** Makes the finder of a project's HTTP handlers; what a pack's requests are is read at its first call. */
export function httpHandlers(
  root: string,
  { sources }: RuntimeConfig,
  { web }: Settings,
): (tool: Tool) => Promise<Bound<never, unknown>> {
  const calls = memo(async (pack) => {
    const text = await readFile(join(root, "generated", "http", `${pack}.json`), "utf8");
    return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, HttpCall>>));
  });
  const trusting = memo(async (host): Promise<Fetch> => {
    const { guardedFetch } = await import("./backends/web/guard.js");
    return guardedFetch({ allowPrivate: [...web.allowPrivate, host] });
  });
  return async ({ op, group }) => {
    const [all, { httpHandler }] = await Promise.all([calls(group), import("./backends/http/handler.js")]);
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
