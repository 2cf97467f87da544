/** Handlers of the conformance project's pack `schema`. */

import type { SchemaHandlers } from "../generated/handlers.js";

export const handlers: SchemaHandlers = {
  "schema.check": async (args) => args,
  "schema.region": async ({ region }) => region,
};
