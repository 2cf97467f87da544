/** Completion: names of tools for the resource template, values of arguments for the prompts. */

import type { CompleteResult, Server } from "@modelcontextprotocol/server";
import { clip } from "../observe/scrub.js";
import { guarded, invalid } from "./pages.js";
import { completePrompt } from "./prompts.js";
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
      const { name, value } = argument;
      if (ref.type === "ref/prompt") {
        const values = completePrompt(ref.name, name, value, await gateway.snippets(who));
        if (!values) throw invalid(`Prompt '${clip(ref.name, MOST)}' not found.`);
        return answer(values);
      }
      if (ref.uri !== TOOL_TEMPLATE) throw invalid(`There is no resource template '${clip(ref.uri, MOST)}'.`);
      return answer(name === "name" ? completeTool(gateway.index.view(who.grant), value) : []);
    }),
  );
}

const answer = (values: readonly string[]): CompleteResult => ({
  completion: { values: values.slice(0, MOST), total: values.length, hasMore: values.length > MOST },
});
