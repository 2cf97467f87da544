/** Results of tools with parts that others made. */

import { type CallToolResult, ProtocolError, ProtocolErrorCode, specTypeSchemas } from "@modelcontextprotocol/server";

/**
 * A result with the blocks and the `_meta` that others made as the protocol has them: without members that it does not know.
 *
 * @throws ProtocolError for blocks that the protocol does not know
 */
export function validResult(result: CallToolResult): CallToolResult {
  const { structuredContent, content = [], ...rest } = result;
  if (!rest._meta && content.every(isOwnText)) return { ...result, content };
  const read = specTypeSchemas.CallToolResult["~standard"].validate({ ...rest, content });
  if (read instanceof Promise || read.issues) {
    const issues = JSON.stringify("issues" in read ? read.issues : [], undefined, 2);
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid tools/call result: ${issues}`);
  }
  const { content: known, ...others } = read.value;
  return { content: known, ...(structuredContent === undefined ? {} : { structuredContent }), ...others };
}

/** Whether a block is a text as this server writes it. */
const isOwnText = (block: CallToolResult["content"][number]): boolean =>
  block.type === "text" && typeof block.text === "string" && Object.keys(block).length === 2;
