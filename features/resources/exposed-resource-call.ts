/**
 * Reads an op that is exposed as a resource or prompt: a call through dispatch, whose failure becomes a protocol error.
 */

import {
  type GetPromptResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
} from "@modelcontextprotocol/server";
import type { FailureEnvelope } from "../../runtime/contract/error-body.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import type { ErrorCode, Principal } from "../../runtime/contract/handler.js";
import type { JsonObject, Tool } from "../../runtime/contract/registry.js";
import type { McpRequest } from "../../runtime/gateway/mcp-part.js";
import { markedText } from "../../runtime/run/sanitize.js";
import { keepFor } from "../../runtime/serve/mcp/attached-blocks.js";
import { parentOf, tellingOf } from "../../runtime/serve/mcp/client-capabilities.js";
import { blockAsData } from "../../runtime/upstream/content-block.js";
import { isShown, type Piece, piecesOf } from "./exposed-resources.js";

/** A call of a read op. */
export interface ExposedResourceCall {
  readonly who: Principal;
  readonly tool: Tool;
  readonly args: JsonObject;
  /** The URI that is read; absent for a prompt. */
  readonly uri?: string;
}

/** Failures caused by the request. */
const THE_CALLERS: ReadonlySet<ErrorCode> = new Set(["VALIDATION_ERROR", "NOT_FOUND", "PERMISSION_DENIED", "CONFLICT"]);

/**
 * Calls the op and splits its result into pieces.
 *
 * @throws ProtocolError with the error of the envelope as its data
 */
export async function callExposedResource(
  { gateway, session, ending, context, access }: McpRequest,
  { who, tool, args, uri }: ExposedResourceCall,
): Promise<readonly Piece[]> {
  const { signal } = context.mcpReq;
  const { forward, attach, blocks, withoutBytes } = access();
  const envelope = await gateway.dispatch({ op: tool.op, args }, who, {
    signal: ending ? AbortSignal.any([signal, ending]) : signal,
    forward,
    attach: (block) => (isShown(blockAsData(block)) ? attach(block) : undefined),
    ...tellingOf(context, gateway.log),
    span: parentOf(context),
    ...(session ? { session } : {}),
  });
  if (!envelope.ok) throw failed(envelope, uri);
  const most = gateway.settings.run.limits.resultBytes;
  const size = Buffer.byteLength(writeJson(envelope.result));
  if (size > most) throw tooLarge(tool.op, size, most);
  const { result } = await withoutBytes(envelope, keepFor({ gateway, principal: who }, tool.op));
  const pieces = piecesOf(
    { whole: envelope.result, result },
    blocks().map((one) => blockAsData({ ...one } as JsonObject)),
  );
  return envelope.meta.external ? pieces.map((piece) => markedPiece(piece, tool.op)) : pieces;
}

/** A piece with its text marked as text from elsewhere; JSON keeps its form. */
function markedPiece(piece: Piece, op: string): Piece {
  if (piece.kind === "text") return { ...piece, text: markedText(piece.text, [op]) };
  if (piece.kind !== "resource" || !("text" in piece.content) || piece.mime?.includes("json")) return piece;
  return { ...piece, content: { text: markedText(piece.content.text, [op]) } };
}

function failed({ error, meta: { trace_id } }: FailureEnvelope, uri: string | undefined): ProtocolError {
  const { InvalidParams, InternalError } = ProtocolErrorCode;
  const data = { ...(uri === undefined ? {} : { uri }), ...error, trace_id };
  return new ProtocolError(THE_CALLERS.has(error.code) ? InvalidParams : InternalError, error.message, data);
}

function tooLarge(op: string, size: number, most: number): ProtocolError {
  const message = `The result of ${op} has ${size} bytes, and may have ${most} (limits.result_bytes).`;
  return new ProtocolError(ProtocolErrorCode.InternalError, message, { code: "INTERNAL", message });
}

/** Converts pieces to the contents of a resource. */
export const contentsOf = (
  uri: string,
  mime: string | undefined,
  pieces: readonly Piece[],
): ReadResourceResult["contents"] => pieces.map((piece) => contentOf(uri, mime, piece));

function contentOf(uri: string, mime: string | undefined, piece: Piece): ReadResourceResult["contents"][number] {
  if (piece.kind === "resource") return embedded(piece);
  if ("bytes" in piece) return { uri, mimeType: piece.mime, blob: piece.bytes };
  return { uri, mimeType: mime ?? (piece.kind === "text" ? "text/plain" : "application/json"), text: piece.text };
}

const embedded = ({ uri, mime, content }: Extract<Piece, { kind: "resource" }>) => ({
  uri,
  ...(mime === undefined ? {} : { mimeType: mime }),
  ...content,
});

/** Converts pieces to the messages of a prompt. */
export const messagesOf = (pieces: readonly Piece[]): GetPromptResult["messages"] =>
  pieces.map((piece) => ({ role: "user", content: blockOf(piece) }));

function blockOf(piece: Piece): GetPromptResult["messages"][number]["content"] {
  if (piece.kind === "resource") return { type: "resource", resource: embedded(piece) };
  if ("bytes" in piece) return { type: piece.kind, mimeType: piece.mime, data: piece.bytes };
  return { type: "text", text: piece.text };
}
