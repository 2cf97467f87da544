/** API keys as ops see them: made, listed and ended, never verified. */

import { fail } from "../contract/handler.js";
import type { Keys } from "./keys.js";

/** The part of the store of keys that shipped packs get. */
export type HostedKeys = Pick<Keys, "still" | "create" | "revoke" | "list">;

const absent = async (): Promise<never> => fail("UNAVAILABLE", "There is no store of keys here.");

/** Where no store of keys is opened. */
export const NO_HOSTED_KEYS: HostedKeys = {
  still: async () => undefined,
  create: absent,
  revoke: absent,
  list: async () => [],
};
