/** The header: the links to the screens and the caller; in a narrow window, a menu opens them. */

import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { api } from "./api.js";
import { mayConfigure } from "./config-fields.js";
import { type FeatureScreen, FeatureScreens } from "./feature-screen.js";
import type { CallerIndex } from "./listed-ops.js";
import type { Route } from "./route.js";

/** A screen that has a link: its part of the address, and its name. */
type LinkedScreen = readonly [path: string, title: string];

const SCREENS: readonly LinkedScreen[] = [
  ["", "Home"],
  ["ops", "Ops"],
  ["run", "Run"],
  ["calls", "Calls"],
  ["servers", "Servers"],
  ["connections", "Connections"],
  ["approvals", "Approvals"],
  ["config", "Configuration"],
];

/** The screens that have a link, with those of features at their places. */
export const linkedScreens = (added: readonly FeatureScreen[]): readonly LinkedScreen[] =>
  SCREENS.flatMap((one) => [
    one,
    ...added.flatMap(({ path, title, after }): LinkedScreen[] => (after === one[0] ? [[path, title]] : [])),
  ]);

/** The name of the project, which leads to the first screen. */
export const Brand = () => (
  <a class="brand" href="#/">
    toolwright
  </a>
);

interface MenuProps extends Pick<CallerIndex, "caller"> {
  readonly route: Route;
  /** Takes the focus when a link of the open menu was followed: the link is gone with the menu. */
  readonly onLeft: () => void;
}

/** The links and the caller, with the button that shows them where the window is narrow. */
export function Menu({ route, caller, onLeft }: MenuProps) {
  const { screen, rest } = route;
  const added = useContext(FeatureScreens);
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isOpen) onLeft();
    setOpen(false);
  }, [screen, rest]);
  useEffect(() => {
    if (!isOpen) return;
    const key = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      setOpen(false);
      button.current?.focus();
    };
    const click = ({ target }: MouseEvent): void => {
      const isInside = target instanceof Node && [button, panel].some(({ current }) => current?.contains(target));
      if (!isInside) setOpen(false);
    };
    addEventListener("keydown", key);
    addEventListener("click", click);
    return () => {
      removeEventListener("keydown", key);
      removeEventListener("click", click);
    };
  }, [isOpen]);
  return (
    <>
      <button
        type="button"
        class="open-menu"
        ref={button}
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <div id="menu" class={isOpen ? "menu open" : "menu"} ref={panel}>
        <nav aria-label="Screens">
          {linkedScreens(added)
            .filter(([path]) => path !== "config" || mayConfigure(caller))
            .map(([path, name]) => (
              <a
                key={path}
                href={`#/${path}`}
                aria-current={isCurrent(screen, path) ? "page" : undefined}
                onClick={() => screen === path && rest === "" && setOpen(false)}
              >
                {name}
              </a>
            ))}
        </nav>
        <Caller caller={caller} />
      </div>
    </>
  );
}

/** Pages of packs and ops belong to the explorer. */
const isCurrent = (screen: Route["screen"], path: string): boolean =>
  screen === path || (path === "ops" && (screen === "op" || screen === "pack"));

/** What a caller may do, as one fact. */
function rightsOf({ level, projects, allow_write: writes, more = false }: CallerIndex["caller"]): string {
  const what = level === "admin" ? "admin" : level === "write" && writes ? "reads and writes" : "reads only";
  const off = level === "admin" && !writes ? ", writes are off" : "";
  return `${what}${more ? ", more for some ops" : ""}${off}${projects === "some" ? ", some projects" : ""}`;
}

/** Who the caller is: the name of a user, the id of a key. */
const whoIs = ({ kind, id, name }: CallerIndex["caller"]): string => (kind === "local" ? "this machine" : (name ?? id));

function Caller({ caller }: Pick<CallerIndex, "caller">) {
  const { kind, id } = caller;
  const isLocal = kind === "local";
  const rights = rightsOf(caller);
  // The reload clears what was shown from memory.
  const leave = (): void => void api.logout().finally(() => location.reload());
  const how = isLocal ? "Calls from this machine need no key" : `Calls are made with the ${kind} ${id}`;
  return (
    <div class="caller">
      <p title={`${how}: ${rights}`}>
        <span class="who">{whoIs(caller)}</span> <span class="rights">{isLocal ? rights : `${kind} · ${rights}`}</span>
      </p>
      {!isLocal && (
        <button type="button" onClick={leave}>
          Log out
        </button>
      )}
    </div>
  );
}
