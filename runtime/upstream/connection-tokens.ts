/** Tokens of the connection of a server, as the SDK asks for them. */

import type { AuthProvider } from "@modelcontextprotocol/client";
import { isInClear } from "../config/connection-settings.js";
import { isToolFailure } from "../contract/handler.js";
import type { TokenSource } from "../contract/token-source.js";
import type { UpstreamServer } from "./servers.js";
import { UpstreamError } from "./upstream-error.js";

interface TokensOfCall {
  readonly tokens?: () => TokenSource | undefined;
  readonly signal?: AbortSignal;
}

/** A `fetch` that tells of each success. */
export const reportingFetch =
  (fetch: typeof globalThis.fetch, taken: () => void): typeof globalThis.fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (response.ok) taken();
    return response;
  };

/** Gives the tokens of the connection of a server; the SDK asks again, once, after a token was refused. */
export function connectionTokens(
  { name, caller }: UpstreamServer,
  { tokens, signal }: TokensOfCall,
  url: URL,
): AuthProvider & { readonly taken: () => void } {
  const use = { name, signal, principal: caller?.principal };
  const source = (): TokenSource => {
    if (isInClear(url.href))
      throw new UpstreamError("UNAVAILABLE", "its token would go to it in clear", "write an https url");
    const found = tokens?.();
    if (found) return found;
    throw new UpstreamError(
      "UNAVAILABLE",
      "it takes tokens of its connection",
      `call one of its tools, or run "toolwright connections list"`,
    );
  };
  let last: string | undefined;
  return {
    token: async () => {
      last = await source().token(use).catch(unconnected);
      return last;
    },
    onUnauthorized: async () => {
      if (last !== undefined) source().refused(use, last);
    },
    taken: () => tokens?.()?.taken?.(use),
  };
}

/** A failure of the connection, as one of the server. */
function unconnected(error: unknown): never {
  if (!isToolFailure(error)) throw error;
  const [, message = error.message, remedy = "try again later"] = /^(.*)\. To do: (.*)\.$/s.exec(error.message) ?? [];
  throw new UpstreamError("UNAUTHENTICATED", message.replace(/\.$/, ""), remedy, [], { lack: error });
}
