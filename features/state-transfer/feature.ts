/** Moves a whole state database: to a file, and from it into an empty one. */

import type { Feature } from "../../core/feature.js";

/** Export and import of the state. */
export const STATE_TRANSFER: Feature = {
  name: "state-transfer",
  commands: async () => (await import("./commands.js")).STATE_COMMANDS,
};
