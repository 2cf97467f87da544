/** The console: one page, whose screens are told apart by what stands behind `#` in its address. */

import { render } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import type { SeenRegistry } from "../seen-registry.js";
import { ApiError, api, whenLoginIsNeeded } from "./api.js";
import { Calls } from "./calls.js";
import { Explorer } from "./explorer.js";
import { Login } from "./login.js";
import { useRoute } from "./route.js";
import { Run } from "./run.js";
import { Servers } from "./servers.js";
import { Statistics } from "./statistics.js";
import { Failure } from "./text.js";

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
  | { readonly kind: "open"; readonly registry: SeenRegistry };

function App() {
  const [state, setState] = useState<State>({ kind: "loading" });
  const load = useCallback(() => {
    api.registry().then(
      (registry) => setState({ kind: "open", registry }),
      (error: unknown) => {
        if (!(error instanceof ApiError && error.status === 401)) setState({ kind: "failed", message: String(error) });
      },
    );
  }, []);
  useEffect(() => {
    whenLoginIsNeeded(() => setState({ kind: "login" }));
    load();
  }, [load]);
  if (state.kind === "open") return <Console registry={state.registry} onLeave={load} />;
  return (
    <>
      <header class="top">
        <Brand />
      </header>
      <main class="page narrow">
        {state.kind === "login" && <Login onDone={load} />}
        {state.kind === "loading" && <p>Loading…</p>}
        {state.kind === "failed" && <Failure text={state.message} />}
      </main>
    </>
  );
}

const Brand = () => (
  <a class="brand" href="#/">
    toolwright
  </a>
);

function Console({ registry, onLeave }: { readonly registry: SeenRegistry; readonly onLeave: () => void }) {
  const { screen, rest } = useRoute();
  const { caller, registry_version: version } = registry;
  const leave = (): void => void api.logout().then(onLeave, onLeave);
  return (
    <>
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
          <span title="Who calls, and what that permits">
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
        {screen === "stats" && <Statistics />}
        {screen === "calls" && <Calls />}
        {screen === "servers" && <Servers />}
        {(screen === "" || screen === "op") && <Explorer registry={registry} op={screen === "op" ? rest : ""} />}
      </main>
      <footer>
        {registry.tools.length} ops · registry {version}
      </footer>
    </>
  );
}

const isCurrent = (screen: string, path: string): boolean => screen === path || (screen === "op" && path === "");

/** A button, since the address behind `#` names a screen. */
const toMain = (): void => document.getElementById("main")?.focus();

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
