/** Which screen is open: the first word behind `#/`, and what follows it. */

import { useEffect, useState } from "preact/hooks";

/** Where a person is. */
export interface Route {
  readonly screen: string;
  readonly rest: string;
}

const SCREENS: ReadonlySet<string> = new Set(["op", "run", "stats", "calls", "servers"]);

function current(): Route {
  const [, screen = "", ...rest] = location.hash.replace(/^#/, "").split("/");
  if (!SCREENS.has(screen)) return { screen: "", rest: "" };
  return { screen, rest: decoded(rest.join("/")) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows the address. */
export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const follow = (): void => {
      setRoute(current());
      scrollTo(0, 0);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

/** The address of an op's page. */
export const opAddress = (op: string): string => `#/op/${encodeURIComponent(op)}`;
