/**
 * Messages of MCP without loss. What the SDK reads of a message stays plain; exact numbers and the order of keys are kept where only tools
 * look: in the arguments of a call, and in its result.
 */

import { isLossy, readExact } from "../contract/read-json.js";
import { isObject } from "../json.js";

/**
 * The message, or the list of messages, that a text holds.
 *
 * @throws SyntaxError where the text is not JSON
 */
export function parseMessage(text: string): unknown {
  const plain: unknown = JSON.parse(text);
  return isLossy(text) ? withExact(plain, readExact(text)) : plain;
}

/** Fields that are passed on as they were sent, by the field of the message that holds them. */
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
