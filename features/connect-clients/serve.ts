/** Gives the console the entries of clients. */

import { isLocalOwner } from "../../runtime/access/principal.js";
import { isUsageError } from "../../runtime/contract/usage-error.js";
import type { ServePart } from "../../runtime/gateway/features.js";

/** Entries for clients of this server, at the address that the page asks for or has come from. */
export const showClients: ServePart = ({ root, launcher, settings }) => ({
  console: {
    async connect({ url }, principal, address) {
      const endpoint = url ?? new URL("/mcp", settings.http.publicUrl ?? address).href;
      const { consoleEntries } = await import("./console-entries.js");
      try {
        return { value: { clients: await consoleEntries({ root, launcher }, endpoint, isLocalOwner(principal)) } };
      } catch (error) {
        if (!isUsageError(error)) throw error;
        return { status: 400, refused: error.message };
      }
    },
  },
});
