/** Emits `http/<pack>.json`: the HTTP request of every op that is an operation of an HTTP API. */

import { prettyJson } from "../core/printer.js";
import type { Emitter } from "./emitter.js";

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
