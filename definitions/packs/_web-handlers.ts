/** The handlers of the example's ops on the web, which use the package's own web client. */

import type { UtilHandlers } from "../../generated/handlers.js";
import { braveSearch } from "../../runtime/packs/web/brave.js";
import { webSearch } from "../../runtime/packs/web/search.js";
import { webVisit } from "../../runtime/packs/web/visit.js";

/** The handlers by op. */
export const handlers = {
  "util.web.search": webSearch(braveSearch({ url: process.env["BRAVE_API_URL"] })),
  "util.web.visit": webVisit(),
} satisfies Pick<UtilHandlers, "util.web.search" | "util.web.visit">;
