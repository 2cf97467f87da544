/** Routes of connections: what a caller sees and ends, where a sign-in begins, and where authorization servers send browsers. */

import type { Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { HttpSettings } from "../../config/transport-settings.js";
import { SIGN_IN_S } from "../../connections/attempts.js";
import { CALLBACK_PATH, clientDocument, DOCUMENT_PATH } from "../../connections/clients.js";
import type { Finished, SignIns } from "../../connections/sign-ins.js";
import { isToolFailure, type Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { ConsoleData } from "../../gateway/console-data.js";
import { type ApiCall, apiRefusal, type Bindings, orRefusal } from "./api.js";

/** What the routes need. */
interface Options {
  readonly gateway: { readonly consoleData: Pick<ConsoleData, "signIns"> };
  /** The URL that clients know, read at each request. */
  readonly settings: () => Pick<HttpSettings, "publicUrl">;
}

const NONE = "No connection is configured: set auth of a server or a source in toolwright.yaml.";

/** Answers with the connections of a caller, and for admins with those of all. */
export async function connections({ gateway }: Options, principal: Principal): Promise<Response> {
  return withSignIns(gateway, async (signIns) => {
    const own = await signIns.shown(principal);
    const all = await signIns.all(principal).catch((error: unknown) => {
      if (isToolFailure(error) && error.code === "PERMISSION_DENIED") return undefined;
      throw error;
    });
    return Response.json({ connections: own, ...(all ? { all } : {}) });
  });
}

/** Begins a sign-in: the page goes to the address in the answer. */
export async function startConnection(
  c: Context<Bindings>,
  { gateway, settings }: Options,
  { body, principal }: ApiCall,
) {
  return withSignIns(gateway, async (signIns) => {
    const { url, browser } = await signIns.begin(nameIn(body), principal);
    // Lax: the browser comes back from the page of another site.
    setCookie(c, cookieName(settings), browser, {
      ...{ path: isSecure(settings) ? "/" : CALLBACK_PATH, httpOnly: true, sameSite: "Lax" },
      ...{ secure: isSecure(settings), maxAge: SIGN_IN_S },
    });
    return c.json({ url });
  });
}

/** Ends a connection: of the caller, or for admins of another one. */
export async function revokeConnection({ gateway }: Options, { body, principal }: ApiCall): Promise<Response> {
  return withSignIns(gateway, async (signIns) => {
    const { kind = "own", principal: id = principal.id } = isObject(body) ? body : {};
    if ((kind !== "own" && kind !== "shared") || typeof id !== "string")
      return apiRefusal(400, "kind is own or shared, and principal a text.");
    const of = { kind, principal: kind === "shared" ? "" : id } as const;
    const isGone = await signIns.revoke(nameIn(body), of, principal);
    return isGone ? Response.json({ ok: true }) : apiRefusal(404, "There is no such connection.");
  });
}

const nameIn = (body: unknown): string => {
  const name = isObject(body) ? body["name"] : undefined;
  return typeof name === "string" ? name : "";
};

async function withSignIns(
  { consoleData: { signIns } }: Options["gateway"],
  work: (signIns: SignIns) => Promise<Response>,
): Promise<Response> {
  if (!signIns) return apiRefusal(404, NONE);
  return orRefusal(async () => work(await signIns()));
}

const isSecure = (settings: Options["settings"]): boolean => settings().publicUrl?.protocol === "https:";
const cookieName = (settings: Options["settings"]): string =>
  `${isSecure(settings) ? "__Host-" : ""}toolwright_connect`;

/** Adds the routes to which others than the console come: authorization servers, and the browsers that they send. */
export function addConnectionPages(app: Hono<Bindings>, options: Options): void {
  app.get(DOCUMENT_PATH, (c) => {
    const { publicUrl } = options.settings();
    if (!publicUrl || !options.gateway.consoleData.signIns) return c.notFound();
    return c.json(clientDocument(publicUrl), 200, { "Cache-Control": "public, max-age=300" });
  });
  app.get(CALLBACK_PATH, (c) => callback(c, options));
}

/** Longest query of a callback, in characters. */
const MAX_QUERY_LENGTH = 8192;

async function callback(c: Context<Bindings>, { gateway, settings }: Options): Promise<Response> {
  const { search, searchParams } = new URL(c.req.url);
  if (!gateway.consoleData.signIns || search.length > MAX_QUERY_LENGTH) return page(400, TEXTS.elsewhere);
  try {
    const finished = await (await gateway.consoleData.signIns()).finish(
      searchParams,
      getCookie(c, cookieName(settings)),
    );
    return answerOf(finished);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return page(503, "The sign-in cannot be completed now. Begin again later.");
  }
}

/** What a person is told: nothing of what the authorization server or the address says. */
const TEXTS = {
  elsewhere:
    "This sign-in has ended, was begun in another browser, or a newer one was begun in this one. Begin again in the console.",
  cancelled: "The sign-in was cancelled. Nothing was connected.",
  refused: "The sign-in was refused. Nothing was connected; the log of the server says why.",
} as const;

const answerOf = (finished: Finished): Response =>
  finished.kind === "connected"
    ? page(200, `Connected to ${finished.name}. You can close this page.`)
    : page(finished.fault === "cancelled" ? 200 : 400, TEXTS[finished.fault]);

/** A page of plain text, which no browser reads as markup. It is where the sign-in ends: nothing redirects from here. */
const page = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
