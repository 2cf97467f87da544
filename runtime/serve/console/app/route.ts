/** Routing: the screen is the first word after `#/`, followed by its details, and its filters after `?`. */

import { useContext, useEffect, useState } from "preact/hooks";
import { type FeatureScreen, FeatureScreens } from "./feature-screen.js";

/** The current route. */
export interface Route {
  /** A name of {@link SCREEN_NAMES}, or the path of a screen of a feature; undefined for an address that leads nowhere. */
  readonly screen: string | undefined;
  /** What follows the screen; the whole address if there is no such screen. */
  readonly rest: string;
  readonly query: URLSearchParams;
}

const SCREENS = ["", "ops", "op", "pack", "run", "calls", "servers", "connections", "approvals", "config"] as const;

/** The screens whose address has details behind the name. */
const WITH_DETAILS: ReadonlySet<string> = new Set<ScreenName>(["op", "pack", "run", "approvals"]);

/** First word of an address. */
type ScreenName = (typeof SCREENS)[number];

/** Names of the screens in addresses, without those of features. */
export const SCREEN_NAMES: readonly string[] = SCREENS;

function current(added: readonly FeatureScreen[]): Route {
  const [path = "", filters = ""] = location.hash.replace(/^#/, "").split("?", 2);
  const [, first = "", ...rest] = path.split("/");
  const query = new URLSearchParams(filters);
  const hasDetails = rest.some((one) => one !== "");
  const own = SCREEN_NAMES.find((one) => one === first && (!hasDetails || WITH_DETAILS.has(one)));
  const screen = own ?? added.find((one) => one.path === first)?.path;
  return screen === undefined
    ? { screen, rest: decoded(path.replace(/^\//, "")), query }
    : { screen, rest: rest.map(decoded).join("/"), query };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows the URL. A link opens the top of a screen; going back restores the scroll position. */
export function useRoute(): Route {
  const added = useContext(FeatureScreens);
  const [route, setRoute] = useState(() => current(added));
  useEffect(() => {
    let isLink = false;
    const note = (event: MouseEvent): void => {
      isLink = event.target instanceof Element && event.target.closest("a[href^='#']") !== null;
    };
    const follow = (): void => {
      setRoute(current(added));
      if (isLink) scrollTo(0, 0);
      isLink = false;
    };
    addEventListener("click", note, true);
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("click", note, true);
      removeEventListener("hashchange", follow);
    };
  }, [added]);
  return route;
}

/** The URL of an op's page. */
export const opAddress = (op: string): string => `#/op/${encodeURIComponent(op)}`;

/** The URL of a pack's page, with a filter of its ops. */
export const packAddress = (pack: string, filter = ""): string =>
  `#/pack/${encodeURIComponent(pack)}${filter === "" ? "" : `?${new URLSearchParams({ filter }).toString()}`}`;

/** The URL of the editor with code to start from. */
export const runAddress = (code: string): string => `#/run/${encodeURIComponent(code)}`;

/** The URL of the configuration, with an op filled in. */
export const configAddress = (op: string): string => `#/config?${new URLSearchParams({ op }).toString()}`;

/** The URL of the recent calls that pass filters; empty ones are left out. */
export function callsAddress(filters: Readonly<Record<string, string>>): string {
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  return given.length === 0 ? "#/calls" : `#/calls?${new URLSearchParams(given).toString()}`;
}
