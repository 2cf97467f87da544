/** Has a person authorize an upstream server once more, for further scopes than its tokens have. */

import { unionOfScopes } from "../connections/scopes.js";
import type { Provider } from "./authorization.js";
import { boundedFetch } from "./fetch.js";
import type { UpstreamServer } from "./servers.js";
import { connectionError, UpstreamError } from "./upstream-error.js";

const PING = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "ping" });

/**
 * Opens the page of the authorization server, waits for the answer, and stores the tokens in place of the earlier ones.
 *
 * @param scope - asked for beside the scopes that the tokens have
 * @throws UpstreamError where there are no tokens at the end
 */
export async function authorizeAgain(
  server: UpstreamServer,
  provider: Provider,
  scope: string | undefined,
): Promise<void> {
  const { endpoint, answerBytes: limit } = server;
  if (endpoint.kind !== "http")
    throw new UpstreamError("UNAVAILABLE", "it is started by a command", "give it what it needs in its env");
  const { auth, extractWWWAuthenticateParams, StreamableHTTPClientTransport } = await import(
    "@modelcontextprotocol/client"
  );
  const { url, headers } = endpoint;
  const ending = new AbortController();
  const fetch = provider.redeeming(boundedFetch({ endpoint: url, headers, limit, until: ending.signal }));
  try {
    const init = { method: "POST", headers: { "content-type": "application/json", accept: ACCEPT }, body: PING };
    const answer = await fetch(url, init);
    await answer.body?.cancel();
    const { resourceMetadataUrl, scope: usual } = extractWWWAuthenticateParams(answer);
    const asked = unionOfScopes((await provider.tokens())?.scope ?? usual, scope);
    const where = { serverUrl: url, fetchFn: fetch, forceReauthorization: true };
    await auth(provider, {
      ...where,
      ...(resourceMetadataUrl ? { resourceMetadataUrl } : {}),
      ...(asked ? { scope: asked } : {}),
    });
    const transport = new StreamableHTTPClientTransport(url, { fetch, authProvider: provider });
    await transport.finishAuth(await provider.redirected(undefined));
  } catch (error) {
    throw connectionError(error, server, undefined, undefined);
  } finally {
    ending.abort();
    provider.close();
  }
}

const ACCEPT = "application/json, text/event-stream";
