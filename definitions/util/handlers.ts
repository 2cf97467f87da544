/** The handlers of the utility ops. */

import type { UtilHandlers } from "../../generated/handlers.js";
import { type FieldInfoArgs, fieldInfo } from "../../runtime/backends/onto/field-info.js";
import { OVERVIEW, USAGE_GUIDE } from "../../runtime/backends/onto/guide.js";
import { braveSearch } from "../../runtime/backends/web/brave.js";
import { webSearch } from "../../runtime/backends/web/search.js";
import { webVisit } from "../../runtime/backends/web/visit.js";

/** The handlers by op. */
export const handlers = {
  "util.buildos.overview": async () => OVERVIEW,
  "util.buildos.usage_guide": async () => USAGE_GUIDE,
  "util.schema.field_info": async (args: FieldInfoArgs) => fieldInfo(args),
  "util.web.search": webSearch(braveSearch({ url: process.env["BRAVE_API_URL"] })),
  "util.web.visit": webVisit(),
} satisfies UtilHandlers;
