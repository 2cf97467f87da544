/** Routes of connections: what a caller sees and ends, where a sign-in begins, and where authorization servers send browsers. */

import type { Context, Hono } from "hono";
import type { HttpSettings } from "../../config/transport-settings.js";
import {
  CONNECTION_CALLBACK_PATH,
  clientDocument,
  DOCUMENT_PATH,
  OWN_DOCUMENT_PATH,
} from "../../connections/clients.js";
import type { CallbackAnswer, SignIns } from "../../connections/sign-ins.js";
import { isToolFailure, type Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { ConsoleData } from "../../gateway/console-data.js";
import { type ApiCall, apiRefusal, orRefusal, type RequestBindings } from "./api.js";
import { connectCookie, setConnectCookie } from "./connect-cookie.js";
import { type LoginOptions, loginDigest } from "./login.js";

/** What the routes need. */
interface Options {
  readonly gateway: { readonly consoleData: Pick<ConsoleData, "signIns" | "logins" | "names"> };
  /** The URL that clients know and the identity providers, read at each request. */
  readonly settings: () => Pick<HttpSettings, "publicUrl" | "signIn">;
  readonly login: LoginOptions["login"];
}

const NONE = "No connection is configured: set auth of a server or a source in toolwright.yaml.";

/** Answers with the connections of a caller, and for admins with those of all. */
export async function connections({ gateway }: Pick<Options, "gateway">, principal: Principal): Promise<Response> {
  return withSignIns(gateway, async (signIns) => {
    const own = await signIns.shown(principal);
    const all = await signIns.all(principal).catch((error: unknown) => {
      if (isToolFailure(error) && error.code === "PERMISSION_DENIED") return undefined;
      throw error;
    });
    const names = await gateway.consoleData.names((all ?? []).map((one) => one.principal));
    return Response.json({ connections: own, ...(all ? { all, names } : {}) });
  });
}

/** Begins a sign-in: the page goes to the address in the answer, and the browser comes back to the console. */
export async function startConnection(c: Context<RequestBindings>, options: Options, { body, principal }: ApiCall) {
  const { gateway, settings } = options;
  const { publicUrl } = settings();
  const origin = c.req.header("origin");
  // The cookie of another host would not come back.
  if (publicUrl && origin !== undefined && new URL(origin).host !== publicUrl.host)
    return apiRefusal(409, `Authorization servers lead back to ${publicUrl.origin}: open the console there.`);
  return withSignIns(gateway, async (signIns) => {
    const digest = loginDigest(c.req.raw, options);
    // A cookie of a login that is over says nothing of a caller who needs none.
    const login = digest !== undefined && (await callerOf(options)(digest))?.id === principal.id ? digest : undefined;
    const from = { before: connectCookie(c, options), login };
    const { url, browser } = await signIns.begin(nameIn(body), principal, from);
    setConnectCookie(c, options, browser);
    return c.json({ url });
  });
}

/** Ends a connection: of the caller, or for admins of another one. */
export async function revokeConnection(
  { gateway }: Pick<Options, "gateway">,
  { body, principal }: ApiCall,
): Promise<Response> {
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

/** Finds the caller of a login of the console. */
const callerOf =
  ({ gateway, settings }: Options) =>
  (login: string): Promise<Principal | undefined> =>
    gateway.consoleData.logins.ofDigest(login, settings().signIn);

/** Adds the routes to which others than the console come: authorization servers, and the browsers that they send. */
export function addConnectionPages(
  app: Hono<RequestBindings>,
  { live, ...options }: Omit<Options, "gateway"> & Pick<LoginOptions, "live">,
): void {
  const document = (c: Context<RequestBindings>, name?: string): Response => {
    const { publicUrl } = options.settings();
    if (!publicUrl || !live.current().consoleData.signIns) return new Response(null, { status: 404 });
    return c.json(clientDocument(publicUrl, name), 200, { "Cache-Control": "public, max-age=300" });
  };
  app.get(DOCUMENT_PATH, (c) => document(c));
  app.get(OWN_DOCUMENT_PATH, (c) => document(c, c.req.param("name")));
  for (const path of [CONNECTION_CALLBACK_PATH, `${CONNECTION_CALLBACK_PATH}/:name`])
    app.get(path, (c) => live.within((gateway) => callback(c, { ...options, gateway })));
}

/** Longest query of a callback, in characters. */
const MAX_QUERY_LENGTH = 8192;

async function callback(c: Context<RequestBindings>, options: Options): Promise<Response> {
  const { gateway } = options;
  const { pathname, search, searchParams } = new URL(c.req.url);
  if (!gateway.consoleData.signIns || search.length > MAX_QUERY_LENGTH) return page(400, TEXTS.elsewhere);
  try {
    const finished = await (await gateway.consoleData.signIns()).finish(
      searchParams,
      connectCookie(c, options),
      pathname,
      callerOf(options),
    );
    return answerOf(finished);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return page(503, "The sign-in cannot be completed now. Begin again later.");
  }
}

/** What a person is told: nothing of what the authorization server or the address says. */
const TEXTS = {
  elsewhere: "This sign-in has ended, or was begun in another browser or as somebody else. Begin again in the console.",
  cancelled: "The sign-in was cancelled. Nothing was connected.",
  refused: "The sign-in was refused. Nothing was connected; the log of the server says why.",
} as const;

/** How a sign-in ended, as the console is told. */
export type SignInOutcome = "connected" | "cancelled" | "refused";

/** Leads the browser that began back to the console; any other one is told no more than that it is not that one. */
function answerOf(finished: CallbackAnswer): Response {
  const outcome = finished.kind === "connected" ? finished.kind : finished.fault;
  const { name } = finished;
  if (outcome === "elsewhere" || name === undefined)
    return page(400, TEXTS[outcome === "connected" ? "elsewhere" : outcome]);
  const query = new URLSearchParams({ name, outcome: outcome satisfies SignInOutcome });
  // A place of this server alone, whatever the address of the callback says.
  const headers = {
    location: `/#/connections?${query}`,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return new Response(null, { status: 303, headers });
}

/** A page of plain text, which no browser reads as markup. */
const page = (status: number, text: string): Response =>
  new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" },
  });
