/**
 * Parses MCP messages without loss. Fields that the SDK reads are plain values; exact numbers and the order of keys
 * are kept in the arguments of a call and in its result, which only tools read.
 */

import { isObject } from "./json.js";
import { isLossy, readExact } from "./read-json.js";

/**
 * Parses a text to a message or a list of messages.
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseMessage(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  return isLossy(text) ? withExact(plain, readExact(text)) : plain;
}

/** Fields passed on as they were sent, by the field of the message that contains them. */
const PASSED_ON = { params: ["arguments"], result: ["content", "structuredContent"] } as const;

function withExact(plain: unknown, exact: unknown): unknown {
  if (Array.isArray(plain) && Array.isArray(exact)) return plain.map((one, at) => withExact(one, exact[at]));
  if (!isObject(plain) || !isObject(exact)) return plain;
  const parts = Object.entries(PASSED_ON).flatMap(([holder, names]) => {
    const [inner, from] = [plain[holder], exact[holder]];
    if (!isObject(inner) || !isObject(from)) return [];
    const kept = names.flatMap((name) => (Object.hasOwn(from, name) ? [[name, from[name]] as const] : []));
    return kept.length > 0 ? [[holder, { ...inner, ...Object.fromEntries(kept) }] as const] : [];
  });
  return parts.length > 0 ? { ...plain, ...Object.fromEntries(parts) } : plain;
}
