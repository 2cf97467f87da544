/**
 * The connections of a project: tokens of its own (`client_credentials`), and tokens that were signed in for all callers
 * (`shared`) or by each of them (`per_user`), which are stored encrypted and renewed once for all servers, and tokens that
 * are exchanged for those of callers (`token_exchange`).
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientCredentials } from "../access/issuer-client.js";
import { type ConnectionSettings, isOfCaller } from "../config/connection-settings.js";
import type { ConnectionMode } from "../contract/config-defaults.js";
import { fail, ToolFailure } from "../contract/handler.js";
import { rememberToken } from "../contract/known-secrets.js";
import type { TokenSource, TokenUse } from "../contract/token-source.js";
import type { State } from "../state/open.js";
import { exchangedTokens } from "./exchanged-tokens.js";
import { type ConnectionsParts, clientOf, isFresh, refusedBy, type StoreTokens } from "./parts.js";
import {
  type ConnectionKey,
  deleteConnection,
  findConnection,
  LEASE_MS,
  leaseConnection,
  placeOf,
  type RowLease,
  releaseConnection,
  renewConnection,
  resealConnection,
  type StoredConnection,
  storeConnection,
} from "./rows.js";
import { createSeal, type Seal } from "./sealing.js";
import { createSignIns, type SignIns } from "./sign-ins.js";
import { isRefusal, requestTokens, type TokenRefusal, type Tokens } from "./token-request.js";

/** The connections of a project. */
export interface Connections extends TokenSource {
  /** Stores tokens that were signed in for all callers, encrypted. */
  store(name: string, tokens: Tokens, client: ClientCredentials): Promise<void>;
  readonly signIns: SignIns;
}

/** Where the tokens of a mode come from. */
interface Source {
  token(settings: ConnectionSettings, use: TokenUse): Promise<string>;
  refused(settings: ConnectionSettings, use: TokenUse, token: string): void;
}

/** What a row holds, encrypted. */
interface Content extends Tokens {
  readonly client: ClientCredentials;
}

/** Shortest and longest wait before a row is looked at again while another server renews it. */
const LOOK_MS = [50, 500] as const;

/** Asks nothing before the first token. */
export function createConnections(parts: ConnectionsParts): Connections {
  const seal = createSeal(parts.keys);
  const own = ownTokens(parts);
  const stored = storedTokens(parts, seal);
  const settingsFor = ({ name }: TokenUse): ConnectionSettings =>
    parts.settings.get(name) ?? fail("UNAVAILABLE", `There is no connection ${name} in toolwright.yaml.`);
  const exchanged = exchangedTokens(parts);
  const sources: Readonly<Record<ConnectionMode, Source>> = {
    client_credentials: own,
    shared: stored,
    per_user: stored,
    token_exchange: exchanged,
  };
  return {
    token: async (use) => {
      const settings = settingsFor(use);
      return sources[settings.mode].token(settings, use);
    },
    refused: (use, token) => {
      const settings = settingsFor(use);
      sources[settings.mode].refused(settings, use, token);
    },
    store: async (name, tokens, client) => {
      const { issuer } = settingsFor({ name });
      await stored.store({ kind: "shared", principal: "", server: name, issuer }, tokens, client);
    },
    signIns: createSignIns(parts, seal, stored.store),
  };
}

/** Tokens of toolwright itself, which a process keeps in its memory: another one gets its own at no cost. */
function ownTokens({ secret, clock, log }: ConnectionsParts) {
  const kept = new Map<string, Tokens>();
  const asking = new Map<string, Promise<Tokens | TokenRefusal>>();
  const ask = (settings: ConnectionSettings): Promise<Tokens | TokenRefusal> => {
    const { name, issuer, scope, resource } = settings;
    const running = asking.get(name);
    if (running) return running;
    const client = clientOf(settings, secret);
    const made = requestTokens(issuer, client, { grant_type: "client_credentials", scope, resource }, clock);
    asking.set(name, made);
    return made.finally(() => asking.delete(name));
  };
  return {
    async token(settings: ConnectionSettings): Promise<string> {
      const known = kept.get(settings.name);
      if (known && isFresh(known, clock())) return known.access_token;
      const answer = await ask(settings);
      if (isRefusal(answer)) {
        log.warn("no token for a connection", { server: settings.name, error: answer.reason });
        return refusedBy(settings, answer);
      }
      rememberToken(answer.access_token);
      kept.set(settings.name, answer);
      return answer.access_token;
    },
    refused({ name }: ConnectionSettings, _: TokenUse, token: string): void {
      if (kept.get(name)?.access_token === token) kept.delete(name);
    },
  };
}

/** Most refused tokens that are remembered. */
const MAX_REFUSED = 1000;

/** Tokens in the database. */
function storedTokens({ state, clock, log, publicUrl }: ConnectionsParts, seal: Seal) {
  const owner = randomUUID();
  const refused = new Set<string>();
  const looking = new Map<string, Promise<string>>();
  const renewal: Renewal = {
    owner,
    seal,
    state,
    clock,
    log,
    publicUrl,
    isUsable: (tokens) => isFresh(tokens, clock()) && !refused.has(tokens.access_token),
  };
  return {
    /** Callers at the same time wait for one look at the row. */
    token(settings: ConnectionSettings, { principal }: TokenUse): Promise<string> {
      const { name: server, issuer } = settings;
      const isOwn = isOfCaller(settings.mode);
      if (isOwn && !principal) return Promise.reject(notHere(server));
      const key: ConnectionKey =
        isOwn && principal
          ? { kind: "own", principal: principal.id, server, issuer }
          : { kind: "shared", principal: "", server, issuer };
      const place = JSON.stringify(placeOf(key));
      const running = looking.get(place);
      if (running) return running;
      const made = usableToken(renewal, settings, key).finally(() => looking.delete(place));
      looking.set(place, made);
      return made;
    },
    refused(_: ConnectionSettings, __: TokenUse, token: string): void {
      if (refused.size >= MAX_REFUSED) refused.clear();
      refused.add(token);
    },
    store: (async (key, tokens, client) => {
      const content = JSON.stringify({ ...tokens, client } satisfies Content);
      await storeConnection(await state(), key, seal.close(content, placeOf(key)), clock());
    }) satisfies StoreTokens as StoreTokens,
  };
}

interface Renewal extends Pick<ConnectionsParts, "state" | "clock" | "log" | "publicUrl"> {
  readonly owner: string;
  readonly seal: Seal;
  isUsable(tokens: Tokens): boolean;
}

/** The token of a row, which this process or another one renews first if it has ended. */
async function usableToken(renewal: Renewal, settings: ConnectionSettings, key: ConnectionKey): Promise<string> {
  const { owner, isUsable, publicUrl } = renewal;
  const state = await renewal.state();
  const end = performance.now() + 2 * LEASE_MS;
  for (let wait: number = LOOK_MS[0]; performance.now() < end; wait = Math.min(2 * wait, LOOK_MS[1])) {
    const row = await findConnection(state, key);
    const content = row && contentOf(renewal, key, row);
    if (!row || !content) return signInNeeded(settings, publicUrl);
    if (isUsable(content)) {
      await resealed(renewal, state, { key, row, content });
      return usable(content);
    }
    if (content.refresh_token === undefined) return signInNeeded(settings, publicUrl);
    const lease = { key, owner: `${owner} ${randomUUID()}`, version: row.version };
    if (await leaseConnection(state, lease)) return renewed({ ...renewal, settings, state }, lease, content);
    await sleep(wait);
  }
  return fail(
    "UNAVAILABLE",
    `There is no token for ${key.server}: another server has not renewed it in time. Try again.`,
    {
      server: key.server,
    },
  );
}

const usable = ({ access_token: token }: Tokens): string => {
  rememberToken(token);
  return token;
};

function contentOf({ seal, log }: Renewal, key: ConnectionKey, row: StoredConnection): Content | undefined {
  const text = seal.open(row, placeOf(key));
  if (text !== undefined) return JSON.parse(text) as Content;
  log.warn("a connection cannot be decrypted", { server: key.server, key: row.key_id });
  return undefined;
}

/** Encrypts a row with the first key, so that an earlier one can be removed from the configuration. */
async function resealed(
  { seal }: Renewal,
  state: State,
  { key, row, content }: { readonly key: ConnectionKey; readonly row: StoredConnection; readonly content: Content },
): Promise<void> {
  if (seal.isCurrent(row)) return;
  await resealConnection(state, key, row.version, seal.close(JSON.stringify(content), placeOf(key)));
}

/** Redeems a refresh token under a lease. */
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
  before: Content,
): Promise<string> {
  const { issuer, scope, resource } = settings;
  const { refresh_token, client } = before;
  const parameters = { grant_type: "refresh_token", refresh_token, scope, resource };
  const answer = await requestTokens(issuer, client, parameters, clock);
  if (!isRefusal(answer)) {
    const content: Content = { refresh_token: refresh_token ?? "", ...answer, client };
    const isKept = await renewConnection(
      state,
      lease,
      seal.close(JSON.stringify(content), placeOf(lease.key)),
      clock(),
    );
    if (!isKept) log.warn("a connection has changed while it was renewed", { server: settings.name });
    return usable(content);
  }
  log.warn("a connection was not renewed", { server: settings.name, error: answer.reason });
  // The server has ended the grant: only a new sign-in helps.
  if (answer.error === "invalid_grant") {
    await deleteConnection(state, lease.key, lease.version);
    return signInNeeded(settings, publicUrl);
  }
  await releaseConnection(state, lease);
  return refusedBy(settings, answer);
}

const notHere = (name: string): ToolFailure =>
  new ToolFailure("UNAVAILABLE", `${name} is called with the token of each caller, and no caller is known here.`, {
    server: name,
  });

/** The page of the console on which a person connects. */
const pageOf = (publicUrl: URL, name: string): string =>
  new URL(`/#/connections?${new URLSearchParams({ name }).toString()}`, publicUrl).href;

function signInNeeded({ name, mode }: ConnectionSettings, publicUrl: URL | undefined): never {
  const page = publicUrl && pageOf(publicUrl, name);
  const remedy =
    mode === "shared"
      ? `run "toolwright connections login ${name}"${page === undefined ? "" : `, or open ${page} as an admin`}`
      : `open ${page} in a browser, and connect ${name}`;
  return fail("UNAVAILABLE", `${name} is not connected${mode === "shared" ? "" : " for you"}. To do: ${remedy}.`, {
    server: name,
    reason: "sign_in_required",
    ...(page === undefined ? {} : { sign_in: page }),
  });
}
