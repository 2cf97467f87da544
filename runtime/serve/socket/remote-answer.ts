/**
 * Converts a remote answer to an MCP tool result: unchanged if it is a valid result, with its error code if it is an
 * error.
 */

import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import { errorBody, type FailureEnvelope } from "../../contract/error-body.js";
import { isObject, MAX_JSON_DEPTH } from "../../contract/json.js";
import { nestsDeeper } from "../../contract/json-schema.js";
import type { JsonObject } from "../../contract/registry.js";
import { newTraceId } from "../../contract/trace-id.js";
import type { RequestError } from "./request-error.js";

const MAX_PATH_LENGTH = 200;
/** Nesting levels around the result in an answer. */
const LEVELS_AROUND = 8;

/** The result unchanged; `undefined` if an MCP client could not read it. */
export function resultOf(answer: unknown): CallToolResult | undefined {
  if (!isObject(answer) || !Array.isArray(answer["content"])) return undefined;
  // Clients before the protocol of 2026 accept objects only.
  const { structuredContent = {} } = answer;
  if (!isObject(structuredContent)) return undefined;
  if (nestsDeeper(answer, MAX_JSON_DEPTH + LEVELS_AROUND)) return undefined;
  return isSpecType.CallToolResult(answer) ? (answer as CallToolResult) : undefined;
}

/** An error as a tool result: text for users, envelope for programs. */
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
  typeof value === "string" && value.length <= MAX_PATH_LENGTH ? value : undefined;
