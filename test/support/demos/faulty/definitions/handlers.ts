/** Handlers that fail, crash, hang or wait, for tests of failures. */

import { fail, unbound } from "toolwright/codegen";
import type { DemoHandlers } from "../generated/handlers.js";

export const handlers: DemoHandlers = {
  "demo.answer": async ({ text, count }) => ({ text: text.repeat(count) }),
  "demo.crash": async () => {
    throw new Error("boom in /home/someone/secret.ts with password=hunter22");
  },
  "demo.clash": async () =>
    fail("CONFLICT", "The thing changed meanwhile.", { expected_version: 1, current_version: 2 }),
  "demo.hang": () => new Promise(() => undefined),
  "demo.wait": async (_args, { log, signal }) => {
    log.error("waiting");
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  },
  "demo.unplugged": unbound("definitions/handlers.ts"),
  "demo.strange": async () => ({ loop: 10n }),
};
