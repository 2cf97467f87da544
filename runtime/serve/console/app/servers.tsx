/** Screen of the upstream servers: their state, and which of their tools the lock blocks. */

import type { SeenServer } from "../../../gateway/console-data.js";
import { api } from "./api.js";
import { Copy } from "./copy.js";
import type { Listed } from "./listed-ops.js";
import { usePolled } from "./polled.js";
import { Failure, Loading, Prose } from "./text.js";
import { useWork } from "./work.js";

const EVERY_MS = 5000;

/** The screen. */
export function Servers({ caller }: Pick<Listed, "caller">) {
  const { value, fault } = usePolled(api.servers, EVERY_MS);
  // Keys need the level admin.
  const mayRestart = caller.kind === "local" || caller.level === "admin";
  return (
    <>
      <h1>Servers</h1>
      {fault !== "" && <Failure text={fault} />}
      {!value && fault === "" && <Loading />}
      {value?.servers.length === 0 && (
        <>
          <p>No server stands behind this one.</p>
          <p>
            The tools of an MCP server become ops here. Add one on the command line:{" "}
            <code>toolwright add NAME URL</code> <Copy text="toolwright add NAME URL" what="the command" />
          </p>
        </>
      )}
      <ul class="tiles">
        {value?.servers.map((server) => (
          <li key={server.name} class="card">
            <Server server={server} mayRestart={mayRestart} />
          </li>
        ))}
      </ul>
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { connected: "read", disconnected: "danger" };

interface ServerProps {
  readonly server: SeenServer;
  readonly mayRestart: boolean;
}

const Server = ({ server, mayRestart }: ServerProps) => (
  <>
    <h2>
      {server.name} <span class={`kind ${KINDS[server.state] ?? ""}`}>{server.state}</span>
    </h2>
    <p class="quiet">
      {server.tools} {server.tools === 1 ? "tool" : "tools"}
      {server.version !== undefined && server.version !== "" && ` · version ${server.version}`}
    </p>
    {server.address !== undefined && (
      <p>
        <code>{server.address}</code>
      </p>
    )}
    {server.sign_in && <p class="failure">Someone has to sign in at this server.</p>}
    {server.state === "idle" && <p class="quiet">It is started by the first call.</p>}
    {server.error && <Prose text={`Last error: ${server.error}`} />}
    {server.remedy && <Prose text={`To do: ${server.remedy}`} />}
    {server.retry_ms !== undefined && (
      <p class="quiet">Tried again within {Math.max(1, Math.ceil(server.retry_ms / 1000))} s.</p>
    )}
    {mayRestart && <Restart server={server} />}
    {server.refused.length > 0 && (
      <>
        <h3>Refused by the lock</h3>
        <ul>
          {server.refused.map(({ op, findings }) => (
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
  </>
);

function Restart({ server: { name, state } }: Pick<ServerProps, "server">) {
  const work = useWork();
  const restart = (): void =>
    work.start(async () => {
      const { ok, message } = await api.restart(name);
      if (!ok) throw new Error(message ?? "The server cannot be connected.");
    });
  const text = state === "connected" ? "Restart" : "Connect";
  return (
    <>
      <p class="buttons">
        <button type="button" aria-label={`${text} ${name}`} disabled={work.stop !== undefined} onClick={restart}>
          {work.stop ? "Connecting…" : text}
        </button>
      </p>
      {work.fault !== "" && <Failure text={work.fault} />}
    </>
  );
}
