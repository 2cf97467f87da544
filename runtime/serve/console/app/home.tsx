/** The first screen: what is served, how clients connect, the state of servers, and what failed last. */

import { useCallback, useEffect, useState } from "preact/hooks";
import type { SpanTree } from "../../../call/recent-spans.js";
import { messageOf } from "../../../contract/thrown.js";
import type { ClientEntries, SeenServer } from "../../../gateway/console-data.js";
import { ApiError, api } from "./api.js";
import { CodeFrame, CopyButton } from "./code.js";
import { Tiles } from "./explorer.js";
import { type CallerIndex, opCountText } from "./listed-ops.js";
import { Breakable } from "./names.js";
import { usePolled } from "./polled.js";
import { callsAddress } from "./route.js";
import { byTrouble } from "./server-order.js";
import { clockTime, FailureNotice, Loading } from "./text.js";

const EVERY_MS = 5000;
/** Recent calls that are looked through for failures. */
const LOOKED_AT = 200;
/** Most failures, servers and packs that are shown. */
const MAX_FAILURES = 5;
const MAX_SERVERS = 8;
const MAX_PACKS = 8;

/** The screen. */
export function Home({ listed }: { readonly listed: CallerIndex }) {
  const { ops, packs } = listed;
  return (
    <>
      <h1>{ops.size === 0 ? "Nothing is served yet" : `${opCountText(ops.size)} for your agents`}</h1>
      {ops.size === 0 ? <Nothing /> : <About listed={listed} />}
      <div class="home">
        <Connect />
        <div class="beside">
          <ServerStates />
          <Failures />
        </div>
      </div>
      {ops.size > 0 && (
        <section class="part">
          <h2>Packs</h2>
          <Tiles packs={[...packs].sort((a, b) => b.ops.length - a.ops.length).slice(0, MAX_PACKS)} />
          {packs.length > MAX_PACKS && (
            <p>
              <a href="#/ops">All {packs.length} packs</a>
            </p>
          )}
        </section>
      )}
    </>
  );
}

const About = ({ listed: { packs, ops, languages } }: { readonly listed: CallerIndex }) => (
  <p class="lead">
    This server offers its tools to MCP clients through four: <code>run</code>, <code>tool_help</code>,{" "}
    <code>tool_exec</code> and <code>tool_batch</code>. Connect a client below, <a href="#/ops">browse</a> the{" "}
    {opCountText(ops.size)} of {packs.length === 1 ? "one pack" : `${packs.length} packs`}, or{" "}
    <a href="#/run">try them in {languages.map(({ label }) => label).join(" or ")}</a>.
  </p>
);

const Nothing = () => (
  <p class="lead">
    There is no op that you may use. Add tools to <code>definitions/</code> and run <code>toolwright generate</code>, or
    add a server with <code>toolwright add NAME URL</code>{" "}
    <CopyButton text="toolwright add NAME URL" what="the command" />
  </p>
);

const endpoint = (): string => new URL("/mcp", location.origin).href;

const isNothing = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

function Connect() {
  const [clients, setClients] = useState<readonly ClientEntries[]>();
  const [fault, setFault] = useState("");
  const [id, setId] = useState("claude-code");
  useEffect(() => {
    api.clients(endpoint()).then(
      ({ clients }) => setClients(clients),
      // Without the feature that knows clients, there is nothing to show.
      (error: unknown) => (isNothing(error) ? setClients([]) : setFault(messageOf(error))),
    );
  }, []);
  const client = clients?.find((one) => one.id === id) ?? clients?.[0];
  return (
    <section class="card connect">
      <h2>Connect a client</h2>
      <p class="address">
        MCP over HTTP: <code>{endpoint()}</code> <CopyButton text={endpoint()} what="the address" />
      </p>
      {fault !== "" && <FailureNotice text={fault} />}
      {!clients && fault === "" && <Loading />}
      {clients && client && (
        <>
          <p class="field">
            <label for="client">Client</label>
            <select id="client" value={client.id} onInput={(event) => setId(event.currentTarget.value)}>
              {clients.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          </p>
          <Ways client={client} />
        </>
      )}
    </section>
  );
}

const TITLES = { http: "To this server", stdio: "To a server that the client starts" } as const;

const Ways = ({ client: { label, file, format, ways } }: { readonly client: ClientEntries }) => (
  <>
    {ways.length === 0 && <p>{label} connects to addresses in its own settings: give it the address above.</p>}
    {ways.map(({ over, text, command }, at) => (
      <details key={`${label} ${over}`} class="way" open={at === 0}>
        <summary>{TITLES[over]}</summary>
        {file !== undefined && (
          <p class="quiet">
            In <code>{file}</code>:
          </p>
        )}
        <CodeFrame text={text.trimEnd()} label={`Entry for ${label}, ${over}`} language={format} />
        <p class="command">
          <span class="quiet">or</span> <code>{command}</code> <CopyButton text={command} what="the command" />
        </p>
      </details>
    ))}
  </>
);

const STATES: Readonly<Record<string, string>> = { connected: "read", disconnected: "danger" };

function ServerStates() {
  const { value, fault } = usePolled(api.servers, EVERY_MS);
  const servers = byTrouble(value?.servers ?? []);
  return (
    <section class="card">
      <h2>Servers</h2>
      {fault !== "" && <FailureNotice text={fault} />}
      {value && servers.length === 0 && (
        <p class="quiet">
          No MCP server stands behind this one. Add one: <code>toolwright add NAME URL</code>{" "}
          <CopyButton text="toolwright add NAME URL" what="the command" />
        </p>
      )}
      {servers.length > 0 && (
        <>
          <ul class="states">
            {servers.slice(0, MAX_SERVERS).map((one) => (
              <State key={one.name} server={one} />
            ))}
          </ul>
          <p>
            <a href="#/servers">{servers.length === 1 ? "The server" : `All ${servers.length} servers`}</a>
          </p>
        </>
      )}
    </section>
  );
}

const State = ({ server: { name, state } }: { readonly server: SeenServer }) => (
  <li>
    <span>
      <Breakable text={name} />
    </span>{" "}
    <span class={`kind ${STATES[state] ?? ""}`}>{state}</span>
  </li>
);

function Failures() {
  const ask = useCallback(() => api.calls(LOOKED_AT), []);
  const { value, fault } = usePolled(ask, EVERY_MS);
  const failed = value?.calls.filter(({ ok }) => !ok).slice(0, MAX_FAILURES) ?? [];
  return (
    <section class="card">
      <h2>Last failures</h2>
      {fault !== "" && <FailureNotice text={fault} />}
      {value && failed.length === 0 && (
        <p class="quiet">
          {value.calls.length === 0 ? (
            <>
              Nothing was called since the server started. Connect a client, or <a href="#/ops">try an op</a>.
            </>
          ) : (
            `None of the last ${value.calls.length} calls failed.`
          )}
        </p>
      )}
      {failed.length > 0 && (
        <>
          <ul class="states">
            {failed.map((one) => (
              <Failed key={String(one.fields["trace_id"])} call={one} />
            ))}
          </ul>
          <p>
            <a href={callsAddress({ outcome: "failed" })}>All failed calls</a>
          </p>
        </>
      )}
    </section>
  );
}

const Failed = ({ call: { at, span, error_type: error = "failed" } }: { readonly call: SpanTree }) => (
  <li>
    <span>
      <time dateTime={new Date(at).toISOString()}>{clockTime(at)}</time> <code>{span}</code>
    </span>{" "}
    <span class="kind danger">{error}</span>
  </li>
);
