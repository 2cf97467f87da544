/** The handlers of the utility ops; those of the web are the package's own. */

import type { UtilHandlers } from "../../generated/handlers.js";
import { type FieldInfoArgs, fieldInfo } from "./backend/field-info.js";
import { OVERVIEW, USAGE_GUIDE } from "./backend/guide.js";

/** The handlers by op. */
export const handlers = {
  "util.buildos.overview": async () => OVERVIEW,
  "util.buildos.usage_guide": async () => USAGE_GUIDE,
  "util.schema.field_info": async (args: FieldInfoArgs) => fieldInfo(args),
} satisfies Omit<UtilHandlers, "util.web.search" | "util.web.visit">;
