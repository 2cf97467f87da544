/** Answers requests about resources, prompts and completion in the MCP servers of a gateway. */

import type { ServePart } from "../../runtime/gateway/features.js";
import type { LoadedMcpPart, McpPart } from "../../runtime/gateway/mcp-part.js";
import { exposedResourcesOf } from "./exposed-settings.js";
import type { ResourcesConfig } from "./settings.js";

const CAPABILITIES: McpPart["capabilities"] = {
  resources: { listChanged: true },
  prompts: { listChanged: true },
  completions: {},
};

const METHODS: McpPart["methods"] = [
  ...(["resources/list", "resources/templates/list", "resources/read"] as const),
  ...(["prompts/list", "prompts/get", "completion/complete"] as const),
];

/** Answers with the entries of the configuration. */
export const serveResources: ServePart = ({ own, settings }) => {
  const exposed = exposedResourcesOf((own as unknown as ResourcesConfig).expose);
  const load = async (): Promise<LoadedMcpPart> => (await import("./mcp-answers.js")).exposedAnswers(exposed, settings);
  let loading: Promise<LoadedMcpPart> | undefined;
  return {
    mcp: {
      capabilities: CAPABILITIES,
      methods: METHODS,
      load() {
        loading ??= load();
        return loading;
      },
    },
  };
};
