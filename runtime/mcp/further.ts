/** Tools that a server offers beside those of a gateway, or without one: another process has them. */

import type { CallToolResult, Server, ServerContext, Tool as WireTool } from "@modelcontextprotocol/server";
import { marked } from "../contract/exact-number.js";
import type { Logger } from "../contract/handler.js";
import { tolerate, whenClosed } from "./connection.js";
import { guarded, invalid, pageOf } from "./pages.js";
import { PlainServer } from "./plain-server.js";

/** What one call of such a tool is given. */
export interface FurtherCall {
  readonly signal: AbortSignal;
  /** `_meta` of the request. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Tools of another process. What is offered may change at any time. */
export interface FurtherTools {
  /** Resolves when the first list is worth showing, at the latest after a set time. */
  ready(): Promise<void>;
  /** The tools, apart from those whose names are taken. */
  list(taken: ReadonlySet<string>): readonly WireTool[];
  /** How a tool is called; undefined where there is none of that name. Calls never reject. */
  find(name: string): ((input: unknown, call: FurtherCall) => Promise<CallToolResult>) | undefined;
  /** Calls back when what was listed last is no longer so, until the function that it returns is called. */
  onChange(listener: () => void): () => void;
}

/** The facts of a request that such a call is given. */
export const furtherCall = ({ mcpReq }: ServerContext, signal: AbortSignal = mcpReq.signal): FurtherCall => ({
  signal,
  meta: { ...mcpReq._meta },
});

/** Has the client list the tools anew when those of the other process have changed. */
export function tellOfFurther(server: Server, further: FurtherTools, log: Logger): void {
  whenClosed(
    server,
    further.onChange(() => tolerate(server.sendToolListChanged(), "list_changed", log)),
  );
}

const NONE: ReadonlySet<string> = new Set();

/** Makes a server of nothing but such tools, for one connection. */
export function createFurtherServer(further: FurtherTools, version: string, log: Logger): Server {
  const server = new PlainServer({ name: "toolwright", version }, { capabilities: { tools: { listChanged: true } } });
  server.setRequestHandler(
    "tools/list",
    guarded(log, async ({ params }) => {
      await further.ready();
      const { entries, more } = pageOf(further.list(NONE), params?.cursor);
      return { tools: [...entries], ...more };
    }),
  );
  server.setRequestHandler(
    "tools/call",
    guarded(log, async ({ params }, context: ServerContext) => {
      const call = further.find(params.name) ?? unknownTool(params.name);
      return marked(await call(params.arguments, furtherCall(context)));
    }),
  );
  tellOfFurther(server, further, log);
  return server;
}

/** Characters of a name that are kept. */
export const LONGEST_NAME = 100;

/**
 * Refuses a name that no tool has.
 *
 * @throws ProtocolError always
 */
export function unknownTool(name: string): never {
  throw invalid(`Unknown tool: ${name.slice(0, LONGEST_NAME)}`);
}
