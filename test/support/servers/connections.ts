/** Connections over a real provider and a real database, as several servers have them. */

import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import type { ConnectionSettings } from "../../../runtime/config/connection-settings.js";
import { silentLog } from "../../../runtime/config/log.js";
import { type Connections, createConnections } from "../../../runtime/connections/connections.js";
import { beginSignIn, finishSignIn } from "../../../runtime/connections/sign-in.js";
import type { Logger } from "../../../runtime/contract/handler.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../project.js";
import { CALLBACK, MACHINE, type Oidc } from "./oidc.js";

/** The client as which people sign in. */
export const TOOLS = { client_id: "tools", client_secret: "tools-secret" } as const;
/** Its registration at the provider. */
export const TOOLS_CLIENT = {
  ...TOOLS,
  redirect_uris: [CALLBACK],
  response_types: ["code"],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "client_secret_basic",
};
/** Where people reach the console. */
export const PUBLIC = "https://tools.example.com";
/** What tokens are for. */
export const API = "https://api.example.com/mcp";

/** Makes a key that encrypts rows. */
export const stateKey = (id = "k1") => ({ id, key: randomBytes(32) });

/** Settings of a connection `github`. */
export const settingsFor = (issuer: string, change: Partial<ConnectionSettings> = {}): ConnectionSettings => ({
  name: "github",
  mode: "shared",
  issuer,
  client: { id: TOOLS.client_id, secret: TOOLS.client_secret },
  scope: "openid offline_access mcp:read",
  resource: API,
  audience: undefined,
  authorizeParams: { prompt: "consent" },
  ...change,
});

/** Settings of tokens of toolwright itself. */
export const machineSettings = (issuer: string): ConnectionSettings =>
  settingsFor(issuer, {
    mode: "client_credentials",
    client: { id: MACHINE.client_id, secret: `\${MACHINE_SECRET}` },
    scope: "mcp:read",
    authorizeParams: {},
  });

/** Opens a state database that ends with the test. */
export async function stateFor(url = "", root = temporaryFolder()): Promise<State> {
  const state = await openState({ url, root });
  onTestFinished(() => state.close());
  return state;
}

/** The connections of one server. */
export const connectionsOver = (
  state: State,
  settings: ConnectionSettings,
  keys = [stateKey()],
  clock: () => number = Date.now,
  log: Logger = silentLog,
): Connections =>
  createConnections({
    settings: new Map([[settings.name, settings]]),
    publicUrl: new URL(PUBLIC),
    ...{ keys, state: async () => state, clock, log },
    secret: (name) => ({ MACHINE_SECRET: MACHINE.client_secret })[name],
  });

/** Signs the provider's user in, and returns the tokens. */
export async function signedIn(oidc: Oidc, settings: ConnectionSettings) {
  const client = { clientId: TOOLS.client_id, clientSecret: TOOLS.client_secret };
  const { url, attempt } = await beginSignIn(settings, client, { redirect: CALLBACK });
  const answer = await oidc.browse(url);
  const found = await finishSignIn(settings, attempt, answer.searchParams, Date.now);
  if (found.kind === "refused") throw new Error(`refused: ${found.check}`);
  return { tokens: found.tokens, client };
}
