/** Completion of tool names, of variables in resource templates, and of prompt arguments. */

import type { CompleteResult, Server } from "@modelcontextprotocol/server";
import type { Principal } from "../../runtime/contract/handler.js";
import { clip } from "../../runtime/contract/scrub.js";
import type { Gateway } from "../../runtime/gateway/gateway.js";
import { guardedOn, invalidParamsError } from "../../runtime/serve/mcp/pages.js";
import type { ServerOptions } from "../../runtime/serve/mcp/server-options.js";
import { choicesOf, isTemplate, seenOf } from "./exposed-resources.js";
import { beginning, completePrompt, type Filling } from "./prompts.js";
import { completeTool, TOOL_TEMPLATE } from "./resources.js";

/** Most values that the protocol allows in one answer. */
const MAX_COMPLETIONS = 100;

/** Registers the completion handler. */
export function serveCompletions(server: Server, { live, principal }: ServerOptions): void {
  server.setRequestHandler(
    "completion/complete",
    guardedOn(live, async (gateway, { params: { ref, argument } }) => {
      const who = await principal();
      const { name, value: typed } = argument;
      if (ref.type === "ref/resource")
        return answer(completeResource(gateway, who, { name: ref.uri, argument: name, typed }));
      const values = await completePrompt(gateway, who, { name: ref.name, argument: name, typed });
      if (!values) throw invalidParamsError(`Prompt '${clip(ref.name, MAX_COMPLETIONS)}' not found.`);
      return answer(values);
    }),
  );
}

/** @throws ProtocolError for an unknown template */
function completeResource(gateway: Gateway, { grant }: Principal, { name: uri, argument, typed }: Filling) {
  const view = gateway.index.view(grant);
  if (uri === TOOL_TEMPLATE) return argument === "name" ? completeTool(view, typed) : [];
  const offer = seenOf(gateway.settings.exposedResources.resources, view).find(
    (one) => isTemplate(one) && one.uri === uri,
  );
  if (!offer) throw invalidParamsError(`There is no resource template '${clip(uri, MAX_COMPLETIONS)}'.`);
  return offer.template.variables.includes(argument) ? beginning(choicesOf(offer.tool, argument), typed) : [];
}

const answer = (values: readonly string[]): CompleteResult => ({
  completion: {
    values: values.slice(0, MAX_COMPLETIONS),
    total: values.length,
    hasMore: values.length > MAX_COMPLETIONS,
  },
});
