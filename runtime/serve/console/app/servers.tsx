/** Screen of the upstream servers: their state, and which of their tools the lock blocks. Those that need someone come first. */

import { useState } from "preact/hooks";
import { visibleLines, visibleText } from "../../../contract/message-text.js";
import type { SeenFault, SeenServer } from "../../../gateway/console-data.js";
import { api } from "./api.js";
import { CodeFrame, CopyButton } from "./code.js";
import type { CallerIndex } from "./listed-ops.js";
import { Breakable } from "./names.js";
import { usePolled } from "./polled.js";
import { byTrouble, SERVER_STATES } from "./server-order.js";
import { At, FailureNotice, Loading, Prose } from "./text.js";
import { useWork } from "./work.js";

const EVERY_MS = 5000;
/** Servers from which on there is a filter. */
const MANY = 10;

/** The screen. */
export function Servers({ caller }: Pick<CallerIndex, "caller">) {
  const { value, fault } = usePolled(api.servers, EVERY_MS);
  const [words, setWords] = useState("");
  const { administers: mayRestart = false } = caller;
  const servers = value?.servers ?? [];
  const shown = byTrouble(servers).filter(({ name }) => name.toLowerCase().includes(words.trim().toLowerCase()));
  return (
    <>
      <h1>Servers</h1>
      {fault !== "" && <FailureNotice text={fault} />}
      {!value && fault === "" && <Loading />}
      {value && servers.length === 0 && <NoServer />}
      {servers.length > 0 && <p class="quiet">{counted(servers)}</p>}
      {servers.length >= MANY && (
        <p class="field filter-servers">
          <label for="server-filter">Filter by name</label>
          <input
            id="server-filter"
            type="search"
            value={words}
            spellcheck={false}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </p>
      )}
      {servers.length > 0 && shown.length === 0 && <p>No server has this in its name.</p>}
      <ul class="servers">
        {shown.map((server) => (
          <li key={server.name} class="server">
            <Server server={server} mayRestart={mayRestart} />
          </li>
        ))}
      </ul>
    </>
  );
}

const NoServer = () => (
  <>
    <p>No server stands behind this one.</p>
    <p>
      The tools of an MCP server become ops here. Add one on the command line: <code>toolwright add NAME URL</code>{" "}
      <CopyButton text="toolwright add NAME URL" what="the command" />
    </p>
  </>
);

/** `63 servers: 1 disconnected, 62 idle`. */
function counted(servers: readonly SeenServer[]): string {
  const states = SERVER_STATES.map((state) => [servers.filter((one) => one.state === state).length, state] as const);
  const shown = states.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return `${servers.length} ${servers.length === 1 ? "server" : "servers"}: ${shown.join(", ")}. An idle server is started by the first call.`;
}

const KINDS: Readonly<Record<string, string>> = { connected: "read", disconnected: "danger" };

interface ServerProps {
  readonly server: SeenServer;
  readonly mayRestart: boolean;
}

const Server = ({ server, mayRestart }: ServerProps) => (
  <>
    <h2>
      <Breakable text={server.name} /> <span class={`kind ${KINDS[server.state] ?? ""}`}>{server.state}</span>
    </h2>
    <div class="about">
      <p class="quiet">
        {server.tools} {server.tools === 1 ? "tool" : "tools"}
        {server.version !== undefined && server.version !== "" && ` · version ${server.version}`}
      </p>
      {server.address !== undefined && (
        <code class="address" title={server.address}>
          {server.address}
        </code>
      )}
    </div>
    {mayRestart ? <Restart server={server} /> : <span />}
    <Trouble server={server} mayRestart={mayRestart} />
  </>
);

/** What the latest reading on a schedule found. */
function Drift({ drift, command }: { readonly drift: SeenServer["drift"]; readonly command: string }) {
  if (drift === undefined) return null;
  const { checked_at, findings } = drift;
  const at = <At time={checked_at} />;
  if (findings.length === 0) return <p class="quiet">Matches its snapshot, read {at}.</p>;
  return (
    <>
      <h3>Differs from its snapshot</h3>
      <p class="quiet">
        Read {at}. To review it: <code>{command} --check</code>{" "}
        <CopyButton text={`${command} --check`} what="the command" />
      </p>
      <ul>
        {findings.map(({ level, text }) => (
          <li key={text}>
            <code>{level}</code> <Prose text={text} />
          </li>
        ))}
      </ul>
    </>
  );
}

interface LastFaultProps {
  readonly name: string;
  readonly fault: SeenFault;
  /** Whether its message stands above. */
  readonly isShown: boolean;
}

/** The last failure of a server, which may be connected again, with what it wrote to its standard error. */
function LastFault({ name, fault: { message, at, stderr }, isShown }: LastFaultProps) {
  const time = <At time={new Date(at).toISOString()} />;
  return (
    <>
      {isShown ? (
        <p class="quiet">Failed {time}.</p>
      ) : (
        <p>
          Last failed {time}: {visibleText(message)}.
        </p>
      )}
      {stderr.length > 0 && (
        <>
          <h3>Last lines of its standard error</h3>
          <CodeFrame text={visibleLines(stderr.join("\n"))} label={`standard error of ${name}`} wraps />
        </>
      )}
    </>
  );
}

/** Why a server is not connected, and what to do; how its tools differ, and those that the lock refuses. */
function Trouble({ server, mayRestart }: ServerProps) {
  const { name, tools, error, remedy, retry_ms: wait, refused, drift, sign_in: mustSignIn } = server;
  const command = `toolwright snapshot ${name}`;
  return (
    <div class="more">
      {mustSignIn && (
        <p class="failure">
          Someone has to sign in at this server. On the machine, this opens a browser: <code>{command}</code>{" "}
          <CopyButton text={command} what="the command" />
        </p>
      )}
      {tools === 0 && mayRestart && !mustSignIn && (
        <p>
          None of its tools is an op here. To take them over, run <code>{command}</code>{" "}
          <CopyButton text={command} what="the command" /> and <code>toolwright generate</code>.
        </p>
      )}
      {error && <Prose text={`Last error: ${error}`} />}
      {remedy && <Prose text={`To do: ${remedy}`} />}
      {wait !== undefined && <p class="quiet">Tried again within {Math.max(1, Math.ceil(wait / 1000))} s.</p>}
      {server.fault && <LastFault name={name} fault={server.fault} isShown={server.fault.message === error} />}
      <Drift drift={drift} command={command} />
      {refused.length > 0 && (
        <>
          <h3>Refused by the lock</h3>
          <ul>
            {refused.map(({ op, findings }) => (
              <li key={op}>
                <code>{op}</code>
                <ul>
                  {findings.map(({ rule, message }) => (
                    <li key={`${rule} ${message}`}>
                      <code>{rule}</code> <Prose text={message} />
                    </li>
                  ))}
                </ul>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

function Restart({ server: { name, state } }: Pick<ServerProps, "server">) {
  const work = useWork();
  const restart = (): void =>
    work.start(async () => {
      const { ok, message } = await api.restart(name);
      if (!ok) throw new Error(message ?? "The server cannot be connected.");
    });
  const text = state === "connected" ? "Restart" : "Connect";
  return (
    <div>
      <button type="button" aria-label={`${text} ${name}`} disabled={work.stop !== undefined} onClick={restart}>
        {work.stop ? "Connecting…" : text}
      </button>
      {work.fault !== "" && <FailureNotice text={work.fault} />}
    </div>
  );
}
