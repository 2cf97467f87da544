/** `http/<pack>.json`: the request behind every op that is an operation of an HTTP API. */

import type { Emitter } from "./emitter.js";
import { prettyJson } from "./printer.js";

/** Emits `http/<pack>.json`. */
export const http: Emitter = {
  name: "http",
  emit: (registry, { http: calls }) =>
    registry.packs.flatMap(({ name }) => {
      const own = registry.tools.flatMap(({ op, group }) => {
        const call = group === name ? calls.get(op) : undefined;
        return call ? [[op, call] as const] : [];
      });
      return own.length === 0 ? [] : [{ path: `http/${name}.json`, text: prettyJson(Object.fromEntries(own)) }];
    }),
};
