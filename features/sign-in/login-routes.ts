/** The console's login through an identity provider: which providers there are, the way to one, and the way back. */

import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { isToolFailure } from "../../runtime/contract/handler.js";
import { newTraceId } from "../../runtime/contract/ids.js";
import { isObject } from "../../runtime/contract/json.js";
import { quietly, type Say } from "../../runtime/contract/quiet-log.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { LoginRoute, LoginServer } from "../../runtime/gateway/sign-in-part.js";
import { apiRefusal, takeCalls } from "../../runtime/serve/console/api.js";
import { cookieAttributes, cookieName, loginsOf, setLogin } from "../../runtime/serve/console/login.js";
import type { LoginFault, LoginWays } from "../../runtime/serve/console/login-ways.js";
import {
  callbackUrl,
  type IssuerLogins,
  issuerLogins,
  LOGIN_CALLBACK_PATH,
  LOGIN_SIGN_IN_S,
  signInId,
} from "./issuer-login.js";
import { type OauthSettings, oauthOf } from "./oauth-settings.js";
import { signedInUser } from "./user-logins.js";

interface SignIns extends LoginServer {
  /** The sign-ins by the settings in force; undefined without issuers. */
  readonly current: () => { readonly oauth: OauthSettings; readonly logins: IssuerLogins } | undefined;
  readonly say: Say;
}

/** The routes of a server by which people log in through identity providers. */
export function loginRoutesOf(server: LoginServer): readonly LoginRoute[] {
  const parts: SignIns = { ...server, current: currentLogins(server), say: quietly(server.log) };
  return [
    { method: "get", path: "/api/login/ways", answer: async (c) => c.json(waysOf(oauthOf(server.settings()))) },
    { method: "post", path: "/api/login/begin", answer: (c, body) => begin(c, body, parts) },
    { method: "get", path: LOGIN_CALLBACK_PATH, answer: (c) => comeBack(c, parts) },
  ];
}

const waysOf = (oauth: OauthSettings | undefined): LoginWays => ({
  issuers: (oauth?.issuers ?? []).flatMap(({ issuer, login }) => (login ? [{ issuer, label: login.label }] : [])),
});

/** Keeps what is known about providers until the settings change. */
function currentLogins({ settings, live }: LoginServer): SignIns["current"] {
  let made: { readonly key: string; readonly logins: IssuerLogins } | undefined;
  return () => {
    const oauth = oauthOf(settings());
    if (!oauth) return undefined;
    const key = JSON.stringify(oauth);
    if (made?.key !== key)
      made = {
        key,
        logins: issuerLogins({ settings: oauth, sealingKey: () => live.within((gateway) => gateway.sealingKey()) }),
      };
    return { oauth, logins: made.logins };
  };
}

/** A place in the console, as the part of its address after `#`; nothing else can be led back to. */
const PLACE = /^#\/[!-~]{0,500}$/;

async function begin(c: Context, body: unknown, parts: SignIns): Promise<Response> {
  const { issuer, to } = isObject(body) ? body : {};
  const current = parts.current();
  if (!current || typeof issuer !== "string") return apiRefusal(404, "There is no such identity provider.");
  const callback = callbackUrl(current.oauth.resource, parts.settings().publicUrl);
  const origin = c.req.header("origin");
  if (origin !== undefined && new URL(origin).host !== callback.host)
    return apiRefusal(409, `Identity providers lead back to ${callback.origin}: open the console there.`);
  const place = typeof to === "string" && PLACE.test(to) ? to : "";
  const [before] = loginsOf(c, parts);
  const begun = await awayIsSaid(parts, () =>
    current.logins.begin(issuer, { redirect: callback.href, to: place, before }),
  );
  if (!begun) return apiRefusal(404, "There is no such identity provider.");
  const prefix = `${cookieName(c.req.raw, parts, "sign_in")}_`;
  // Browsers send the ones that were set first first.
  const others = Object.keys(getCookie(c)).filter((name) => name.startsWith(prefix));
  for (const old of others.slice(0, Math.max(0, others.length + 1 - MAX_SIGN_INS)))
    deleteCookie(c, old, cookieAttributes(parts, "Lax"));
  setCookie(c, prefix + begun.id, begun.sealed, { ...cookieAttributes(parts, "Lax"), maxAge: LOGIN_SIGN_IN_S });
  return c.json({ url: begun.url });
}

/** Most sign-ins of one browser, in its tabs: each is a cookie of a kilobyte. */
const MAX_SIGN_INS = 4;

/** Logs in whom the provider leads back, and leads the browser on to the console, with or without a login. */
async function comeBack(c: Context, parts: SignIns): Promise<Response> {
  const query = new URL(c.req.url).searchParams;
  // Each sign-in has a cookie of its own, so that one in another tab goes on.
  const name = `${cookieName(c.req.raw, parts, "sign_in")}_${signInId(query.get("state") ?? "")}`;
  const sealed = getCookie(c, name);
  deleteCookie(c, name, cookieAttributes(parts, "Lax"));
  const lead = (to: string, fault?: LoginFault): Response =>
    c.redirect(`/${fault === undefined ? "" : `?login=${fault}`}${to}`);
  const current = parts.current();
  if (!current) return lead("", "elsewhere");
  try {
    const signIn = await awayIsSaid(parts, () => current.logins.finish(sealed, query));
    const { to } = signIn;
    if (signIn.kind === "refused") {
      const { check, issuer } = signIn;
      const kind = { check, ...(issuer === undefined ? {} : { issuer }) };
      parts.say("a sign-in at the console was refused", kind, { trace_id: newTraceId() });
      return lead(to, signIn.fault);
    }
    if (await takeCalls(signIn.principal, parts, 1)) return lead(to, "busy");
    const login = await parts.live
      .current()
      .consoleData.logins.openUser(signedInUser(signIn, current.oauth), [
        ...(signIn.before === undefined ? [] : [signIn.before]),
        ...loginsOf(c, parts),
      ]);
    if (!login) return lead(to, "elsewhere");
    setLogin(c, parts, login);
    return lead(to);
  } catch (error) {
    if (!isToolFailure(error) || error.code !== "UNAVAILABLE") throw error;
    return lead("", "away");
  }
}

async function awayIsSaid<T>({ say }: SignIns, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isToolFailure(error) && error.cause !== undefined)
      say("an identity provider is away", { error: messageOf(error.cause) });
    throw error;
  }
}
