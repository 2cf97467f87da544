/** Completion: names of tools, values of the variables of resource templates and of the arguments of prompts. */

import type { CompleteResult, Server } from "@modelcontextprotocol/server";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import { clip } from "../observe/scrub.js";
import { choicesOf, isTemplate, seenOf } from "./offers.js";
import { guarded, invalid } from "./pages.js";
import { beginning, completePrompt, type Filling } from "./prompts.js";
import { completeTool, TOOL_TEMPLATE } from "./resources.js";
import type { ServerOptions } from "./server.js";

/** Values that the protocol allows in one answer. */
const MOST = 100;

/** Answers requests for completion. */
export function serveCompletions(server: Server, { gateway, principal }: ServerOptions): void {
  server.setRequestHandler(
    "completion/complete",
    guarded(gateway.log, async ({ params: { ref, argument } }) => {
      const who = await principal();
      const { name, value: typed } = argument;
      if (ref.type === "ref/resource")
        return answer(completeResource(gateway, who, { name: ref.uri, argument: name, typed }));
      const values = await completePrompt(gateway, who, { name: ref.name, argument: name, typed });
      if (!values) throw invalid(`Prompt '${clip(ref.name, MOST)}' not found.`);
      return answer(values);
    }),
  );
}

/** @throws ProtocolError for a template that there is not */
function completeResource(gateway: Gateway, { grant }: Principal, { name: uri, argument, typed }: Filling) {
  const view = gateway.index.view(grant);
  if (uri === TOOL_TEMPLATE) return argument === "name" ? completeTool(view, typed) : [];
  const offer = seenOf(gateway.settings.offers.resources, view).find((one) => isTemplate(one) && one.uri === uri);
  if (!offer) throw invalid(`There is no resource template '${clip(uri, MOST)}'.`);
  return offer.template.variables.includes(argument) ? beginning(choicesOf(offer.tool, argument), typed) : [];
}

const answer = (values: readonly string[]): CompleteResult => ({
  completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST },
});
