/**
 * Serves the gateway as an MCP server, on the SDK's low-level `Server` with this project's own validation and answers.
 */

import {
  ProtocolError,
  ProtocolErrorCode,
  type RequestMethod,
  type RequestTypeMap,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { McpPart } from "../../gateway/mcp-part.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import { requestAnswers } from "./answer.js";
import { askConnected, clientAccess } from "./client-capabilities.js";
import { instructionsOf } from "./instructions.js";
import { guardedOn } from "./pages.js";
import { PlainServer } from "./plain-server.js";
import { notifyOfRemoteTools } from "./remote-tools.js";
import { tolerate, whenClosed } from "./server-events.js";
import type { Calling, ServerOptions } from "./server-options.js";
import { serveSubscriptions } from "./subscriptions.js";
import { serveTasks, TASKS_CAPABILITY } from "./tasks.js";

const capabilitiesOf = (
  { subscriptions, isModern }: ServerOptions,
  { resources, ...more }: Partial<McpPart["capabilities"]>,
) => ({
  ...(isModern ? TASKS_CAPABILITY : {}),
  tools: { listChanged: true },
  ...(resources ? { resources: { ...resources, ...(subscriptions ? { subscribe: true } : {}) } } : {}),
  ...more,
  logging: {},
});

/** Creates the server of one connection or request. It always uses the configuration in force. */
export function createServer(options: ServerOptions): PlainServer {
  const { live, version, isSilent, isModern, isLasting, subscriptions: era, gatewayTools } = options;
  const { settings, index, log, mcp } = live.current();
  const told = isSilent ? {} : { instructions: instructionsOf(settings, index.registry, gatewayTools) };
  const server = new PlainServer(
    { name: "toolwright", version },
    { capabilities: capabilitiesOf(options, mcp?.capabilities ?? {}), ...told },
  );
  const calling = { ...options, accessOf: clientAccess(server, options.forwardOf ?? askConnected) };
  const clientName = () => server.getClientVersion()?.name;
  server.answerBy(requestAnswers({ ...calling, clientName }), { isModern: isModern === true });
  if (mcp) servePart(server, calling, mcp);
  if (isLasting) tellOfSwaps(server, live);
  if (mcp && era && isLasting) serveSubscriptions(server, options, era);
  if (isModern) serveTasks(server, options);
  if (options.remoteTools) notifyOfRemoteTools(server, options.remoteTools, log);
  return server;
}

/** Registers what a feature answers. Each request is answered with the configuration in force. */
function servePart(
  server: Server,
  { live, principal, session, ending, accessOf }: Calling,
  { methods }: McpPart,
): void {
  const serve = <M extends RequestMethod>(method: M): void =>
    server.setRequestHandler(
      method,
      guardedOn(live, async (gateway, request: RequestTypeMap[M], context: ServerContext) => {
        const answer = (await gateway.mcp?.load())?.answers[method];
        if (!answer) throw new ProtocolError(ProtocolErrorCode.MethodNotFound, "Method not found");
        return answer(request, { gateway, principal, session, ending, context, access: () => accessOf(context) });
      }),
    );
  for (const method of methods) serve(method);
}

/** Notifies the client after each reload, so that it lists everything again. */
function tellOfSwaps(server: Server, { current, onSwap }: Live): void {
  const stop = onSwap(() => {
    const { mcp, log } = current();
    const told = [server.sendToolListChanged()];
    if (mcp) told.push(server.sendResourceListChanged(), server.sendPromptListChanged());
    for (const one of told) tolerate(one, "list_changed", log);
  });
  whenClosed(server, stop);
}
