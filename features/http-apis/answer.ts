/** Converts an HTTP answer to a result (data, text or bytes), and an error status to a code of the envelope. */

import { type Context, type ErrorCode, fail } from "../../runtime/contract/handler.js";
import { type HttpCall, isJsonMedia, mayChange } from "../../runtime/contract/http-call.js";
import { isObject, isTooDeep } from "../../runtime/contract/json.js";
import { hint } from "../../runtime/contract/own-command.js";
import { readJson } from "../../runtime/contract/read-json.js";
import type { JsonObject, JsonValue } from "../../runtime/contract/registry.js";
import { clip } from "../../runtime/contract/scrub.js";
import { decodeText } from "../../runtime/http-client/charset.js";
import { failUnavailable, MAX_BYTES, readBody, retryAfterMs } from "../../runtime/http-client/client.js";
import { graphqlResult } from "./graphql-answer.js";

/**
 * Status to code; any other status is UNAVAILABLE: the fault is in credentials, configuration or the server, not in
 * the call.
 */
const CODES: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [400, "VALIDATION_ERROR"],
  [404, "NOT_FOUND"],
  [409, "CONFLICT"],
  [410, "NOT_FOUND"],
  [412, "CONFLICT"],
  [413, "VALIDATION_ERROR"],
  [414, "VALIDATION_ERROR"],
  [422, "VALIDATION_ERROR"],
  [429, "RATE_LIMITED"],
]);

/** Statuses after which a write may or may not have taken effect. */
const UNCERTAIN: ReadonlySet<number> = new Set([500, 502, 504]);

/** Bytes of a refusal that are read, and characters of it in the message. */
const MAX_REFUSAL_BYTES = 20_000;
const MAX_REFUSAL_LENGTH = 1000;

const TEXT_TYPE =
  /^text\/|^application\/(?:[\w.+-]+\+)?(?:xml|yaml|x-yaml|javascript|x-ndjson|x-www-form-urlencoded)\b/i;

/** The context of a request; `attach` receives what only a client can show. */
export interface AnswerContext extends Context {
  readonly attach?: ((block: JsonObject) => void) | undefined;
}

/**
 * Converts an answer to a result.
 *
 * @throws ToolFailure for an error status, and for an answer that is too long or unreadable
 */
export async function httpResult(call: HttpCall, response: Response, url: URL, ctx: AnswerContext): Promise<unknown> {
  if (response.status < 200 || response.status >= 300) return refuse(call, response, url, ctx);
  if (call.method === "HEAD") return { status: response.status };
  const { bytes, cut } = await readBody(response, ctx);
  if (cut) return failUnavailable(url.host, `answers with more than ${MAX_BYTES / 1e6} MB; ask for less`);
  if (bytes.byteLength === 0) return null;
  const type = response.headers.get("content-type") ?? "";
  if (call.graphql) return graphqlResult(call.graphql, dataIn(decodeText(bytes, "charset=utf-8"), url), url, ctx);
  if (isJsonMedia(type)) return dataIn(decodeText(bytes, "charset=utf-8"), url);
  if (TEXT_TYPE.test(type)) return decodeText(bytes, type);
  if (type === "" && !bytes.includes(0)) return guessed(decodeText(bytes, type), url);
  const result = bytesOf(bytes, type);
  ctx.attach?.(blockOf(result, url));
  return result;
}

function dataIn(text: string, url: URL): JsonValue {
  let value: JsonValue;
  try {
    value = readJson(text) as JsonValue;
  } catch {
    return failUnavailable(url.host, "answers with JSON that cannot be read");
  }
  return isTooDeep(value) ? failUnavailable(url.host, "answers with JSON that nests too deep") : value;
}

/** An answer without a type is data if it starts like JSON and parses as JSON. */
function guessed(text: string, url: URL): JsonValue {
  if (!/^\s*[{[]/.test(text)) return text;
  try {
    return dataIn(text, url);
  } catch {
    return text;
  }
}

interface Media {
  readonly type: string;
  readonly mime: string;
  readonly bytes: string;
}

/** Bytes as a content block of MCP: a file as a resource, whose URI has no query, in which credentials may be. */
function blockOf({ type, mime, bytes: data }: Media, { origin, pathname }: URL): JsonObject {
  if (type !== "file") return { type, mimeType: mime, data };
  return { type: "resource", resource: { uri: `${origin}${pathname}`, mimeType: mime, blob: data } };
}

function bytesOf(bytes: Uint8Array, type: string): Media {
  const mime = (type.split(";")[0] ?? "").trim().toLowerCase() || "application/octet-stream";
  const [, kind = "file"] = /^(image|audio)\//.exec(mime) ?? [];
  return { type: kind, mime, bytes: Buffer.from(bytes).toString("base64") };
}

async function refuse(call: HttpCall, response: Response, url: URL, ctx: Context): Promise<never> {
  const { status, headers } = response;
  const { bytes } = await readBody(response, ctx, MAX_REFUSAL_BYTES);
  const said = saidIn(decodeText(bytes, headers.get("content-type") ?? ""));
  const wait = retryAfterMs(headers, Date.now());
  const code = CODES.get(status) ?? "UNAVAILABLE";
  const details = {
    status,
    server: url.host,
    ...(said === "" ? {} : { answer: said }),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
    ...(mayChange(call) && UNCERTAIN.has(status) ? { outcome: "unknown" } : {}),
  };
  const why = said === "" ? "" : `: ${said}`;
  return fail(code, `${url.host} answers ${call.method} ${call.path} with ${status}${remedyOf(status)}${why}`, details);
}

/** The remedy of statuses that the caller cannot fix. */
const remedyOf = (status: number): string => {
  const by = hint("`auth` in toolwright.yaml", "--header");
  if (status === 401) return ` (it does not know the credentials that ${by} sends)`;
  return status === 403 ? ` (the credentials that ${by} sends do not allow it)` : "";
};

const NAMES = ["message", "error_description", "detail", "error", "title", "errors"] as const;

/** The error message in a refusal: a known member of its JSON, else its text. */
function saidIn(text: string): string {
  const plain = text.replace(/\s+/g, " ").trim();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return /^\s*</.test(text) ? "" : clip(plain, MAX_REFUSAL_LENGTH);
  }
  if (!isObject(value)) return clip(typeof value === "string" ? value : plain, MAX_REFUSAL_LENGTH);
  const members = value;
  const parts = NAMES.flatMap((name) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (typeof member === "string") return [member];
    return typeof member === "object" && member !== null ? [JSON.stringify(member)] : [];
  });
  return clip([...new Set(parts)].join("; ") || plain, MAX_REFUSAL_LENGTH);
}
