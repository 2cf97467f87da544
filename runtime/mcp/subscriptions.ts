/**
 * Subscriptions to single resources. Only the server's own pages have them: those change with the configuration alone, so that each change
 * can be told. What an op answers changes whenever it likes, and nobody would tell.
 */

import type { Server } from "@modelcontextprotocol/server";
import { whoIsThere } from "../access/callers.js";
import { isObject } from "../json.js";
import type { RegistryView } from "../registry.js";
import type { Settings } from "../settings.js";
import { tolerate, whenClosed } from "./connection.js";
import { guarded, invalid } from "./pages.js";
import { isOwnPage, ownPages, requirePage } from "./resources.js";
import type { ServerOptions } from "./server.js";

/** A configuration as a caller sees it. */
export interface Shown {
  readonly view: RegistryView;
  readonly settings: Settings;
}

/** Addresses of own pages that say something else in the second one, are new, or are gone. */
export function changedPages(before: Shown, after: Shown): readonly string[] {
  const [old, now] = [ownPages(before.view, before.settings), ownPages(after.view, after.settings)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((uri) => old.get(uri) !== now.get(uri));
}

/** Addresses that one connection may be subscribed to. */
const MOST = 1000;

/** Which protocol is spoken, and with it who keeps the subscriptions: until 2025 this server, since then the SDK's listener. */
export type Era = "legacy" | "modern";

/** Answers requests to subscribe, and tells of changes, over a connection that lasts. */
export function serveSubscriptions(server: Server, options: ServerOptions, era: Era): void {
  const { gateway, principal, onSwap } = options;
  // Nobody asked, so nobody is told where it cannot be said who is there.
  // Views are made when there is something to tell, not at the start of each connection.
  const shown = async (): Promise<(() => Shown) | undefined> => {
    const { index, settings } = gateway;
    const who = await whoIsThere(principal);
    return who && (() => ({ view: index.view(who.grant), settings }));
  };
  const subscribed = new Set<string>();
  const tell = async (old: (() => Shown) | undefined, now: (() => Shown) | undefined): Promise<void> => {
    if (!old || !now || (era === "legacy" && subscribed.size === 0)) return;
    const changed = changedPages(old(), now()).filter((one) => era === "modern" || subscribed.has(one));
    await Promise.all(changed.map((uri) => server.sendResourceUpdated({ uri })));
  };
  let before = shown();
  const stop = onSwap?.(() => {
    const old = before;
    before = shown();
    const told = Promise.all([old, before]).then((both) => tell(...both));
    tolerate(told, "updated", gateway.log);
  });
  if (stop) whenClosed(server, stop);
  if (era === "modern") return;
  server.setRequestHandler(
    "resources/subscribe",
    guarded(gateway.log, async ({ params: { uri } }) => {
      const { grant } = await principal();
      requirePage(uri, gateway.index.view(grant), options);
      if (subscribed.size === MOST && !subscribed.has(uri)) throw invalid(`There are ${MOST} subscriptions already.`);
      subscribed.add(uri);
      return {};
    }),
  );
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
}

/**
 * A request to listen, less the resources of which nothing would be told: the client is answered what is left. Any other message is
 * as it was.
 */
export function heardOnly<T>(message: T, view: () => ViewOf): T | Promise<T> {
  if (!isObject(message) || message["method"] !== "subscriptions/listen" || !isObject(message["params"]))
    return message;
  const { params } = message;
  const { notifications } = params;
  if (!isObject(notifications) || !Array.isArray(notifications["resourceSubscriptions"])) return message;
  const asked: readonly unknown[] = notifications["resourceSubscriptions"];
  return Promise.resolve(view()).then((seen) => {
    const heard = asked.filter((uri) => seen && typeof uri === "string" && isOwnPage(uri, seen));
    const told = { ...notifications, resourceSubscriptions: heard };
    return { ...message, params: { ...params, notifications: told } } as T;
  });
}

/** What a caller sees; nothing, where it is nobody. */
type ViewOf = RegistryView | undefined | Promise<RegistryView | undefined>;
