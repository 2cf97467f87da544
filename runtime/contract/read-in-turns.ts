/** Parses long messages in several turns of the event loop, so that others are answered meanwhile. */

import { exactSteps, isLossy, withExact } from "./read-json.js";
import { nextTurn } from "./turn.js";

/** Longest text whose exact values are parsed in the same turn. */
const SHORT_LENGTH = 10_000;

/**
 * As `parseMessage`.
 *
 * @throws SyntaxError if the text is not JSON
 */
export async function parseMessageInTurns(text: string): Promise<unknown> {
  const plain: unknown = JSON.parse(text);
  return isLossy(text) ? withExact(plain, await readExactInTurns(text)) : plain;
}

/**
 * As {@link parseMessageInTurns}, for a text that `JSON.parse` would change; `undefined` for any other text.
 *
 * @throws SyntaxError if the text is not JSON
 */
export const parseLossy = async (text: string): Promise<unknown> =>
  isLossy(text) ? parseMessageInTurns(text) : undefined;

async function readExactInTurns(text: string): Promise<unknown> {
  const steps = exactSteps(text);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (text.length > SHORT_LENGTH) await nextTurn();
  }
}
