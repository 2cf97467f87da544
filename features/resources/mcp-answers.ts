/** All answers of the feature, which a server loads at the first request for one of them. */

import type { Settings } from "../../runtime/config/settings.js";
import type { LoadedMcpPart } from "../../runtime/gateway/mcp-part.js";
import { completionAnswers } from "./completions.js";
import type { ExposedResources } from "./exposed-settings.js";
import { promptAnswers } from "./prompts.js";
import { ownPages, resourceAnswers } from "./resources.js";

/** The answers with the entries of one configuration. */
export const exposedAnswers = (exposed: ExposedResources, settings: Settings): LoadedMcpPart => ({
  answers: { ...resourceAnswers(exposed), ...promptAnswers(exposed), ...completionAnswers(exposed) },
  pages: ownPages(exposed, settings),
});
