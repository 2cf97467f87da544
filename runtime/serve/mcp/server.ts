/**
 * Serves the gateway as an MCP server, on the SDK's low-level `Server` with this project's own validation and answers.
 */

import type { Server } from "@modelcontextprotocol/server";
import { serveCompletions } from "../../../features/resources/completions.js";
import { servePrompts } from "../../../features/resources/prompts.js";
import { serveResources } from "../../../features/resources/resources.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import { requestAnswers } from "./answer.js";
import { askConnected, clientAccess } from "./client-capabilities.js";
import { instructionsOf } from "./instructions.js";
import { PlainServer } from "./plain-server.js";
import { notifyOfRemoteTools } from "./remote-tools.js";
import { tolerate, whenClosed } from "./server-events.js";
import type { ServerOptions } from "./server-options.js";
import { serveSubscriptions } from "./subscriptions.js";
import { serveTasks, TASKS_CAPABILITY } from "./tasks.js";

const capabilitiesOf = ({ subscriptions, isModern }: ServerOptions) => ({
  ...(isModern ? TASKS_CAPABILITY : {}),
  tools: { listChanged: true },
  resources: { listChanged: true, ...(subscriptions ? { subscribe: true } : {}) },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
});

/** Creates the server of one connection or request. It always uses the configuration in force. */
export function createServer(options: ServerOptions): PlainServer {
  const { live, version, isSilent, isModern, isLasting, subscriptions: era, gatewayTools } = options;
  const { settings, index, log } = live.current();
  const told = isSilent ? {} : { instructions: instructionsOf(settings, index.registry, gatewayTools) };
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: capabilitiesOf(options), ...told });
  const calling = { ...options, accessOf: clientAccess(server, options.forwardOf ?? askConnected) };
  const clientName = () => server.getClientVersion()?.name;
  server.answerBy(requestAnswers({ ...calling, clientName }), { isModern: isModern === true });
  serveResources(server, calling);
  servePrompts(server, calling);
  serveCompletions(server, options);
  if (isLasting) tellOfSwaps(server, live);
  if (era && isLasting) serveSubscriptions(server, options, era);
  if (isModern) serveTasks(server, options);
  if (options.remoteTools) notifyOfRemoteTools(server, options.remoteTools, log);
  return server;
}

/** Notifies the client after each reload, so that it lists everything again. */
function tellOfSwaps(server: Server, { current, onSwap }: Live): void {
  const stop = onSwap(() => {
    const told = [server.sendToolListChanged(), server.sendResourceListChanged(), server.sendPromptListChanged()];
    for (const one of told) tolerate(one, "list_changed", current().log);
  });
  whenClosed(server, stop);
}
