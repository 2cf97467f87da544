/** Ends the process of a command that has done its work, also where code of the project would keep it running. */

import { flushOutput } from "../../runtime/contract/terminal.js";

/** Time for what was begun and not awaited, such as the write of a cache or a request of a handler, in ms. */
const GRACE_MS = 200;

/**
 * Ends the process once its output is written. Nothing that it has opened itself is open then; a timer, socket or pool that
 * a handler or a plugin has left open would keep it running for ever, and is given a moment.
 */
export async function endCommand(): Promise<void> {
  await flushOutput();
  const late = setTimeout(() => process.exit(), GRACE_MS).unref();
  process.once("beforeExit", () => clearTimeout(late));
}
