/** Sign-ins of callers at servers and APIs: they begin in the console, and end at the callback of any server. */

import { callerToken } from "../access/caller-tokens.js";
import { issuerMetadata } from "../access/issuer-client.js";
import { mayAdminister } from "../access/principal.js";
import { type ConnectionSettings, needsSignIn } from "../config/connection-settings.js";
import { fail, isToolFailure, type Principal, ToolFailure } from "../contract/handler.js";
import { newTraceId } from "../contract/ids.js";
import { quietly } from "../contract/quiet-log.js";
import { messageOf } from "../contract/thrown.js";
import { type AttemptOf, storeAttempt, takeAttempt } from "./attempts.js";
import { CONNECTION_CALLBACK_PATH, discoveredClient, forgetClient, ownCallbackPath, redirectOf } from "./clients.js";
import { type ConnectionsParts, clientCredentials, type StoreTokens } from "./parts.js";
import { endConnections } from "./revocation.js";
import { type ListedConnection, listConnections } from "./rows.js";
import { lackingScopes, unionOfScopes } from "./scopes.js";
import type { Seal } from "./sealing.js";
import { beginSignIn, finishSignIn, type SignInFault } from "./sign-in.js";
import { storedScopes } from "./stored-tokens.js";

/** A connection as the console shows it to a caller: never its content. */
export interface ShownConnection {
  readonly name: string;
  readonly mode: ConnectionSettings["mode"];
  readonly issuer: string;
  /** Whether the caller may sign in: for itself, or for all callers. */
  readonly may_connect: boolean;
  /**
   * Why calls of this caller fail, whether it signs in or not: the key of `state_encryption` is wrong, or the caller came
   * without an access token of the issuer that could be exchanged.
   */
  readonly lacks?: "key" | "token";
  /** Since when the caller, or all callers, are connected; absent if they are not. */
  readonly since?: string;
  /** Scopes that the server asks for, and that the connection does not have so far. */
  readonly asks?: string;
  /** For admins, where the client is registered by hand: the redirect URIs of which the issuer needs one. */
  readonly redirects?: readonly string[];
}

/** What the callback answers. */
export type CallbackAnswer =
  | { readonly kind: "connected"; readonly name: string }
  /** `name` where the browser is the one that began. */
  | { readonly kind: "refused"; readonly fault: SignInFault; readonly name?: string };

/** The browser in which a sign-in begins. */
export interface Browser {
  readonly before?: string | undefined;
  readonly login?: string | undefined;
}

/** The principal of a login of the console; undefined where it is over. */
type CallerOfLogin = (login: string) => Promise<Pick<Principal, "id"> | undefined>;

/** Sign-ins, and what callers see of connections. */
export interface SignIns {
  /**
   * Begins a sign-in of a caller.
   *
   * @param from the browser: its cookie, if it has one, and its login at the console, if it has begun there
   * @throws ToolFailure NOT_FOUND, PERMISSION_DENIED, or UNAVAILABLE if the authorization server offers none
   */
  begin(
    name: string,
    principal: Principal,
    from?: Browser,
  ): Promise<{ readonly url: string; readonly browser: string }>;
  /**
   * Takes the answer of an authorization server, with the cookie of the browser that brings it.
   *
   * @param path where it arrived; default: the callback that connections share
   * @param callerOf the caller who has a login now; undefined where it is over
   */
  finish(
    query: URLSearchParams,
    browser: string | undefined,
    path?: string,
    callerOf?: CallerOfLogin,
  ): Promise<CallbackAnswer>;
  /** The connections that a caller may use, by name. */
  shown(principal: Principal): Promise<readonly ShownConnection[]>;
  /** Whose connections there are: for admins. @throws ToolFailure PERMISSION_DENIED for others */
  all(principal: Principal): Promise<readonly ListedConnection[]>;
  /** Ends the connection of a caller; of another one, or of all callers, for admins. Returns whether it was there. */
  revoke(
    name: string,
    of: { readonly kind: "shared" | "own"; readonly principal: string },
    by: Principal,
  ): Promise<boolean>;
}

/** Makes the sign-ins of a project. */
export function createSignIns(parts: ConnectionsParts, seal: Seal, store: StoreTokens): SignIns {
  const { settings, state, clock, log } = parts;
  const say = quietly(log);
  return {
    async begin(name, principal, from = {}) {
      const found = settings.get(name);
      if (!found || !needsSignIn(found.mode)) return fail("NOT_FOUND", `There is no connection ${name} to sign in at.`);
      if (!mayConnect(found, principal))
        return fail("PERMISSION_DENIED", `${name} is connected for all callers at once: only an admin may do that.`);
      const kind = found.mode === "shared" ? ("shared" as const) : ("own" as const);
      const of = { kind, principal: kind === "shared" ? "" : principal.id, beginner: principal.id };
      return begun(parts, seal, found, { of, from });
    },
    async finish(query, browser, path = CONNECTION_CALLBACK_PATH, callerOf = async () => undefined) {
      const refuse = (fault: SignInFault, check: string, of?: AttemptOf): CallbackAnswer => {
        const begunAt = of && { server: of.server, issuer: of.issuer };
        say("a sign-in at a server was refused", { check, ...begunAt }, { trace_id: newTraceId() });
        return { kind: "refused", fault, ...(of ? { name: of.server } : {}) };
      };
      const [given = "", ...more] = query.getAll("state");
      if (more.length > 0) return refuse("elsewhere", "twice");
      const taken = await takeAttempt(await state(), seal, { given, browser });
      if (taken.kind === "none") return refuse("elsewhere", taken.check);
      const { of, attempt } = taken;
      // Whoever logged out meanwhile is not the one who agrees at the server.
      if (attempt.login !== undefined && (await callerOf(attempt.login))?.id !== of.beginner)
        return refuse("elsewhere", "login", of);
      const found = settings.get(of.server);
      if (!found || found.issuer !== of.issuer || attempt.issuer !== of.issuer)
        return refuse("refused", "settings", of);
      // A server that does not name itself is known by where its answer arrives (RFC 9700, 4.4.2).
      const { pathname } = new URL(attempt.redirect);
      if (pathname !== path) return refuse("refused", "redirect", of);
      if (pathname === CONNECTION_CALLBACK_PATH && !query.has("iss")) return refuse("refused", "iss", of);
      const signIn = await finishSignIn(found, attempt, query, clock);
      if (signIn.kind === "refused") {
        // The server may have forgotten toolwright: the next sign-in registers it again.
        const isForgotten = /invalid_client|unauthorized_client/.test(signIn.check);
        if (isForgotten) await forgetClient({ state: await state(), seal }, found, attempt.client);
        return refuse(signIn.fault, signIn.check, of);
      }
      const { kind, principal, server, issuer } = of;
      await store({ kind, principal, server, issuer }, signIn.tokens, attempt);
      log.info("a connection was made", { server, kind, by: of.beginner });
      return { kind: "connected", name: server };
    },
    ...seenConnections(parts, seal),
  };
}

const mayConnect = ({ mode }: ConnectionSettings, principal: Principal): boolean =>
  mode === "shared" ? mayAdminister(principal) : needsSignIn(mode);

const shownOf = ({ name, mode, issuer }: ConnectionSettings) => ({ name, mode, issuer });

const lacksToken = ({ mode, issuer }: ConnectionSettings, principal: Principal): boolean =>
  mode === "token_exchange" && callerToken(principal)?.issuer !== issuer;

const orWrongKey = (error: unknown): "wrong key" => {
  if (isToolFailure(error)) return "wrong key";
  throw error;
};

/** What callers see of connections, and how they end them. */
function seenConnections(
  { settings, state, log, publicUrl }: ConnectionsParts,
  seal: Seal,
): Pick<SignIns, "shown" | "all" | "revoke"> {
  return {
    async shown(principal) {
      const open = await state();
      const rows = [...(await listConnections(open, principal.id)), ...(await listConnections(open, ""))];
      const show = async (one: ConnectionSettings): Promise<ShownConnection> => {
        const kind = one.mode === "shared" ? "shared" : "own";
        const row = rows.find((row) => row.kind === kind && row.server === one.name && row.issuer === one.issuer);
        // A row whose key is gone is as good as none; one whose key is wrong must not be overwritten.
        const stored = row && (await storedScopes(open, seal, { ...row, kind }).catch(orWrongKey));
        if (stored === "wrong key") return { ...shownOf(one), may_connect: false, lacks: "key" };
        const asks = stored && unionOfScopes(...lackingScopes(stored.wanted ?? "", stored.scope ?? one.scope));
        return {
          ...{ ...shownOf(one), may_connect: mayConnect(one, principal) },
          ...(lacksToken(one, principal) ? { lacks: "token" as const } : {}),
          ...(row && stored ? { since: row.created_at } : {}),
          ...(asks ? { asks } : {}),
          ...(mayAdminister(principal) ? redirectsOf(one, publicUrl) : {}),
        };
      };
      return Promise.all([...settings.values()].map(show));
    },
    async all(principal) {
      if (!mayAdminister(principal))
        return fail("PERMISSION_DENIED", "Only an admin may see the connections of others.");
      return listConnections(await state());
    },
    async revoke(name, of, by) {
      const isOwn = of.kind === "own" && of.principal === by.id;
      if (!isOwn && !mayAdminister(by))
        return fail("PERMISSION_DENIED", "Only an admin may end the connections of others.");
      const open = await state();
      const rows = (await listConnections(open, of.principal)).filter(
        ({ kind, server }) => kind === of.kind && server === name,
      );
      const keys = rows.map(({ kind, principal, server, issuer }) => ({ kind, principal, server, issuer }));
      await endConnections({ state: open, seal, log }, keys);
      for (const { server, kind } of keys) log.info("a connection was revoked", { server, kind, by: by.id });
      return rows.length > 0;
    },
  };
}

/** Both, since the metadata of the issuer, which decides, is not asked for here. */
function redirectsOf(
  { name, mode, client }: ConnectionSettings,
  publicUrl: URL | undefined,
): Pick<ShownConnection, "redirects"> {
  if (!publicUrl || !needsSignIn(mode) || client.id === undefined) return {};
  return { redirects: [CONNECTION_CALLBACK_PATH, ownCallbackPath(name)].map((path) => new URL(path, publicUrl).href) };
}

/** @throws ToolFailure UNAVAILABLE */
async function begun(
  { state, publicUrl, clock, secret, log }: ConnectionsParts,
  seal: Seal,
  settings: ConnectionSettings,
  { of, from }: { readonly of: Omit<AttemptOf, "server" | "issuer">; readonly from: Browser },
): Promise<{ readonly url: string; readonly browser: string }> {
  const { name, issuer } = settings;
  if (!publicUrl)
    return fail("UNAVAILABLE", "People sign in at servers through public_url, which toolwright.yaml does not set.");
  const open = await state();
  try {
    const { kind, principal } = of;
    const redirect = redirectOf(name, (await issuerMetadata(issuer)).metadata, publicUrl).href;
    const before = await storedScopes(open, seal, { kind, principal, server: name, issuer });
    const scope = unionOfScopes(settings.scope, before?.wanted);
    const client =
      settings.client.id === undefined
        ? await discoveredClient({ ...settings, scope }, { state: open, seal, now: clock(), redirect })
        : clientCredentials(settings, secret);
    const { url, attempt } = await beginSignIn(settings, client, { redirect, wanted: before?.wanted });
    const stored = {
      of: { ...of, server: name, issuer },
      ...{ attempt: { ...attempt, login: from.login }, before: from.before },
    };
    const browser = await storeAttempt(open, seal, stored);
    return { url: url.href, browser };
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    log.warn("a sign-in at a server cannot begin", { server: name, issuer, by: of.beginner, error: messageOf(error) });
    return fail("UNAVAILABLE", `No sign-in at ${name} can begin: ${issuer} is out of reach, or does not offer it.`, {
      server: name,
    });
  }
}
