/** The principal of a live key. */

import type { Grant, Principal } from "../contract/handler.js";

/** The principal of a live key: its level stands in for `allow_write`. */
export const keyPrincipal = ({ keyId, grant }: { readonly keyId: string; readonly grant: Grant }): Principal => ({
  kind: "key",
  id: keyId,
  grant,
  allowWrite: grant.level !== "read",
});
