/**
 * Gives results to the SDK in forms that it takes. It refuses a whole answer for one member that is missing or of another type,
 * with the text of its validator.
 */

import type { JSONRPCMessage, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { isObject } from "../contract/json.js";
import { BROKEN_OFF } from "./answer-bound.js";
import type { Deviation } from "./deviations.js";

/** The newer protocol. */
export const LATEST = "2026-07-28";

type Result = Readonly<Record<string, unknown>>;

/** What the SDK's schemas of results are, as far as they are needed. */
interface Schemas {
  readonly InitializeResult: StandardSchemaV1;
  readonly DiscoverResult: StandardSchemaV1;
}

/** How results of one connection are given to the SDK. */
export interface ResultForms {
  readonly schemas: Schemas;
  /** The name of the server in the configuration. */
  readonly name: string;
  /** Whether the newer protocol was agreed on. */
  isNewer(): boolean;
  deviates(what: Deviation): void;
}

/** Member with a result as the server sent it. */
const SENT = "toolwright:as_sent";
/** What the SDK asks of the results of requests that are made here. */
const COMPLETE = { resultType: "complete", content: [], tools: [], ttlMs: 0, cacheScope: "private" };

/**
 * The answer to a request, in a form that the SDK takes.
 *
 * @param method the method of the request
 */
export function inFormOf(message: JSONRPCMessage, method: string, forms: ResultForms): JSONRPCMessage {
  if (!("result" in message)) return message;
  const result: Result = message.result;
  if (method === "initialize" || method === DISCOVER) return handshake(message, method, forms);
  if (!forms.isNewer() || !REQUESTED.has(method)) return message;
  return { ...message, result: { ...COMPLETE, [SENT]: complete(result, forms) } } as JSONRPCMessage;
}

/** The requests that are made with {@link AS_SENT}. */
const REQUESTED: ReadonlySet<string> = new Set(["tools/call", "tools/list"]);

/** A result of the newer protocol without a type is complete, unless it has the members of a question only. */
function complete(result: Result, { deviates }: ResultForms): Result {
  if ((result["resultType"] ?? null) !== null) return result;
  deviates("result_type");
  const { content, structuredContent, inputRequests } = result;
  const asks = content === undefined && structuredContent === undefined && isObject(inputRequests);
  return { ...result, resultType: asks ? "input_required" : "complete" };
}

/** Accepts any object as a result, as the server sent it. */
export const AS_SENT: StandardSchemaV1<unknown, Result> = {
  "~standard": {
    version: 1,
    vendor: "toolwright",
    validate: (value) =>
      isObject(value)
        ? { value: isObject(value[SENT]) ? value[SENT] : value }
        : { issues: [{ message: "the answer is no object" }] },
  },
};

const DISCOVER = "server/discover";

type Answered = Extract<JSONRPCMessage, { readonly result: unknown }>;

function handshake(message: Answered, method: string, forms: ResultForms): JSONRPCMessage {
  const { result } = message;
  const schema = method === DISCOVER ? forms.schemas.DiscoverResult : forms.schemas.InitializeResult;
  if (fits(schema, result)) return message;
  if (!TELLING.some((name) => (result[name] ?? null) !== null)) return unread(message, method);
  forms.deviates("handshake");
  return {
    ...message,
    result: method === DISCOVER ? discovered(result) : initialized(result, forms),
  } as JSONRPCMessage;
}

function fits(schema: StandardSchemaV1, value: unknown): boolean {
  const read = schema["~standard"].validate(value);
  return !(read instanceof Promise) && !read.issues;
}

/** Members of a handshake; each handshake has one of them at least. */
const TELLING = ["protocolVersion", "supportedVersions", "capabilities", "serverInfo"];

const unread = ({ id }: Answered, method: string): JSONRPCMessage => ({
  ...{ jsonrpc: "2.0", id },
  error: { code: BROKEN_OFF, message: `its answer to ${method} names neither a version nor what it can do` },
});

/** The version of servers that do not say theirs. */
const UNSAID = "2025-03-26";

function initialized(result: Result, { name }: ResultForms): Result {
  const { protocolVersion: version } = result;
  return {
    protocolVersion: (version ?? null) === null ? UNSAID : String(version),
    ...commonOf(result),
    serverInfo: serverInfoOf(result["serverInfo"], name),
  };
}

function discovered(result: Result): Result {
  const { supportedVersions: versions, ...rest } = result;
  return {
    ...rest,
    ...commonOf(result),
    resultType: "complete",
    // It has answered a request that only this version has.
    supportedVersions: Array.isArray(versions) ? versions.map(String) : [(versions ?? LATEST) as string].map(String),
  };
}

/** Capabilities and instructions, as far as they are read. */
function commonOf({ capabilities, instructions }: Result): Result {
  const tools = isObject(capabilities) ? capabilities["tools"] : undefined;
  const listChanged = isObject(tools) && tools["listChanged"] === true;
  return {
    capabilities: (tools ?? false) === false ? {} : { tools: listChanged ? { listChanged } : {} },
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

function serverInfoOf(info: unknown, name: string): Result {
  const told = typeof info === "string" ? { name: info } : isObject(info) ? info : {};
  const wordOf = (value: unknown): string | undefined =>
    typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  return { name: wordOf(told["name"]) ?? name, version: wordOf(told["version"]) ?? "" };
}
