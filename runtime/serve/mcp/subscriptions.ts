/**
 * Subscriptions to single resources. Only the built-in pages support them, since those change with the configuration
 * only. Results of ops change without notice.
 */

import type { Server } from "@modelcontextprotocol/server";
import { isOwnPage, ownPages, requirePage } from "../../../features/resources/resources.js";
import { currentPrincipal } from "../../access/callers.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { Settings } from "../../config/settings.js";
import { isObject } from "../../contract/json.js";
import { guardedOn, invalidParamsError } from "./pages.js";
import { tolerate, whenClosed } from "./server-events.js";
import type { Era, ServerOptions } from "./server-options.js";

/** A configuration as a caller sees it. */
export interface Shown {
  readonly view: RegistryView;
  readonly settings: Settings;
}

/** URIs of the built-in pages that were changed, added or removed. */
export function changedPages(before: Shown, after: Shown): readonly string[] {
  const [old, now] = [ownPages(before.view, before.settings), ownPages(after.view, after.settings)];
  return [...new Set([...old.keys(), ...now.keys()])].filter((uri) => old.get(uri) !== now.get(uri));
}

/** Most subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 1000;

/** Registers the subscription handlers of a lasting connection, and sends notifications. */
export function serveSubscriptions(server: Server, options: ServerOptions, era: Era): void {
  const { live, principal } = options;
  // Without a current principal no notification is sent. Views are created only when there is something to compare.
  const shown = async (): Promise<(() => Shown) | undefined> => {
    const { index, settings } = live.current();
    const who = await currentPrincipal(principal);
    return who && (() => ({ view: index.view(who.grant), settings }));
  };
  const subscribed = new Set<string>();
  const tell = async (old: (() => Shown) | undefined, now: (() => Shown) | undefined): Promise<void> => {
    if (!old || !now || (era === "legacy" && subscribed.size === 0)) return;
    const changed = changedPages(old(), now()).filter((one) => era === "modern" || subscribed.has(one));
    await Promise.all(changed.map((uri) => server.sendResourceUpdated({ uri })));
  };
  let before = shown();
  const stop = live.onSwap(() => {
    const old = before;
    before = shown();
    const told = Promise.all([old, before]).then((both) => tell(...both));
    tolerate(told, "updated", live.current().log);
  });
  whenClosed(server, stop);
  if (era === "modern") return;
  server.setRequestHandler(
    "resources/subscribe",
    guardedOn(live, async ({ index, settings }, { params: { uri } }) => {
      const { grant } = await principal();
      requirePage(uri, index.view(grant), settings);
      if (subscribed.size === MAX_SUBSCRIPTIONS && !subscribed.has(uri))
        throw invalidParamsError(`There are ${MAX_SUBSCRIPTIONS} subscriptions already.`);
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
 * Removes resources without notifications from a subscription request; the answer lists the remaining ones. Any other
 * message is unchanged.
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

/** The view of a caller; `undefined` without a current principal. */
type ViewOf = RegistryView | undefined | Promise<RegistryView | undefined>;
