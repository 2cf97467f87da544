/** What a feature answers in MCP, beside the requests about tools, which the core answers. */

import type {
  HandlerResultTypeMap,
  RequestMethod,
  RequestTypeMap,
  ServerCapabilities,
  ServerContext,
} from "@modelcontextprotocol/server";
import type { CallerOf } from "../access/callers.js";
import type { Dispatch } from "../call/call.js";
import type { CallAccess } from "../call/client-access.js";
import type { RegistryView } from "../catalog/registry.js";
import type { Session } from "../catalog/session.js";
import type { Settings } from "../config/settings.js";
import type { Logger, Principal } from "../contract/handler.js";
import type { Language } from "../run/languages/language.js";
import type { Runner } from "../run/runner.js";

/** What an answer uses of the gateway in force. */
export interface McpGateway extends Pick<Dispatch, "dispatch" | "index">, Pick<Runner, "snippets"> {
  readonly settings: Settings;
  readonly log: Logger;
  /** The first language of programs. */
  firstLanguage(): Promise<Pick<Language, "name" | "texts">>;
  /**
   * Keeps a text for a caller, and returns the handle under which `ot.load` reads it.
   *
   * @param isForeign whether what is read of it is to be sanitised again
   */
  keepResult(text: string, tool: string, principal: Pick<Principal, "id">, isForeign?: boolean): Promise<string>;
}

/** The connection of a request, and what belongs to the request itself. */
export interface McpRequest {
  readonly gateway: McpGateway;
  /** The caller, resolved at each request. */
  readonly principal: CallerOf;
  /** Absent over HTTP, which has no sessions. */
  readonly session?: Session | undefined;
  /** Fires when shutdown no longer waits for running calls. */
  readonly ending?: AbortSignal | undefined;
  readonly context: ServerContext;
  /** Makes what the client can do during a call. */
  readonly access: () => CallAccess;
}

/** Answers to requests by method. They may throw ProtocolError; any other error is logged, and the client gets its trace id. */
export type McpAnswers = {
  readonly [M in RequestMethod]?: (request: RequestTypeMap[M], given: McpRequest) => Promise<HandlerResultTypeMap[M]>;
};

/** Resources that change with the configuration only, so that clients can subscribe to them. */
export interface McpPages {
  /** The contents that a caller sees, by URI. */
  contents(view: RegistryView): ReadonlyMap<string, string>;
  /** Whether a URI is one of them, in the form that lists use. */
  has(uri: string, view: RegistryView): boolean;
  /** @throws ProtocolError for a URI that is none of them */
  require(uri: string, view: RegistryView): void;
}

/** What a feature answers with one configuration. */
export interface McpPart {
  /** What the server says that it can, without subscriptions. */
  readonly capabilities: Pick<ServerCapabilities, "resources" | "prompts" | "completions">;
  /** The methods that it answers. */
  readonly methods: readonly RequestMethod[];
  /** Loads the answers at the first request: a command needs none. */
  readonly load: () => Promise<LoadedMcpPart>;
}

/** The answers of a feature. */
export interface LoadedMcpPart {
  readonly answers: McpAnswers;
  readonly pages: McpPages;
}
