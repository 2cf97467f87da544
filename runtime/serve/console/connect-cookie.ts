/** The cookie by which the browser that began a sign-in at a server is known at the callback. */

import type { Context } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import type { HttpSettings } from "../../config/transport-settings.js";
import { SIGN_IN_S } from "../../connections/attempts.js";

/** What the cookie depends on, read at each request. */
export interface ConnectPlace {
  readonly settings: () => Pick<HttpSettings, "publicUrl">;
}

const isSecure = ({ settings }: ConnectPlace): boolean => settings().publicUrl?.protocol === "https:";

/** Differs by the port that the browser knows, as that of a login does. */
function nameOf(c: Context, place: ConnectPlace): string {
  const { port } = place.settings().publicUrl ?? new URL(c.req.url);
  return `${isSecure(place) ? "__Host-" : ""}toolwright_connect${port === "" ? "" : `_${port}`}`;
}

/**
 * Lax: the browser comes back from the page of another site. For all paths: a tab that begins another sign-in sends it, and keeps
 * it.
 */
const attributes = (place: ConnectPlace): CookieOptions => ({
  ...{ path: "/", httpOnly: true, sameSite: "Lax" },
  secure: isSecure(place),
});

/** The cookie of a request. */
export const connectCookie = (c: Context, place: ConnectPlace): string | undefined => getCookie(c, nameOf(c, place));

/** Gives the browser the cookie. */
export const setConnectCookie = (c: Context, place: ConnectPlace, browser: string): void =>
  setCookie(c, nameOf(c, place), browser, { ...attributes(place), maxAge: SIGN_IN_S });

/** Ends the sign-ins at servers that the browser has begun: they were of the person who was logged in. */
export const endConnectCookie = (c: Context, place: ConnectPlace): void =>
  void deleteCookie(c, nameOf(c, place), attributes(place));
