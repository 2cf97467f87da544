/** Routing: the screen is the first word after `#/`, followed by its details. */

import { useEffect, useState } from "preact/hooks";

/** The current route. */
export interface Route {
  readonly screen: string;
  readonly rest: string;
}

const SCREENS: ReadonlySet<string> = new Set(["op", "pack", "run", "stats", "calls", "servers"]);

function current(): Route {
  const [, screen = "", ...rest] = location.hash.replace(/^#/, "").split("/");
  if (!SCREENS.has(screen)) return { screen: "", rest: "" };
  return { screen, rest: rest.map(decoded).join("/") };
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
  const [route, setRoute] = useState(current);
  useEffect(() => {
    let isLink = false;
    const note = (event: MouseEvent): void => {
      isLink = event.target instanceof Element && event.target.closest("a[href^='#']") !== null;
    };
    const follow = (): void => {
      setRoute(current());
      if (isLink) scrollTo(0, 0);
      isLink = false;
    };
    addEventListener("click", note, true);
    addEventListener("hashchange", follow);
    return () => {
      removeEventListener("click", note, true);
      removeEventListener("hashchange", follow);
    };
  }, []);
  return route;
}

/** The URL of an op's page. */
export const opAddress = (op: string): string => `#/op/${encodeURIComponent(op)}`;

/** The URL of a pack's page. */
export const packAddress = (pack: string): string => `#/pack/${encodeURIComponent(pack)}`;

/** The URL of the statistics of a period, for one op or all. */
export const statsAddress = (period: string, op: string): string =>
  `#/stats/${period}${op === "" ? "" : `/${encodeURIComponent(op)}`}`;
