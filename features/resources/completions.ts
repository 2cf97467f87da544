/** Completion of tool names, of variables in resource templates, and of prompt arguments. */

import type { CompleteResult } from "@modelcontextprotocol/server";
import type { Principal } from "../../runtime/contract/handler.js";
import { clip } from "../../runtime/contract/scrub.js";
import type { McpAnswers, McpGateway } from "../../runtime/gateway/mcp-part.js";
import { invalidParamsError } from "../../runtime/serve/mcp/pages.js";
import { choicesOf, isTemplate, seenOf } from "./exposed-resources.js";
import type { ExposedResources } from "./exposed-settings.js";
import { beginning, completePrompt, type Filling } from "./prompts.js";
import { completeTool, TOOL_TEMPLATE } from "./resources.js";

/** Most values that the protocol allows in one answer. */
const MAX_COMPLETIONS = 100;

/** The answer about completions. */
export const completionAnswers = (exposed: ExposedResources): McpAnswers => ({
  "completion/complete": async ({ params: { ref, argument } }, { gateway, principal }) => {
    const who = await principal();
    const { name, value: typed } = argument;
    if (ref.type === "ref/resource")
      return completionOf(completeResource(exposed, gateway, who, { name: ref.uri, argument: name, typed }));
    const values = await completePrompt(exposed, gateway, who, { name: ref.name, argument: name, typed });
    if (!values) throw invalidParamsError(`Prompt '${clip(ref.name, MAX_COMPLETIONS)}' not found.`);
    return completionOf(values);
  },
});

/** @throws ProtocolError for an unknown template */
function completeResource(
  { resources }: ExposedResources,
  { index }: McpGateway,
  { grant }: Principal,
  { name: uri, argument, typed }: Filling,
) {
  const view = index.view(grant);
  if (uri === TOOL_TEMPLATE) return argument === "name" ? completeTool(view, typed) : [];
  const offer = seenOf(resources, view).find((one) => isTemplate(one) && one.uri === uri);
  if (!offer) throw invalidParamsError(`There is no resource template '${clip(uri, MAX_COMPLETIONS)}'.`);
  return offer.template.variables.includes(argument) ? beginning(choicesOf(offer.tool, argument), typed) : [];
}

const completionOf = (values: readonly string[]): CompleteResult => ({
  completion: {
    values: values.slice(0, MAX_COMPLETIONS),
    total: values.length,
    hasMore: values.length > MAX_COMPLETIONS,
  },
});
