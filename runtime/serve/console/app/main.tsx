/** The console: one page, whose screens are selected by the part of its URL after `#`. */

import { render } from "preact";
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../contract/message-of.js";
import type { SeenRegistry } from "../visible-registry.js";
import { ApiError, api, whenLoginIsNeeded } from "./api.js";
import { Calls } from "./calls.js";
import { Explorer } from "./explorer.js";
import { Login } from "./login.js";
import { useRoute } from "./route.js";
import { Run } from "./run.js";
import { Servers } from "./servers.js";
import { Statistics } from "./statistics.js";
import { Failure, Loading } from "./text.js";

const SCREENS = [
  ["", "Explorer"],
  ["run", "Run"],
  ["stats", "Statistics"],
  ["calls", "Calls"],
  ["servers", "Servers"],
] as const;

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "login" }
  | { readonly kind: "failed"; readonly message: string }
  /** `isOver`: a new login is needed to go on. */
  | { readonly kind: "open"; readonly registry: SeenRegistry; readonly isOver: boolean };

const RETRY_MS = 3000;

/** Keeps the open state if the registry is unchanged. */
function opened(before: State, registry: SeenRegistry): State {
  if (before.kind !== "open") return { kind: "open", registry, isOver: false };
  const isSame = JSON.stringify(outline(before.registry)) === JSON.stringify(outline(registry));
  return isSame && !before.isOver ? before : { ...before, isOver: false, ...(isSame ? {} : { registry }) };
}

const outline = ({ caller, registry_version }: SeenRegistry): object => ({ caller, registry_version });

const mustLogIn = (before: State): State => {
  if (before.kind !== "open") return { kind: "login" };
  return before.isOver ? before : { ...before, isOver: true };
};

function App() {
  const [state, setState] = useState<State>({ kind: "loading" });
  const who = useRef<string | undefined>(undefined);
  const load = useCallback(async () => {
    const registry = await api.registry();
    // Another caller must not see what was open.
    if (who.current !== undefined && who.current !== registry.caller.id) return location.reload();
    who.current = registry.caller.id;
    setState((before) => opened(before, registry));
  }, []);
  const look = useCallback(() => {
    load().catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return;
      setState((before) => (before.kind === "open" ? before : { kind: "failed", message: messageOf(error) }));
    });
  }, [load]);
  useEffect(() => {
    whenLoginIsNeeded(() => setState(mustLogIn));
    look();
    // The registry may have changed while the page was hidden.
    const again = (): void => void (document.visibilityState === "visible" && look());
    document.addEventListener("visibilitychange", again);
    return () => document.removeEventListener("visibilitychange", again);
  }, [look]);
  useEffect(() => {
    const timer = state.kind === "failed" ? setInterval(look, RETRY_MS) : undefined;
    return () => clearInterval(timer);
  }, [state.kind, look]);
  const isOpen = state.kind === "open" && !state.isOver;
  return (
    <>
      {state.kind === "open" && <Console registry={state.registry} isHidden={state.isOver} />}
      {!isOpen && (
        <>
          <header class="top">
            <Brand />
          </header>
          <main class="page narrow">
            {(state.kind === "login" || state.kind === "open") && (
              <Login isAgain={state.kind === "open"} onDone={load} />
            )}
            {state.kind === "loading" && <Loading />}
            {state.kind === "failed" && (
              <>
                <Failure text={state.message} />
                <p class="buttons">
                  <button type="button" onClick={look}>
                    Try again
                  </button>
                  <span class="quiet">It is tried every {RETRY_MS / 1000} seconds.</span>
                </p>
              </>
            )}
          </main>
        </>
      )}
    </>
  );
}

const Brand = () => (
  <a class="brand" href="#/">
    toolwright
  </a>
);

interface ConsoleProps {
  readonly registry: SeenRegistry;
  readonly isHidden: boolean;
}

function Console({ registry, isHidden }: ConsoleProps) {
  const { screen, rest } = useRoute();
  const { caller, registry_version: version, tools } = registry;
  const ops = useMemo(() => new Set(tools.map(({ op }) => op)), [tools]);
  // The reload clears what was shown from memory.
  const leave = (): void => void api.logout().finally(() => location.reload());
  useTitle(isHidden ? undefined : titleOf(screen, rest));
  const isFirst = useRef(true);
  useEffect(() => {
    // The focused element may be gone with its screen.
    if (!isFirst.current && !isHidden && document.activeElement === document.body) toMain();
    isFirst.current = false;
  }, [screen, rest, isHidden]);
  return (
    <div hidden={isHidden}>
      <button type="button" class="skip" onClick={toMain}>
        Skip to content
      </button>
      <header class="top">
        <Brand />
        <nav aria-label="Screens">
          {SCREENS.map(([path, name]) => (
            <a key={path} href={`#/${path}`} aria-current={isCurrent(screen, path) ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <p class="caller">
          <span title={caller.kind === "key" ? `Calls are made with the key ${caller.id}` : "Calls need no key here"}>
            {caller.kind === "key" ? "key" : "local"} · {caller.level}
            {caller.projects === "some" ? " · some projects" : ""}
            {caller.allow_write ? "" : " · reads only"}
          </span>
          {caller.kind === "key" && (
            <button type="button" onClick={leave}>
              Log out
            </button>
          )}
        </p>
      </header>
      <main class="page" id="main" tabIndex={-1}>
        {screen === "run" && <Run registry={registry} />}
        {screen === "stats" && <Statistics rest={rest} ops={ops} />}
        {screen === "calls" && <Calls ops={ops} />}
        {screen === "servers" && <Servers />}
        {isCurrent(screen, "") && (
          <Explorer registry={registry} op={screen === "op" ? rest : ""} pack={screen === "pack" ? rest : ""} />
        )}
      </main>
      <footer>
        {tools.length} ops · registry {version}
      </footer>
    </div>
  );
}

function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === "" ? "toolwright" : `${title} · toolwright`;
  }, [title]);
}

const titleOf = (screen: string, rest: string): string =>
  screen === "op" || screen === "pack" ? rest : (SCREENS.find(([path]) => path !== "" && path === screen)?.[1] ?? "");

/** Pages of packs and ops belong to the explorer. */
const isCurrent = (screen: string, path: string): boolean =>
  screen === path || (path === "" && (screen === "op" || screen === "pack"));

/** A button rather than a link, since the part of the URL after `#` names a screen. */
const toMain = (): void => document.getElementById("main")?.focus({ preventScroll: true });

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
