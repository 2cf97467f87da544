/** The console: one page, whose screens are selected by the part of its URL after `#`. */

import { render } from "preact";
import { useCallback, useContext, useEffect, useRef, useState } from "preact/hooks";
import { closest } from "../../../contract/closest.js";
import { messageOf } from "../../../contract/thrown.js";
import { ApiError, api, whenLoginIsNeeded } from "./api.js";
import { Approvals } from "./approvals.js";
import { CallsScreen } from "./calls.js";
import { ConfigurationScreen } from "./configuration.js";
import { ConnectionsScreen } from "./connections.js";
import { Explorer } from "./explorer.js";
import { type FeatureScreen, FeatureScreens } from "./feature-screen.js";
import { Brand, linkedScreens, Menu } from "./header.js";
import { Home } from "./home.js";
import type { EditorLanguage } from "./languages.js";
import { type CallerIndex, callerIndex, opCountText } from "./listed-ops.js";
import { LoginForm } from "./login.js";
import { MissingPage } from "./missing.js";
import { type Route, SCREEN_NAMES, useRoute } from "./route.js";
import { Run } from "./run.js";
import { SearchBox } from "./search.js";
import { Servers } from "./servers.js";
import { FailureNotice, Loading } from "./text.js";

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "login" }
  | { readonly kind: "failed"; readonly message: string }
  /** `isOver`: a new login is needed to go on. */
  | { readonly kind: "open"; readonly listed: CallerIndex; readonly isOver: boolean };

const RETRY_MS = 3000;

/** Keeps the open state if the registry is unchanged. */
function opened(before: State, now: CallerIndex): State {
  if (before.kind !== "open") return { kind: "open", listed: now, isOver: false };
  const isSame = JSON.stringify(outline(before.listed)) === JSON.stringify(outline(now));
  return isSame && !before.isOver ? before : { ...before, isOver: false, ...(isSame ? {} : { listed: now }) };
}

const outline = ({ caller, version }: CallerIndex): object => ({ caller, version });

const mustLogIn = (before: State): State => {
  if (before.kind !== "open") return { kind: "login" };
  return before.isOver ? before : { ...before, isOver: true };
};

function App({ languages }: { readonly languages: readonly EditorLanguage[] }) {
  const [state, setState] = useState<State>({ kind: "loading" });
  const who = useRef<string | undefined>(undefined);
  const load = useCallback(async () => {
    const now = callerIndex(await api.registry(), languages);
    // Another caller must not see what was open.
    if (who.current !== undefined && who.current !== now.caller.id) return location.reload();
    who.current = now.caller.id;
    setState((before) => opened(before, now));
  }, [languages]);
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
      {state.kind === "open" && <Console listed={state.listed} isHidden={state.isOver} onWritten={look} />}
      {!isOpen && (
        <>
          <header class="top">
            <Brand />
          </header>
          <main class="page narrow">
            {(state.kind === "login" || state.kind === "open") && (
              <LoginForm isAgain={state.kind === "open"} onDone={load} />
            )}
            {state.kind === "loading" && <Loading />}
            {state.kind === "failed" && (
              <>
                <FailureNotice text={state.message} />
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

interface ConsoleProps {
  readonly listed: CallerIndex;
  readonly isHidden: boolean;
  /** Called after the configuration has changed. */
  readonly onWritten: () => void;
}

function Console({ listed, isHidden, onWritten }: ConsoleProps) {
  const route = useRoute();
  const { screen, rest } = route;
  const screens = linkedScreens(useContext(FeatureScreens));
  useTitle(isHidden ? undefined : titleOf(route, screens));
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
        <Menu route={route} caller={listed.caller} onLeft={toMain} />
        {!isHidden && <SearchBox />}
      </header>
      <main class="page" id="main" tabIndex={-1}>
        <Screen listed={listed} route={route} onWritten={onWritten} />
      </main>
      <footer>
        {opCountText(listed.ops.size)} · registry {listed.version}
      </footer>
    </div>
  );
}

interface ScreenProps extends Pick<ConsoleProps, "listed" | "onWritten"> {
  readonly route: Route;
}

function Screen({ listed, route, onWritten }: ScreenProps) {
  const { screen, rest, query } = route;
  const added = useContext(FeatureScreens).find(({ path }) => path === screen);
  if (added) return <added.Screen rest={rest} ops={listed.ops} />;
  switch (screen) {
    case "":
      return <Home listed={listed} />;
    case "run":
      return <Run listed={listed} given={rest} />;
    case "calls":
      return <CallsScreen ops={listed.ops} query={query} />;
    case "servers":
      return <Servers caller={listed.caller} />;
    case "connections":
      return <ConnectionsScreen name={query.get("name") ?? ""} outcome={query.get("outcome") ?? ""} />;
    case "approvals":
      return <Approvals run={rest} />;
    case "config":
      return <ConfigurationScreen listed={listed} query={query} onWritten={onWritten} />;
    case undefined:
      return <NoScreen name={rest} />;
    default:
      return (
        <Explorer
          listed={listed}
          op={screen === "op" ? rest : ""}
          pack={screen === "pack" ? rest : ""}
          filter={query.get("filter") ?? ""}
        />
      );
  }
}

/** An address of no screen: the nearest screen, and what a search finds. */
function NoScreen({ name }: { readonly name: string }) {
  const paths = new Map(
    linkedScreens(useContext(FeatureScreens)).map(([path, title]) => [title.toLowerCase(), path] as const),
  );
  const asked = closest(name.split("/")[0]?.toLowerCase() ?? "", [
    ...new Set([...SCREEN_NAMES, ...paths.values(), ...paths.keys()]),
  ]);
  const near = asked === undefined ? undefined : (paths.get(asked) ?? asked);
  return (
    <>
      <MissingPage what="page" name={name} />
      {near !== undefined && near !== "" && (
        <p>
          Near it: <a href={`#/${near}`}>#/{near}</a>
        </p>
      )}
    </>
  );
}

function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = title === "" ? "toolwright" : `${title} · toolwright`;
  }, [title]);
}

const titleOf = ({ screen, rest }: Route, screens: ReturnType<typeof linkedScreens>): string =>
  screen === "op" || screen === "pack" ? rest : (screens.find(([path]) => path !== "" && path === screen)?.[1] ?? "");

/** A button rather than a link, since the part of the URL after `#` names a screen. */
const toMain = (): void => document.getElementById("main")?.focus({ preventScroll: true });

/** Shows the console, with the screens of features and the languages that they add. */
export function showConsole(screens: readonly FeatureScreen[], languages: readonly EditorLanguage[]): void {
  const root = document.getElementById("app");
  if (!root) return;
  root.replaceChildren();
  render(
    <FeatureScreens.Provider value={screens}>
      <App languages={languages} />
    </FeatureScreens.Provider>,
    root,
  );
}
