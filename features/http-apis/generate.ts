/** What reads descriptions of HTTP APIs in a build. */

import type { GeneratePart } from "../../generator/pipeline.js";

/** The kinds `openapi` and `graphql` of `sources`; the parsers are loaded at the first description. */
export const API_SOURCES: GeneratePart = {
  sources: {
    graphql: { read: async (file, report) => (await import("./source/graphql.js")).readGraphql(file, report) },
    openapi: { read: async (file, report) => (await import("./source/openapi.js")).readOpenapi(file, report) },
  },
};
