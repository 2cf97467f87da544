/** Who sends a request over HTTP (`access.md` 2 and 6). */

import type { Principal } from "../contract/handler.js";
import { refusal } from "../mcp/http-message.js";
import type { HttpAccess } from "../mcp/http-settings.js";

/** Who sends a request; a response refuses it. */
export type PrincipalOf = (request: Request) => Principal | Response;

/** Where a key is asked for, nobody has one; elsewhere everybody who can connect is the local caller. */
export const localCallers =
  (access: () => HttpAccess, local: () => Principal): PrincipalOf =>
  () =>
    access() === "keys"
      ? refusal(401, "An API key is needed.", { headers: { "WWW-Authenticate": "Bearer" } })
      : local();
