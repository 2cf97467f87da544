/** Handlers of the pack `other`, on which tests of `run` call. */

import type { OtherHandlers } from "../generated/handlers.js";

export const handlers: OtherHandlers = {
  "other.search": async ({ query }) => ({ other: query }),
  "other.quality": async (args) => args,
  "other.store": async ({ text }) => ({ stored: text }),
  "other.hang": () => new Promise(() => undefined),
};
