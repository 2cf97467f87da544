/**
 * Subscriptions to single resources. Only the built-in pages support them, since those change with the configuration
 * only. Results of ops change without notice.
 */

import type { Server } from "@modelcontextprotocol/server";
import { currentPrincipal } from "../../access/callers.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { Grant } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { Gateway } from "../../gateway/gateway.js";
import { guardedOn, invalidParamsError } from "./pages.js";
import { tolerate, whenClosed } from "./server-events.js";
import type { Era, ServerOptions } from "./server-options.js";

/** A configuration as a caller sees it. */
export interface ShownPages extends Pick<Gateway, "mcp"> {
  readonly view: RegistryView;
}

/** What a gateway shows to a grant. */
export const pagesShownTo = ({ index, mcp }: Pick<Gateway, "index" | "mcp">, grant: Grant): ShownPages => ({
  view: index.view(grant),
  mcp,
});

const contentsOf = async ({ view, mcp }: ShownPages): Promise<ReadonlyMap<string, string>> =>
  (await mcp?.load())?.pages.contents(view) ?? new Map();

/** URIs of the built-in pages that were changed, added or removed. */
export async function changedPages(before: ShownPages, after: ShownPages): Promise<readonly string[]> {
  const [old, now] = await Promise.all([before, after].map(contentsOf));
  if (!old || !now) return [];
  return [...new Set([...old.keys(), ...now.keys()])].filter((uri) => old.get(uri) !== now.get(uri));
}

/** Most subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 1000;

/** Registers the subscription handlers of a lasting connection, and sends notifications. */
export function serveSubscriptions(server: Server, options: ServerOptions, era: Era): void {
  const { live, principal } = options;
  // Without a current principal no notification is sent. Views are created only when there is something to compare.
  const shown = async (): Promise<(() => ShownPages) | undefined> => {
    const { index, mcp } = live.current();
    const who = await currentPrincipal(principal);
    return who && (() => pagesShownTo({ index, mcp }, who.grant));
  };
  const subscribed = new Set<string>();
  const tell = async (old: (() => ShownPages) | undefined, now: (() => ShownPages) | undefined): Promise<void> => {
    if (!old || !now || (era === "legacy" && subscribed.size === 0)) return;
    const changed = (await changedPages(old(), now())).filter((one) => era === "modern" || subscribed.has(one));
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
    guardedOn(live, async ({ index, mcp }, { params: { uri } }) => {
      const { grant } = await principal();
      (await mcp?.load())?.pages.require(uri, index.view(grant));
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
export function heardOnly<T>(message: T, shown: () => ShownTo): T | Promise<T> {
  if (!isObject(message) || message["method"] !== "subscriptions/listen" || !isObject(message["params"]))
    return message;
  const { params } = message;
  const { notifications } = params;
  if (!isObject(notifications) || !Array.isArray(notifications["resourceSubscriptions"])) return message;
  const asked: readonly unknown[] = notifications["resourceSubscriptions"];
  return Promise.resolve(shown()).then(async (seen) => {
    const pages = (await seen?.mcp?.load())?.pages;
    const heard = asked.filter((uri) => seen && typeof uri === "string" && pages?.has(uri, seen.view));
    const told = { ...notifications, resourceSubscriptions: heard };
    return { ...message, params: { ...params, notifications: told } } as T;
  });
}

/** What a caller is shown; `undefined` without a current principal. */
type ShownTo = ShownPages | undefined | Promise<ShownPages | undefined>;
