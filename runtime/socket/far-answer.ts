/** What the other side answers, as the result of an MCP call: unchanged where it is one, with its code where it is an error. */

import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import { nestsDeeper } from "../contract/json-schema.js";
import type { JsonObject } from "../contract/registry.js";
import { newTraceId } from "../dispatch/job.js";
import { errorBody, type FailureEnvelope } from "../envelope.js";
import { DEEPEST, isObject } from "../json.js";
import type { RequestError } from "./request-error.js";

const LONGEST_PATH = 200;
/** Levels of an answer around the result that it holds. */
const LEVELS_AROUND = 8;

/** A result as it came; undefined where it is none that a client could read. */
export function resultOf(answer: unknown): CallToolResult | undefined {
  if (!isObject(answer) || !Array.isArray(answer["content"])) return undefined;
  // Clients of before 2026 read an object only.
  const { structuredContent = {} } = answer;
  if (!isObject(structuredContent)) return undefined;
  if (nestsDeeper(answer, DEEPEST + LEVELS_AROUND)) return undefined;
  return isSpecType.CallToolResult(answer) ? (answer as CallToolResult) : undefined;
}

/** An error as a result: the text for people, the envelope for programs. */
export function failureOf(tool: string, { code, message, data }: RequestError): CallToolResult {
  const { code: _, help_path, trace_id, details: inner, ...outer } = data;
  const details = { ...(isObject(inner) ? inner : {}), ...outer };
  const error = errorBody({ code, message, details, help_path: textIn(help_path) ?? "root" });
  const meta = { trace_id: textIn(trace_id) ?? newTraceId(), latency_ms: 0, warnings: [] };
  const envelope: FailureEnvelope = { op: tool, ok: false, error, meta };
  const structuredContent: Record<string, unknown> = { ...envelope };
  return { isError: true, content: [{ type: "text", text: `${code}: ${message}` }], structuredContent };
}

const textIn = (value: JsonObject[string] | undefined): string | undefined =>
  typeof value === "string" && value.length <= LONGEST_PATH ? value : undefined;
