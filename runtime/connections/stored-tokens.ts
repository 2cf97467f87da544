/**
 * Tokens in the database, of people who have signed in: renewed once for all servers, under a lease of their row, and
 * widened by another sign-in where a server asks for more scopes.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type ConnectionSettings, isOfCaller } from "../config/connection-settings.js";
import { type Backoff, waitAfter } from "../contract/backoff.js";
import { fail, ToolFailure } from "../contract/handler.js";
import { rememberToken } from "../contract/known-secrets.js";
import type { TokenUse } from "../contract/token-source.js";
import { BACKGROUND_MS, withinStateMs } from "../state/deadline.js";
import { isOutage } from "../state/failure.js";
import type { State } from "../state/open.js";
import { forgetClient, isRegisteredClient } from "./clients.js";
import { keyRemedy, openedText } from "./key-check.js";
import {
  type ConnectionContent,
  type ConnectionsParts,
  isFresh,
  refusedBy,
  type SignedIn,
  type StoreTokens,
  tooManyScopes,
} from "./parts.js";
import { createRefusals } from "./refusals.js";
import { revokeTokens } from "./revocation.js";
import {
  type ConnectionKey,
  deleteConnection,
  findConnection,
  leaseConnection,
  RENEWAL_LEASE_MS,
  type RowLease,
  releaseConnection,
  renewConnection,
  resealConnection,
  rowIdentity,
  type StoredConnection,
  storeConnection,
} from "./rows.js";
import { lackingScopes, MAX_WANTED, unionOfScopes } from "./scopes.js";
import type { Seal } from "./sealing.js";
import { isRefusal, requestTokens, type Tokens } from "./token-request.js";

/** Shortest and longest wait before a row is looked at again while another server renews it. */
const LOOK_MS = [50, 500] as const;
/** Most refused tokens that are remembered. */
const MAX_REFUSED = 1000;

/** Tokens in the database. */
export function storedTokens({ state, clock, log, publicUrl }: ConnectionsParts, seal: Seal) {
  const refused = new Set<string>();
  const refusals = createRefusals(clock);
  const looking = new Map<string, Promise<string>>();
  const renewal: Renewal = {
    ...{ owner: randomUUID(), seal, state, clock, log, publicUrl },
    isUsable: (tokens) => isFresh(tokens, clock()) && !refused.has(tokens.access_token),
  };
  return {
    /** Callers at the same time wait for one look at the row. */
    async token(settings: ConnectionSettings, use: TokenUse): Promise<string> {
      const key = keyOf(settings, use);
      const place = JSON.stringify(rowIdentity(key));
      const running = looking.get(place);
      if (running) return running;
      const made = usableToken(renewal, settings, key).finally(() => looking.delete(place));
      looking.set(place, made);
      return made;
    },
    refused(settings: ConnectionSettings, use: TokenUse, token: string): void {
      if (refused.has(token) || !refusals.isReplaced(JSON.stringify(rowIdentity(keyOf(settings, use))))) return;
      if (refused.size >= MAX_REFUSED) refused.clear();
      refused.add(token);
    },
    taken: (settings: ConnectionSettings, use: TokenUse): void =>
      refusals.taken(JSON.stringify(rowIdentity(keyOf(settings, use)))),
    widened: async (settings: ConnectionSettings, use: TokenUse, scope: string): Promise<string> =>
      widerToken(renewal, settings, keyOf(settings, use), scope),
    store: (async (key, tokens, { client, scope, wanted }) => {
      const content = JSON.stringify({ ...tokens, client, scope, wanted } satisfies ConnectionContent);
      await storeConnection(await state(), key, seal.close(content, rowIdentity(key)), clock());
    }) satisfies StoreTokens as StoreTokens,
  };
}

/** The row of a caller. @throws ToolFailure UNAVAILABLE where each caller has one, and no caller is known */
function keyOf({ mode, name: server, issuer }: ConnectionSettings, { principal }: TokenUse): ConnectionKey {
  if (!isOfCaller(mode)) return { kind: "shared", principal: "", server, issuer };
  if (!principal) throw notHere(server);
  return { kind: "own", principal: principal.id, server, issuer };
}

interface Renewal extends Pick<ConnectionsParts, "state" | "clock" | "log" | "publicUrl"> {
  readonly owner: string;
  readonly seal: Seal;
  isUsable(tokens: Tokens): boolean;
}

/** A row as it was read, and a lease that may be taken of it. */
interface Seen {
  readonly state: State;
  readonly row: StoredConnection;
  readonly content: ConnectionContent;
  readonly lease: RowLease;
}

/**
 * Looks at a row until that gives something, since another server may renew it meanwhile.
 *
 * @param look - undefined: look again
 * @throws ToolFailure UNAVAILABLE without a connection, and at the end of two leases
 */
async function atRow<T>(
  renewal: Renewal,
  settings: ConnectionSettings,
  key: ConnectionKey,
  look: (seen: Seen) => Promise<T | undefined>,
): Promise<T> {
  const state = await renewal.state();
  const end = performance.now() + 2 * RENEWAL_LEASE_MS;
  for (let wait: number = LOOK_MS[0]; performance.now() < end; wait = Math.min(2 * wait, LOOK_MS[1])) {
    const row = await findConnection(state, key);
    const content = row && contentOf(renewal, key, row);
    if (!row || !content) return signInNeeded(settings, renewal.publicUrl);
    const lease = { key, owner: `${renewal.owner} ${randomUUID()}`, version: row.version, created_at: row.created_at };
    const found = await look({ state, row, content, lease });
    if (found !== undefined) return found;
    await sleep(wait);
  }
  return fail(
    "UNAVAILABLE",
    `There is no token for ${key.server}: another server has not renewed it in time. Try again.`,
    { server: key.server },
  );
}

/** The token of a row, which this process or another one renews first if it has ended. */
const usableToken = (renewal: Renewal, settings: ConnectionSettings, key: ConnectionKey): Promise<string> =>
  atRow(renewal, settings, key, async (seen) => {
    const { state, content, lease } = seen;
    if (renewal.isUsable(content)) {
      await resealed(renewal, key, seen);
      return usable(content);
    }
    if (content.refresh_token === undefined) return signInNeeded(settings, renewal.publicUrl);
    if (await leaseConnection(state, lease)) return renewed({ ...renewal, settings, state }, lease, content);
    return undefined;
  });

/**
 * The token of a row that was signed in with the scopes that a server asks for. Else the row keeps them, so that the next
 * sign-in asks for them.
 *
 * @throws ToolFailure UNAVAILABLE: sign_in_required, or insufficient_scope where no sign-in is worth a person's time
 */
async function widerToken(
  renewal: Renewal,
  settings: ConnectionSettings,
  key: ConnectionKey,
  scope: string,
): Promise<string> {
  const isThere = await atRow(renewal, settings, key, async ({ state, content, lease }) => {
    const { scope: asked = settings.scope, wanted: before } = content;
    const lacking = lackingScopes(scope, asked);
    if (lacking.length === 0) return true;
    const wanted = unionOfScopes(before, lacking.join(" "));
    if (wanted === before) return false;
    if ((wanted?.split(" ").length ?? 0) > MAX_WANTED) return tooManyScopes(settings);
    if (!(await leaseConnection(state, lease))) return undefined;
    const text = JSON.stringify({ ...content, wanted } satisfies ConnectionContent);
    const isKept = await renewConnection(state, lease, renewal.seal.close(text, rowIdentity(key)), renewal.clock());
    return isKept ? false : undefined;
  });
  return isThere ? usableToken(renewal, settings, key) : signInNeeded(settings, renewal.publicUrl, scope);
}

const usable = ({ access_token: token }: Tokens): string => {
  rememberToken(token);
  return token;
};

/** @throws ToolFailure UNAVAILABLE as {@link openedText} */
function contentOf({ seal, log }: Renewal, key: ConnectionKey, row: StoredConnection): ConnectionContent | undefined {
  if (seal.open(row, rowIdentity(key)) === undefined)
    log.warn("a connection cannot be decrypted", {
      ...{ ...fieldsOf(key), key: row.key_id },
      to_do: keyRemedy(seal, row.key_id),
    });
  const text = openedText(seal, key, row);
  return text === undefined ? undefined : (JSON.parse(text) as ConnectionContent);
}

/** The scopes of a row: undefined without one, and where its key is gone. @throws ToolFailure as {@link openedText} */
export async function storedScopes(
  state: State,
  seal: Seal,
  key: ConnectionKey,
): Promise<Pick<SignedIn, "scope" | "wanted"> | undefined> {
  const text = openedText(seal, key, await findConnection(state, key));
  if (text === undefined) return undefined;
  const { scope, wanted } = JSON.parse(text) as ConnectionContent;
  return { scope, wanted };
}

/** Encrypts a row with the first key, so that an earlier one can be removed from the configuration. */
async function resealed({ seal }: Renewal, key: ConnectionKey, { state, row, content }: Seen): Promise<void> {
  if (seal.isCurrent(row)) return;
  await resealConnection(state, key, row.version, seal.close(JSON.stringify(content), rowIdentity(key)));
}

/** What the log says of a row: a shared one is of no principal. */
const fieldsOf = ({ server, issuer, principal }: ConnectionKey) => ({
  ...{ server, issuer },
  ...(principal === "" ? {} : { principal }),
});

/** Redeems a refresh token under a lease; undefined where the row has changed meanwhile, so that it is looked at again. */
async function renewed(
  {
    seal,
    clock,
    log,
    publicUrl,
    settings,
    state,
  }: Omit<Renewal, "state"> & {
    readonly settings: ConnectionSettings;
    readonly state: State;
  },
  lease: RowLease,
  before: ConnectionContent,
): Promise<string | undefined> {
  const { issuer, resource } = settings;
  const { refresh_token, client, scope, wanted } = before;
  // Without a scope, the token gets all that was granted, which may be more or less than the configuration says now.
  const parameters = { grant_type: "refresh_token", refresh_token, resource };
  const answer = await requestTokens(issuer, client, parameters, clock);
  if (!isRefusal(answer)) {
    const content: ConnectionContent = { refresh_token: refresh_token ?? "", ...answer, client, scope, wanted };
    const sealed = seal.close(JSON.stringify(content), rowIdentity(lease.key));
    if (await keptInTime(() => renewConnection(state, lease, sealed, clock()))) return usable(content);
    log.warn("a connection has changed while it was renewed", fieldsOf(lease.key));
    // Of a row that is there, the tokens may be of the same grant, which ends with any of its tokens.
    const isRevoked = (await findConnection(state, lease.key)) === undefined;
    if (isRevoked) await revokeTokens({ log }, [{ key: lease.key, content }]);
    return undefined;
  }
  // The server has ended the grant, or has forgotten the client that toolwright registered: only a new sign-in helps.
  const isForgotten = answer.error === "invalid_client" && isRegisteredClient(settings, client);
  if (isForgotten) await forgetClient({ state, seal }, settings, client);
  const isOver = isForgotten || answer.error === "invalid_grant";
  log.warn("a connection was not renewed", { ...fieldsOf(lease.key), error: answer.reason, deleted: isOver });
  if (isOver) {
    // Another server may have renewed it since: its authorization has not ended then.
    if (!(await deleteConnection(state, lease.key, lease.version))) return undefined;
    return signInNeeded(settings, publicUrl);
  }
  await releaseConnection(state, lease);
  return refusedBy(settings, answer);
}

/** Pauses between attempts to store renewed tokens, and how long it is tried: nobody else has the tokens. */
const PAUSES: Backoff = { firstMs: 100, longestMs: 2000 };
const STORE_MS = 120_000;

/** Stores something, again after each outage, since the server that gave it does not give it twice. */
async function keptInTime(store: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + STORE_MS;
  for (let failures = 1; ; failures++)
    try {
      return await withinStateMs(BACKGROUND_MS, store);
    } catch (error) {
      if (!isOutage(error) || performance.now() > until) throw error;
      await sleep(waitAfter(failures, Math.random, PAUSES), undefined, { ref: false });
    }
}

const notHere = (name: string): ToolFailure =>
  new ToolFailure("UNAVAILABLE", `${name} is called with the token of each caller, and no caller is known here.`, {
    server: name,
  });

/** The page of the console on which a person connects. */
export const connectPageUrl = (publicUrl: URL, name: string): string =>
  new URL(`/#/connections?${new URLSearchParams({ name }).toString()}`, publicUrl).href;

/** How a shared connection is made: on a terminal only where the client takes the redirect of one. */
function sharedRemedy({ name, client }: ConnectionSettings, page: string | undefined): string {
  const inConsole = page === undefined ? undefined : `open ${page} as an admin`;
  if (client.id !== undefined)
    return [`run "toolwright connections login ${name}"`, ...(inConsole ? [inConsole] : [])].join(", or ");
  return inConsole
    ? `${inConsole}, and connect ${name}`
    : `set public_url, and connect ${name} as an admin in the console of the server`;
}

function signInNeeded(settings: ConnectionSettings, publicUrl: URL | undefined, scope?: string): never {
  const { name, mode } = settings;
  const page = publicUrl && connectPageUrl(publicUrl, name);
  const remedy = mode === "shared" ? sharedRemedy(settings, page) : `open ${page} in a browser, and connect ${name}`;
  const what =
    scope === undefined
      ? `${name} is not connected${mode === "shared" ? "" : " for you"}`
      : `${name} asks for the scope ${scope}, which ${mode === "shared" ? "its" : "your"} connection does not have`;
  return fail("UNAVAILABLE", `${what}. To do: ${remedy}${scope === undefined ? "" : " again"}.`, {
    server: name,
    reason: "sign_in_required",
    ...(page === undefined ? {} : { sign_in: page }),
    ...(scope === undefined ? {} : { scope }),
  });
}
