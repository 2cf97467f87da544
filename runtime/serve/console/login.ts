/** Logs people in at the console: the cookie, the login by key, and logout. */

import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { parse } from "hono/utils/cookie";
import { principalOfKey } from "../../access/callers.js";
import type { Login } from "../../access/console-logins.js";
import { INVALID_KEY } from "../../access/key-store.js";
import { secretDigest } from "../../access/key-text.js";
import type { HttpSettings } from "../../config/transport-settings.js";
import type { Logger } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { LoginRoute } from "../../gateway/sign-in-part.js";
import type { PrincipalOf } from "../http/callers.js";
import {
  type ApiOptions,
  addGetRoute,
  addPostRoute,
  admitStranger,
  apiRefusal,
  enterAsStranger,
  type RequestBindings,
  takeCalls,
} from "./api.js";
import { endConnectCookie } from "./connect-cookie.js";

/** What logins need. */
export interface LoginOptions extends ApiOptions {
  /** Whether users can log in, and whether the cookie needs TLS. */
  readonly login: "off" | "plain" | "secure";
  readonly settings: () => Pick<HttpSettings, "publicUrl" | "signIn">;
  readonly log: Logger;
  /** Routes of a feature by which people log in without a key. */
  readonly loginRoutes: readonly LoginRoute[];
}

type Asked = Context<RequestBindings>;
type CookiePlace = Pick<LoginOptions, "login" | "settings">;

/**
 * The name of a cookie. It differs by the port that the browser knows, since browsers share cookies between the
 * ports of a host and two servers would overwrite each other's logins; servers behind one `public_url` have one name.
 * With the prefix `__Host-`, no other host of a domain can set it.
 */
export function cookieName(
  request: Request,
  { login, settings }: CookiePlace,
  purpose: "login" | "sign_in" = "login",
): string {
  const { port } = settings().publicUrl ?? new URL(request.url);
  return `${login === "secure" ? "__Host-" : ""}toolwright_${purpose}${port === "" ? "" : `_${port}`}`;
}

/** Attributes of a cookie; `Lax` for one that the browser sends when the provider leads it back. */
export const cookieAttributes = ({ login }: CookiePlace, sameSite: "Strict" | "Lax"): CookieOptions => ({
  path: "/",
  httpOnly: true,
  sameSite,
  secure: login === "secure",
});

/** Gives the browser its login, which ends what it began as somebody else. */
export function setLogin(c: Asked, options: CookiePlace, { id, end }: Login): void {
  const attributes = { ...cookieAttributes(options, "Strict"), expires: new Date(end) };
  setCookie(c, cookieName(c.req.raw, options), id, attributes);
  endConnectCookie(c, options);
}

/** Resolves the principal of a request: a bearer key first, then the login cookie, otherwise `principalOf`. */
export const orLoggedIn =
  ({ principalOf, live, ...own }: Pick<LoginOptions, "principalOf" | "live" | "login" | "settings">): PrincipalOf =>
  async (request) => {
    const name = cookieName(request, own);
    const id = parse(request.headers.get("cookie") ?? "", name)[name];
    if (id === undefined || request.headers.has("authorization")) return principalOf(request);
    const { signIn } = own.settings();
    const { logins } = live.current().consoleData;
    return (await logins.principal(id, signIn)) ?? (await principalOf(request));
  };

/** The digest of the login of a request, by which `ofDigest` of the logins finds it; undefined for a bearer key. */
export function loginDigest(request: Request, place: CookiePlace): string | undefined {
  const name = cookieName(request, place);
  const id = parse(request.headers.get("cookie") ?? "", name)[name];
  return id === undefined || request.headers.has("authorization") ? undefined : secretDigest(id);
}

/** Digests of the logins of the browser, which a new one replaces: one, or none. */
export function loginsOf(c: Asked, options: CookiePlace): readonly string[] {
  const id = getCookie(c, cookieName(c.req.raw, options));
  return id ? [secretDigest(id)] : [];
}

/** Adds the login by key, those of a feature, and logout, which need no principal. */
export function addLogin(app: Hono<RequestBindings>, options: LoginOptions): void {
  addPostRoute(app, "/api/login", async (c) => {
    const entered = await enterAsStranger(c, options);
    return entered instanceof Response ? entered : logIn(c, entered.body, options);
  });
  addPostRoute(app, "/api/logout", async (c) => {
    const entered = await enterAsStranger(c, options);
    return entered instanceof Response ? entered : logOut(c, options);
  });
  for (const { method, path, answer } of options.loginRoutes)
    if (method === "get") addGetRoute(app, path, async (c) => admitStranger(c, options) ?? answer(c, undefined));
    else
      addPostRoute(app, path, async (c) => {
        const entered = await enterAsStranger(c, options);
        return entered instanceof Response ? entered : answer(c, entered.body);
      });
}

async function logIn(c: Asked, body: unknown, options: LoginOptions): Promise<Response> {
  const { keys, consoleData } = options.live.current();
  const { logins } = consoleData;
  const key = isObject(body) ? body["key"] : undefined;
  const principal = typeof key === "string" ? await principalOfKey(keys, key) : undefined;
  const refused = principal && (await takeCalls(principal, options, 1));
  if (refused) return refused;
  const made = principal && (await logins.open(principal.id, loginsOf(c, options)));
  if (!made) return apiRefusal(401, INVALID_KEY);
  setLogin(c, options, made);
  return c.json({ ok: true, expires_at: new Date(made.end).toISOString() });
}

async function logOut(c: Asked, options: LoginOptions): Promise<Response> {
  const name = cookieName(c.req.raw, options);
  const id = getCookie(c, name);
  if (id) await options.live.current().consoleData.logins.close(id);
  deleteCookie(c, name, cookieAttributes(options, "Strict"));
  endConnectCookie(c, options);
  return c.json({ ok: true });
}
