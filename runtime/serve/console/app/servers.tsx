/** Screen of the upstream servers: their state, and which of their tools the lock blocks. */

import type { SeenServer } from "../../../gateway/console-data.js";
import { api } from "./api.js";
import { usePolled } from "./polled.js";
import { Failure, Loading, Prose } from "./text.js";

const EVERY_MS = 5000;

/** The screen. */
export function Servers() {
  const { value, fault } = usePolled(api.servers, EVERY_MS);
  return (
    <>
      <h1>Servers</h1>
      {fault !== "" && <Failure text={fault} />}
      {!value && fault === "" && <Loading />}
      {value?.servers.length === 0 && <p>No server stands behind this one.</p>}
      <ul class="tiles">
        {value?.servers.map((server) => (
          <li key={server.name} class="card">
            <Server server={server} />
          </li>
        ))}
      </ul>
    </>
  );
}

const KINDS: Readonly<Record<string, string>> = { connected: "read", disconnected: "danger" };

const Server = ({ server }: { readonly server: SeenServer }) => (
  <>
    <h2>
      {server.name} <span class={`kind ${KINDS[server.state] ?? ""}`}>{server.state}</span>
    </h2>
    {server.state === "idle" && <p class="quiet">It is started by the first call.</p>}
    {server.error && <Prose text={`Last error: ${server.error}`} />}
    {server.remedy && <Prose text={`To do: ${server.remedy}`} />}
    {server.retry_ms !== undefined && (
      <p class="quiet">Tried again within {Math.max(1, Math.ceil(server.retry_ms / 1000))} s.</p>
    )}
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
