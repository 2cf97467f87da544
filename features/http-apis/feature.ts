/** HTTP APIs: ops from OpenAPI and GraphQL descriptions, and the requests that they send. */

import type { Feature } from "../../core/feature.js";
import { API_RULES } from "./diagnostics.js";

/** HTTP APIs. */
export const HTTP_APIS: Feature = {
  name: "http-apis",
  rules: { after: "tag-invalid", catalogue: API_RULES },
  generate: async () => (await import("./generate.js")).API_SOURCES,
  calls: { http: async () => (await import("./calls.js")).callHttpApis },
};
