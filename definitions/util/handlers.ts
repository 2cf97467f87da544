/** The handlers of the utility ops. */

import { unbound } from "toolwright/codegen";
import type { UtilHandlers } from "../../generated/handlers.js";
import { type FieldInfoArgs, fieldInfo } from "../../runtime/backends/onto/field-info.js";
import { OVERVIEW, USAGE_GUIDE } from "../../runtime/backends/onto/guide.js";

/** The handlers by op. */
export const handlers = {
  "util.buildos.overview": async () => OVERVIEW,
  "util.buildos.usage_guide": async () => USAGE_GUIDE,
  "util.schema.field_info": async (args: FieldInfoArgs) => fieldInfo(args),
  "util.web.search": unbound("definitions/util/handlers.ts"),
  "util.web.visit": unbound("definitions/util/handlers.ts"),
} satisfies UtilHandlers;
