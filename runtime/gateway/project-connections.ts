/** The connections of a project as its calls and its console use them: loaded at their first use. */

import type { Settings } from "../config/settings.js";
import type { Connections } from "../connections/connections.js";
import type { SignIns } from "../connections/sign-ins.js";
import type { Logger } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import type { TokenSource } from "../contract/token-source.js";
import type { LazyState } from "../state/open.js";
import type { Upstreams } from "../upstream/upstreams.js";

/** The connections of a project. */
export interface ProjectConnections {
  readonly tokens: TokenSource;
  signIns(): Promise<SignIns>;
}

/** The connections of a project, whose tokens its upstream servers take from now on; undefined if none is configured. */
export function projectConnections(
  { settings, upstreams }: { readonly settings: Settings; readonly upstreams?: Upstreams },
  { state, clock }: { readonly state: LazyState; readonly clock: () => number },
  {
    secret = (name) => process.env[name],
    log,
  }: { readonly secret?: (name: string) => string | undefined; readonly log: Logger },
): ProjectConnections | undefined {
  const { connections, http } = settings;
  if (!connections) return undefined;
  let made: Connections | undefined;
  const load = memoizeAsync(async () => {
    const { createConnections } = await import("../connections/connections.js");
    made = createConnections({ ...connections, state: state.get, secret, clock, log, publicUrl: http.publicUrl });
    return made;
  });
  const tokens: TokenSource = {
    token: async (use) => (made ?? (await load(""))).token(use),
    refused: (use, token) => made?.refused(use, token),
    taken: (use) => made?.taken?.(use),
    widened: async (use, scope) => (made ?? (await load(""))).widened(use, scope),
  };
  upstreams?.takeTokens(tokens);
  return { tokens, signIns: async () => (await load("")).signIns };
}
