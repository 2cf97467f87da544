/** Handlers that leak a secret, for the test of what leaves the process. */

import { type Context, fail } from "toolwright/codegen";

export const pack = { summary: "Handlers that are careless." };

/**
 * Uses a secret and lets it slip in a way.
 *
 * @param args.how - throw, fail, log, warn, or nothing
 * @kind read
 */
export function slip({ how }: { how: string }, ctx: Context): string {
  const secret = ctx.secret("EGRESS_HANDLER");
  const ways: Readonly<Record<string, () => unknown>> = {
    throw: () => {
      throw new Error(`cannot log in with ${secret}`);
    },
    fail: () => fail("CONFLICT", `the token ${secret} is in use`, { tokens: [{ token: secret }] }),
    log: () => ctx.log.info(`logged in with ${secret}`, { with: secret, deep: { token: [secret] } }),
    error: () => ctx.log.error("not logged in", { error: new Error(`no ${secret}`).stack }),
  };
  ways[how]?.();
  return "done";
}
