/** The handler of ops that are operations of an HTTP API: builds the request, sends it and converts the answer. */

import { isInClear } from "../../runtime/config/connection-settings.js";
import { expandVariables } from "../../runtime/config/settings.js";
import { type Context, type Fetch, fail, type Handler, isToolFailure } from "../../runtime/contract/handler.js";
import { type HttpCall, mayChange } from "../../runtime/contract/http-call.js";
import { hint } from "../../runtime/contract/own-command.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import type { SourceEntry } from "../../runtime/contract/settings/entries.js";
import type { TokenSource } from "../../runtime/contract/token-source.js";
import { checkAddress } from "../../runtime/http-client/check-address.js";
import { type AnswerContext, httpResult } from "./answer.js";
import { scopeAskedFor } from "./challenge.js";
import { type Credentials, fitsHeader, sendableRequest } from "./request.js";
import { send } from "./send.js";

/**
 * Makes the handler of a request.
 *
 * @param trusting returns a `fetch` that may reach a private host: a configured `server` is an explicit permission
 * @param check throws where `ctx.fetch` would refuse an address, before a token is asked for
 */
export function httpHandler(
  call: HttpCall,
  source: SourceEntry & { readonly pack?: string },
  trusting: (host: string) => Promise<Fetch>,
  check: (url: URL) => Promise<void> = async () => undefined,
): Handler<JsonObject, unknown> {
  return async (args, ctx: AnswerContext & { readonly tokens?: TokenSource }) => {
    const server = serverOf(call, source, ctx);
    const fetch = source.server === undefined ? ctx.fetch : await trusting(server.hostname.replace(/^\[|\]$/g, ""));
    const base = server.href.replace(/[/?#]+$/, "");
    const credentials = call.anonymous ? NO_CREDENTIALS : credentialsOf(source, ctx);
    const key = mayChange(call) ? ctx.idempotencyKey : undefined;
    const { header } = source.idempotency ?? {};
    const passed = header === undefined || key === undefined ? {} : { [header]: key };
    const sent = async (token: string | undefined) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const all = { ...credentials, headers: { ...credentials.headers, ...headers } };
      return send(await sendableRequest(call, base, args, all, { ...ctx.trace, ...passed }), fetch, ctx);
    };
    const use = source.auth?.mode === undefined || call.anonymous ? undefined : tokenOf(source, ctx);
    if (use && isInClear(server.href))
      return fail("UNAVAILABLE", `The token would go to ${server.origin} in clear: the API needs an https URL.`);
    if (use && source.server === undefined) await checkAddress(server, check);
    let token = await use?.token();
    let answer = await sent(token);
    // The API has refused the token, so that it has not begun the call: once more with a newer one.
    if (use && token !== undefined && answer.response.status === 401) {
      use.refused(token);
      await answer.response.body?.cancel();
      token = await use.token();
      answer = await sent(token);
    }
    if (answer.response.status !== 401) use?.taken();
    // As little begun, and also asked once more only: a second refusal is the answer.
    const scope = scopeAskedFor(answer.response);
    if (use && scope !== undefined) {
      const wider = await use.widened(scope);
      await answer.response.body?.cancel();
      answer = await sent(wider);
    }
    return httpResult(call, answer.response, answer.url, ctx);
  };
}

/** The token of the connection of a source, for the caller. */
function tokenOf(
  { pack: name = "" }: { readonly pack?: string },
  { tokens, principal, signal }: Context & { readonly tokens?: TokenSource },
) {
  const source = tokens ?? fail("UNAVAILABLE", `The connection ${name} is not available here.`);
  const use = { name, principal, signal: signal as AbortSignal };
  return {
    token: () => source.token(use),
    refused: (token: string) => source.refused(use, token),
    taken: () => source.taken?.(use),
    widened: (scope: string) => source.widened(use, scope),
  };
}

const NO_CREDENTIALS: Credentials = { headers: {}, query: {} };

function serverOf(call: HttpCall, source: SourceEntry, ctx: Context): URL {
  const text = source.server === undefined ? call.server : filled(source.server, ctx);
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "" && url.username === "") return url;
  const found =
    text === undefined
      ? "its description names none"
      : "what `server` says is no http(s) address without credentials, query or fragment";
  return fail(
    "UNAVAILABLE",
    `This API has no address: ${found}. ${hint("Set `server: https://…` in its source in toolwright.yaml", "Add --server https://… to the command")}.`,
  );
}

function credentialsOf({ auth = {} }: SourceEntry, ctx: Context): Credentials {
  const { bearer, basic, headers = {}, query = {} } = auth;
  const values = (from: Readonly<Record<string, string>>, fill: typeof filled): Record<string, string> =>
    Object.fromEntries(Object.entries(from).map(([name, value]) => [name, fill(value, ctx)]));
  return {
    headers: {
      ...(bearer === undefined ? {} : { authorization: `Bearer ${inHeader(bearer, ctx)}` }),
      ...(basic === undefined ? {} : { authorization: `Basic ${Buffer.from(filled(basic, ctx)).toString("base64")}` }),
      ...values(headers, inHeader),
    },
    query: values(query, filled),
  };
}

/**
 * As {@link filled}, for a header: an invalid character would otherwise cause an error that shows the value.
 *
 * @throws ToolFailure UNAVAILABLE naming the variable to correct
 */
function inHeader(text: string, ctx: Context): string {
  const value = filled(text, ctx);
  if (fitsHeader(value)) return value;
  const names: string[] = [];
  expandVariables(text, (name) => void names.push(name), []);
  const unfit = names.find((name) => !fitsHeader(secretOrNone(name, ctx) ?? ""));
  if (unfit === undefined)
    return fail(
      "UNAVAILABLE",
      `${hint("`auth` of this API in toolwright.yaml", "--header")} holds characters that no header can: correct it.`,
    );
  return fail(
    "UNAVAILABLE",
    `The secret ${unfit} holds characters that no header can, such as a line end: correct its value.`,
    { secret: unfit },
  );
}

/**
 * Fills in variables, which are treated as secrets: failures never show their values.
 *
 * @throws ToolFailure UNAVAILABLE naming the first unset variable
 */
function filled(text: string, ctx: Context): string {
  const missing: string[] = [];
  const value = expandVariables(text, (name) => secretOrNone(name, ctx), missing);
  for (const name of missing) ctx.secret(name);
  return value;
}

function secretOrNone(name: string, ctx: Context): string | undefined {
  try {
    return ctx.secret(name);
  } catch (error) {
    if (isToolFailure(error)) return undefined;
    throw error;
  }
}
