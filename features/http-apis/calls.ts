/** Calls the ops of HTTP APIs: finds the request of an op among those that were generated, and its source in the configuration. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Fetch } from "../../runtime/contract/handler.js";
import type { HttpCall } from "../../runtime/contract/http-call.js";
import { memoizeAsync } from "../../runtime/contract/memoize-async.js";
import type { CallingPart } from "../../runtime/gateway/project.js";

/** The requests of a pack are read at its first call. */
export const callHttpApis: CallingPart = ({ root, config: { sources }, settings: { web } }) => {
  const calls = memoizeAsync(async (pack) => {
    const text = await readFile(join(root, "generated", "http", `${pack}.json`), "utf8");
    return new Map(Object.entries(JSON.parse(text) as Readonly<Record<string, HttpCall>>));
  });
  const trusting = memoizeAsync(async (host): Promise<Fetch> => {
    const { guardedFetch } = await import("../../runtime/http-client/guard.js");
    return guardedFetch({ allowPrivate: [...web.allowPrivate, host] });
  });
  const check = async (url: URL): Promise<void> =>
    (await import("../../runtime/http-client/guard.js")).checkHost(url, { allowPrivate: web.allowPrivate });
  return async ({ op, group }) => {
    const [all, { httpHandler }] = await Promise.all([calls(group), import("./handler.js")]);
    const call = all.get(op);
    const source = sources.find(
      ({ openapi, graphql, pack }) =>
        (call?.graphql ? graphql : openapi) === call?.source && (pack === undefined || pack === group),
    );
    if (!call || !source)
      throw new Error(
        `generated/http/${group}.json and toolwright.yaml do not agree on ${op}: run "toolwright generate"`,
      );
    const server = call.graphql ? source.url : source.server;
    const run = httpHandler(call, server === undefined ? source : { ...source, server }, trusting, check);
    return {
      run,
      exactNumbers: true,
      ...(source.send_defaults === true ? {} : { givenOnly: true }),
      ...(source.idempotency?.header === undefined ? {} : { repeatable: true }),
    };
  };
};
