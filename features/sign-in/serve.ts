/** What sign-in does in a gateway. */

import type { ServePart } from "../../runtime/gateway/features.js";

/** Finds the names of people who have signed in. */
export const nameUsers: ServePart = ({ state }) => ({
  callerNames: async (ids) => (await import("./user-names.js")).userNames(await state(), ids),
});
