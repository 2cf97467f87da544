/** Screen of the configuration: aliases, hidden ops, pinned policies and servers. Each change is shown as a diff before it is written. */

import { useEffect, useState } from "preact/hooks";
import type { ConfigChange, ConfigView } from "../../../contract/config-change.js";
import { messageOf } from "../../../contract/thrown.js";
import { api } from "./api.js";
import { CopyButton } from "./code.js";
import { OPS, type SectionProps, TextField } from "./config-fields.js";
import { Review } from "./config-review.js";
import type { CallerIndex } from "./listed-ops.js";
import { OpName } from "./names.js";
import { Policies } from "./policies.js";
import { FailureNotice, Loading } from "./text.js";

interface ConfigurationProps {
  readonly listed: CallerIndex;
  /** `op`: the op to fill in. */
  readonly query: URLSearchParams;
  /** Called after a change is served. */
  readonly onWritten: () => void;
}

/** The screen. */
export function ConfigurationScreen({ listed, query, onWritten }: ConfigurationProps) {
  const [view, setView] = useState<ConfigView>();
  const [fault, setFault] = useState("");
  const [change, setChange] = useState<ConfigChange>();
  const [said, setSaid] = useState("");
  const load = (): void => void api.config().then(setView, (error: unknown) => setFault(messageOf(error)));
  useEffect(load, []);
  const op = query.get("op") ?? "";
  const section = view && { view, op, onChange: setChange };
  return (
    <>
      <h1>Configuration</h1>
      <p class="lead">
        What people change most in <code>{view?.file ?? "definitions/toolwright.yaml"}</code>. You see each change as a
        diff before it is written; comments and layout stay. Then the project is generated and served anew.
      </p>
      {fault !== "" && <FailureNotice text={fault} />}
      <p role="status" class={said === "" ? "off-screen" : "success"}>
        {said}
      </p>
      {!view && fault === "" && <Loading />}
      <datalist id={OPS}>
        {[...listed.ops.keys()].map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {section && (
        <div class="settings" key={JSON.stringify(view)}>
          <Aliases {...section} />
          <Hidden {...section} />
          <Policies {...section} />
          <Servers {...section} />
        </div>
      )}
      {change && (
        <Review
          change={change}
          onClose={() => setChange(undefined)}
          onWritten={(ops) => {
            setChange(undefined);
            setSaid(`Written. ${ops.toLocaleString("en")} ops are served.`);
            load();
            onWritten();
          }}
        />
      )}
    </>
  );
}

/** A form of one line, whose button is on while all its fields are filled. */
const Form = ({
  text,
  isReady,
  onSubmit,
  children,
}: {
  readonly text: string;
  readonly isReady: boolean;
  readonly onSubmit: () => void;
  readonly children: preact.ComponentChildren;
}) => (
  <form
    class="one-line"
    onSubmit={(event) => {
      event.preventDefault();
      if (isReady) onSubmit();
    }}
  >
    {children}
    <button type="submit" disabled={!isReady}>
      {text}
    </button>
  </form>
);

function Aliases({ view: { aliases }, op, onChange }: SectionProps) {
  const [name, setName] = useState("");
  const [target, setTarget] = useState(op);
  return (
    <section class="card">
      <h2>Aliases</h2>
      <p class="quiet">Short names for ops in programs.</p>
      <ul class="entries">
        {aliases.map((one) => (
          <li key={one.name}>
            <span>
              <code>{one.name}</code> <span class="quiet">stands for</span> <OpName text={one.target} />
            </span>
            <button
              type="button"
              aria-label={`Remove the alias ${one.name}`}
              onClick={() => onChange({ kind: "alias", name: one.name, target: null })}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <Form
        text="Add alias"
        isReady={name.trim() !== "" && target.trim() !== ""}
        onSubmit={() => onChange({ kind: "alias", name: name.trim(), target: target.trim() })}
      >
        <TextField id="alias-name" label="Alias" value={name} placeholder="ws" isShort onText={setName} />
        <TextField id="alias-target" label="Op of the alias" value={target} isOp onText={setTarget} />
      </Form>
    </section>
  );
}

function Hidden({ view: { hidden }, op: given, onChange }: SectionProps) {
  const [op, setOp] = useState(given);
  return (
    <section class="card">
      <h2>Hidden ops</h2>
      <p class="quiet">They are left out of lists and help, and can still be called.</p>
      <ul class="entries">
        {hidden.map((one) => (
          <li key={one}>
            <OpName text={one} />
            <button
              type="button"
              aria-label={`Show ${one}`}
              onClick={() => onChange({ kind: "hidden", op: one, hidden: false })}
            >
              Show
            </button>
          </li>
        ))}
      </ul>
      <Form
        text="Hide op"
        isReady={op.trim() !== ""}
        onSubmit={() => onChange({ kind: "hidden", op: op.trim(), hidden: true })}
      >
        <TextField id="hidden-op" label="Op to hide" value={op} isOp onText={setOp} />
      </Form>
    </section>
  );
}

function Servers({ view: { servers }, onChange }: SectionProps) {
  const [name, setName] = useState("");
  const [url, setUrl] = useState("");
  return (
    <section class="card">
      <h2>Servers</h2>
      <p class="quiet">
        A server that is started by a command, or takes a secret, is added on the machine:{" "}
        <code>toolwright add NAME COMMAND</code> <CopyButton text="toolwright add NAME COMMAND" what="the command" />
      </p>
      <ul class="entries">
        {servers.map((one) => (
          <li key={one.name}>
            <span class="named">
              <strong>{one.name}</strong> {!one.enabled && <span class="kind">off</span>}
              <code class="quiet address" title={one.address}>
                {one.address}
              </code>
            </span>
            <span class="buttons">
              <button
                type="button"
                aria-label={`Switch ${one.enabled ? "off" : "on"} ${one.name}`}
                onClick={() => onChange({ kind: "enabled", name: one.name, enabled: !one.enabled })}
              >
                Switch {one.enabled ? "off" : "on"}
              </button>
              <button
                type="button"
                aria-label={`Remove the server ${one.name}`}
                onClick={() => onChange({ kind: "server", name: one.name, url: null })}
              >
                Remove
              </button>
            </span>
          </li>
        ))}
      </ul>
      <Form
        text="Add server"
        isReady={name.trim() !== "" && url.trim() !== ""}
        onSubmit={() => onChange({ kind: "server", name: name.trim(), url: url.trim() })}
      >
        <TextField id="server-name" label="Name" value={name} placeholder="docs" isShort onText={setName} />
        <TextField id="server-url" label="URL" value={url} placeholder="https://example.com/mcp" onText={setUrl} />
      </Form>
    </section>
  );
}
