/**
 * An MCP server whose requests about tools are answered without the SDK, and that reports invalid params in one sentence,
 * where the SDK sends its validator's issue list, partly as internal errors.
 */

import {
  type CallToolResult,
  type Implementation,
  type JSONRPCRequest,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type ServerOptions as SdkOptions,
  SERVER_INFO_META_KEY,
  Server,
  type ServerContext,
  type Transport,
} from "@modelcontextprotocol/server";
import { isObject } from "../../contract/json.js";
import { recordServed } from "../../metrics/operations.js";
import { whenClosed } from "./server-events.js";
import { type AnswerRequest, type ToolRequests, toolRequests } from "./tool-requests.js";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** The SDK's server with readable errors for invalid params. Its requests are counted and timed. */
export class PlainServer extends Server {
  readonly #identity: Implementation;
  #tools: ToolRequests | undefined;

  constructor(identity: Implementation, options: SdkOptions) {
    super(identity, options);
    this.#identity = identity;
  }

  /** Answers the requests about tools of the connection to come. */
  answerBy(answer: AnswerRequest, { isModern }: { readonly isModern: boolean }): void {
    const encode = isModern ? (result: object) => completed(result, this.#identity) : (result: object) => result;
    const tools = toolRequests(this, { answer, isModern, encode });
    this.#tools = tools;
    whenClosed(this, tools.abort);
    this.setRequestHandler(
      "tools/list",
      async ({ params }, context) =>
        answer({ method: "tools/list", cursor: params?.cursor }, context) as Promise<ListToolsResult>,
    );
    // What comes here is not valid, and refused before.
    this.setRequestHandler(
      "tools/call",
      async ({ params: { name, arguments: input } }, context) =>
        answer({ method: "tools/call", name, input }, context) as Promise<CallToolResult>,
    );
  }

  override async connect(transport: Transport): Promise<void> {
    await super.connect(transport);
    this.answerOn(transport);
  }

  /** Answers the requests about tools that arrive on a transport, before those who listen to it. */
  answerOn(transport: Transport): void {
    this.#tools?.take(transport);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    const answer: Handler = async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (error) {
        const fault = error instanceof Error ? paramsFault(error.message) : undefined;
        if (fault === undefined) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${fault}`);
      }
    };
    return (request, context) =>
      recordServed(
        method,
        () => undefined,
        () => answer(request, context),
      );
  }
}

/** A result as the newer protocol has it: it says that it is one, and who made it. */
const completed = (result: object & { readonly _meta?: object }, identity: Implementation): object => ({
  resultType: "complete",
  ...result,
  _meta: { [SERVER_INFO_META_KEY]: identity, ...result._meta },
});

/** Prefix of the issue list in some messages. */
const PREFIX = /^Invalid \S+ request: /;
const MAX_FAULT = 300;

/** The first issue of a validator's list, as text; `undefined` for any other message. */
function paramsFault(message: string): string | undefined {
  const list = message.replace(PREFIX, "");
  if (!list.startsWith("[")) return undefined;
  const [first]: readonly unknown[] = parsed(list);
  if (!isObject(first) || typeof first["message"] !== "string" || !Array.isArray(first["path"])) return undefined;
  const [, ...path] = first["path"];
  // `record` is the validator's word for a JSON object with any keys.
  const text = first["message"].replace(/^Invalid input: /, "").replace(/^expected record\b/, "expected object");
  return `${path.length > 0 ? `${path.join(".")}: ` : ""}${text}`.slice(0, MAX_FAULT);
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
