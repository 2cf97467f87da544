/** Screen of the caller's connections to servers and APIs: where it signs in, and ends what it has signed in to. */

import type { ListedConnection } from "../../../connections/rows.js";
import type { ShownConnection } from "../../../connections/sign-ins.js";
import type { NamesById } from "../../../gateway/console-data.js";
import type { SignInOutcome } from "../connections.js";
import { ApiError, api } from "./api.js";
import { Breakable, Who } from "./names.js";
import { usePolled } from "./polled.js";
import { At, FailureNotice, Loading } from "./text.js";
import { useWork } from "./work.js";

const EVERY_MS = 5000;

/** What the screen shows; without connections in the configuration there are none. */
const ask = () =>
  api.connections().catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 404) return { connections: [] };
    throw error;
  });

/** How a sign-in ended from which the browser comes back. */
const OUTCOMES: Readonly<Record<SignInOutcome, (name: string) => string>> = {
  connected: (name) => `Connected to ${name}. If a client asked you to sign in, go back to it.`,
  cancelled: (name) => `The sign-in at ${name} was cancelled. Nothing was connected.`,
  refused: (name) => `The sign-in at ${name} was refused. Nothing was connected; the log of the server says why.`,
};

interface ConnectionsProps {
  /** The connection that a link asks for, which comes first. */
  readonly name: string;
  /** The word in the address after a sign-in, which may be any text. */
  readonly outcome: string;
}

/** The screen. */
export function ConnectionsScreen({ name, outcome }: ConnectionsProps) {
  const { value, fault, again } = usePolled(ask, EVERY_MS);
  const shown = [...(value?.connections ?? [])].sort((a, b) => Number(b.name === name) - Number(a.name === name));
  return (
    <>
      <h1>Your connections</h1>
      {fault !== "" && <FailureNotice text={fault} />}
      {value?.connections.some((one) => one.name === name) && <Ended name={name} outcome={outcome} />}
      {!value && fault === "" && <Loading />}
      {value && shown.length === 0 && <p>No server or API takes a sign-in.</p>}
      <ul class="servers">
        {shown.map((one) => (
          <li key={one.name} class="server">
            <Connection connection={one} onChange={again} />
          </li>
        ))}
      </ul>
      {value && "all" in value && value.all && <Others all={value.all} names={value.names} onChange={again} />}
    </>
  );
}

/** Only for a connection that there is: nobody else's address writes a text here. */
function Ended({ name, outcome }: ConnectionsProps) {
  if (!Object.hasOwn(OUTCOMES, outcome)) return null;
  const text = OUTCOMES[outcome as SignInOutcome](name);
  return outcome === "connected" ? <p role="status">{text}</p> : <FailureNotice text={text} />;
}

const MODES: Readonly<Record<ShownConnection["mode"], string>> = {
  client_credentials: "as this server: no sign-in is needed",
  shared: "with one account for all callers",
  per_user: "with your own account",
  token_exchange: "with a token exchanged for yours: no sign-in is needed",
};

const stateOf = (isThere: boolean, lacks: ShownConnection["lacks"]): string => {
  if (lacks === "token") return "not for calls from here";
  return isThere ? "connected" : "not connected";
};

/** Why calls fail although a sign-in is of no use. */
const LACKS: Readonly<Record<NonNullable<ShownConnection["lacks"]>, string>> = {
  token:
    "A call from this page has no access token that could be exchanged, and fails: the console keeps none of your login. Call it over HTTP with an access token of the issuer.",
  key: "What is stored cannot be opened: the operator of this server must correct state_encryption. Do not sign in again.",
};

interface ConnectionProps {
  readonly connection: ShownConnection;
  readonly onChange: () => void;
}

function Connection({ connection, onChange }: ConnectionProps) {
  const { name, mode, issuer, since, asks, lacks, redirects, may_connect: mayConnect } = connection;
  const kind = mode === "shared" ? "shared" : "own";
  const isUsed = mode === "client_credentials" || (mode === "token_exchange" && lacks === undefined);
  const isThere = since !== undefined || isUsed;
  return (
    <>
      <h2>
        <Breakable text={name} /> <span class={`kind ${isThere ? "read" : ""}`}>{stateOf(isThere, lacks)}</span>
      </h2>
      <div class="about">
        <p class="quiet">
          Called {MODES[mode]}.{" "}
          {since !== undefined && (
            <>
              Since <At time={since} />.
            </>
          )}
        </p>
        {lacks === "key" && <FailureNotice text={LACKS.key} />}
        {lacks === "token" && <p>{LACKS.token}</p>}
        {asks !== undefined && (
          <p>
            It asks for more than is allowed so far: <code>{asks}</code>. Sign in again to allow it.
          </p>
        )}
        <code class="address">{issuer}</code>
        {redirects && <Redirects all={redirects} />}
      </div>
      {mayConnect ? <Buttons name={name} kind={kind} isThere={since !== undefined} onChange={onChange} /> : <span />}
    </>
  );
}

/** What an admin registers at the issuer. */
function Redirects({ all: [shared, own] }: { readonly all: readonly string[] }) {
  return (
    <details>
      <summary>Redirect URI to register</summary>
      <p>
        <code>{shared}</code> where the issuer names itself in its answers (RFC 9207), else <code>{own}</code>. Register
        both if you are not sure; <code>toolwright doctor</code> says which one is used.
      </p>
    </details>
  );
}

interface ButtonsProps extends Pick<ConnectionProps, "onChange"> {
  readonly name: string;
  readonly kind: "shared" | "own";
  readonly isThere: boolean;
}

function Buttons({ name, kind, isThere, onChange }: ButtonsProps) {
  const work = useWork();
  const connect = (): void =>
    work.start(async () => {
      const { url } = await api.startConnection(name);
      location.assign(url);
    });
  const end = (): void =>
    work.start(async () => {
      await api.revokeConnection({ name, kind });
      onChange();
    });
  const isBusy = work.stop !== undefined;
  return (
    <div class="does">
      <button
        type="button"
        aria-label={`${isThere ? "Sign in again at" : "Connect"} ${name}`}
        disabled={isBusy}
        onClick={connect}
      >
        {isThere ? "Sign in again" : "Connect"}
      </button>
      {isThere && (
        <button type="button" aria-label={`Disconnect ${name}`} disabled={isBusy} onClick={end}>
          Disconnect
        </button>
      )}
      {work.fault !== "" && <FailureNotice text={work.fault} />}
    </div>
  );
}

interface OthersProps extends Pick<ConnectionProps, "onChange"> {
  readonly all: readonly ListedConnection[];
  readonly names: NamesById | undefined;
}

/** Connections of all callers, for admins: that they are there, and never what they hold. */
function Others({ all, names, onChange }: OthersProps) {
  const work = useWork();
  const end = ({ server: name, kind, principal }: ListedConnection): void =>
    work.start(async () => {
      await api.revokeConnection({ name, kind, principal });
      onChange();
    });
  if (all.length === 0) return null;
  return (
    <>
      <h2>Connections of all callers</h2>
      {work.fault !== "" && <FailureNotice text={work.fault} />}
      <ul class="servers">
        {all.map((one) => (
          <li key={`${one.kind} ${one.principal} ${one.server} ${one.issuer}`} class="server">
            <h3>
              <Breakable text={one.server} />
            </h3>
            <div class="about">
              {one.kind === "shared" ? "all callers" : <Who id={one.principal} names={names} hasId />}
              <p class="quiet">
                Since <At time={one.created_at} />.
              </p>
            </div>
            <button
              type="button"
              aria-label={`End the connection of ${one.principal || "all callers"} to ${one.server}`}
              onClick={() => end(one)}
            >
              End
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
