/** The handlers of the utility ops. */

import type { UtilHandlers } from "../../generated/handlers.js";
import { type FieldInfoArgs, fieldInfo } from "../../runtime/packs/onto/field-info.js";
import { OVERVIEW, USAGE_GUIDE } from "../../runtime/packs/onto/guide.js";
import { braveSearch } from "../../runtime/packs/web/brave.js";
import { webSearch } from "../../runtime/packs/web/search.js";
import { webVisit } from "../../runtime/packs/web/visit.js";

/** The handlers by op. */
export const handlers = {
  "util.buildos.overview": async () => OVERVIEW,
  "util.buildos.usage_guide": async () => USAGE_GUIDE,
  "util.schema.field_info": async (args: FieldInfoArgs) => fieldInfo(args),
  "util.web.search": webSearch(braveSearch({ url: process.env["BRAVE_API_URL"] })),
  "util.web.visit": webVisit(),
} satisfies UtilHandlers;
