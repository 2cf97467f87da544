/** Sign-ins of callers at a real provider. */

import type { ConnectionSettings } from "../../../runtime/config/connection-settings.js";
import type { Connections } from "../../../runtime/connections/connections.js";
import type { Principal } from "../../../runtime/contract/handler.js";
import {
  connectionsOver,
  PUBLIC,
  settingsFor,
  stateFor,
  stateKey,
  TOOLS_CLIENT,
} from "../../support/servers/connections.js";
import { type Oidc, type OidcOptions, startOidc } from "../../support/servers/oidc.js";

/** Where the provider sends browsers. */
export const CALLBACK = `${PUBLIC}/connections/callback`;
/** A person with a grant. */
const person = (id: string, level: "write" | "admin" = "write"): Principal => ({
  ...{ kind: "user", id, grant: { level, projects: "*" }, allowWrite: true },
});
export const [ALICE, BOB, ADMIN] = [person("alice"), person("bob"), person("root", "admin")];

/** A provider, and two servers of one database. */
export async function world(change: Partial<ConnectionSettings> = {}, options: OidcOptions = {}) {
  const oidc = await startOidc({ clients: [{ ...TOOLS_CLIENT, redirect_uris: [CALLBACK] }], ...options });
  const settings = settingsFor(oidc.issuer, { mode: "per_user", ...change });
  const [state, keys] = [await stateFor(), [stateKey()]];
  const server = connectionsOver(state, settings, keys);
  // Another server of the same database.
  const other = connectionsOver(state, settings, keys);
  return { oidc, state, settings, keys, server, other };
}

/** Begins as a caller, and signs in at the provider as a user. */
export async function answered(oidc: Oidc, { signIns }: Connections, principal: Principal) {
  const { url, browser } = await signIns.begin("github", principal);
  oidc.user = principal.id;
  const answer = await oidc.browse(new URL(url), CALLBACK);
  return { url: new URL(url), query: answer.searchParams, browser };
}

/** A grant to read. */
export const READ = { level: "read", projects: "*" } as const;
/** What a token of a caller is for. */
export const use = (principal: Principal) => ({ name: "github", principal });
/** The failure without a connection. */
export const MISSING = { code: "UNAVAILABLE", details: { server: "github", reason: "sign_in_required" } };
