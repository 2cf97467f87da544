/**
 * An MCP server that reports invalid params in one sentence, where the SDK sends its validator's issue list, partly as
 * internal errors. Also the end of its connection, and notifications that may fail.
 */

import {
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Logger } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { recordServed } from "../../metrics/operations.js";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** The tools that requests have called, by the context of the request. */
const called = new WeakMap<object, string>();

/** Names the tool of a request in the metrics, once it is known to exist: names made up by callers would be unlimited. */
export const nameTool = (context: ServerContext, name: string): void => void called.set(context, name);

/** Tasks that requests are answered with, by the signal of the request. */
const tasks = new WeakMap<AbortSignal, Result>();

/** Answers a request with a task, which the SDK would check as the result of a tool. */
export const answerTask = ({ mcpReq }: ServerContext, task: Result): void => void tasks.set(mcpReq.signal, task);

/** The SDK's server with readable errors for invalid params. Its requests are counted and timed. */
export class PlainServer extends Server {
  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = super._wrapHandler(method, handler);
    const answer: Handler = async (request, context) => {
      try {
        const result = await wrapped(request, context);
        return tasks.get(context.mcpReq.signal) ?? result;
      } catch (error) {
        const fault = error instanceof Error ? paramsFault(error.message) : undefined;
        if (fault === undefined) throw error;
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid params for ${method}: ${fault}`);
      }
    };
    return (request, context) =>
      recordServed(
        method,
        () => called.get(context),
        () => answer(request, context),
      );
  }
}

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

/** Runs a function once the connection is closed, after the functions registered before. */
export function whenClosed(server: Server, end: () => void): void {
  const before = server.onclose;
  server.onclose = () => {
    before?.();
    end();
  };
}

/** Waits for a notification; a failure to send it is only logged. */
export function tolerate(told: Promise<unknown>, what: string, log: Logger): void {
  told.catch((error: unknown) => log.debug(`${what} not sent`, { error: String(error) }));
}
