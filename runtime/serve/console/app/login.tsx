/**
 * The login form: by an API key, or through an identity provider. A key is exchanged for a cookie that scripts cannot
 * read, and is not stored elsewhere.
 */

import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";
import type { LoginFault, LoginWays } from "../login-ways.js";
import { ApiError, api } from "./api.js";
import { FailureNotice } from "./text.js";

interface LoginProps {
  /** Whether a login has expired. */
  readonly isAgain: boolean;
  /** Opens the console after the login. */
  readonly onDone: () => Promise<void>;
}

const NOT_KEPT = "The browser did not keep the login: from another machine the console can be used over HTTPS only.";

/** Texts for the words in the address to which a provider leads back. */
const FAULTS: Readonly<Record<LoginFault, string>> = {
  elsewhere: "This login was begun in another browser or tab, was finished before, or took too long. Try again.",
  cancelled: "The login was cancelled at the identity provider.",
  refused: "The identity provider’s answer was not accepted. The log of the server says why.",
  ungranted: "You are signed in, but this server grants you nothing. Ask who runs it.",
  away: "The identity provider or the database cannot be reached. Try again later.",
  busy: "Too many calls. Wait a moment, and try again.",
};

/** Reads why the provider led back without a login, and takes it out of the address. */
function takeFault(): string {
  const query = new URLSearchParams(location.search);
  const word = query.get("login");
  if (word === null) return "";
  history.replaceState(null, "", `${location.pathname}${location.hash}`);
  return Object.hasOwn(FAULTS, word) ? FAULTS[word as LoginFault] : "";
}

/** The form. */
export function LoginForm({ isAgain, onDone }: LoginProps) {
  const [fault, setFault] = useState("");
  const [providerFault, setProviderFault] = useState(takeFault);
  const [isBusy, setBusy] = useState(false);
  const issuers = useIssuers();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Log in · toolwright";
    input.current?.focus();
  }, []);
  const leave = async (issuer: string): Promise<void> => {
    setBusy(true);
    setProviderFault("");
    try {
      location.assign((await api.begin(issuer)).url);
    } catch (error) {
      setProviderFault(messageOf(error));
      setBusy(false);
    }
  };
  const enter = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    setFault("");
    try {
      await api.login(input.current?.value.trim() ?? "");
      await onDone().catch((error: unknown) => {
        throw error instanceof ApiError && error.status === 401 ? new Error(NOT_KEPT) : error;
      });
    } catch (error) {
      setFault(messageOf(error));
      input.current?.select();
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="card login" onSubmit={enter}>
      <h1>Log in{isAgain ? " again" : ""}</h1>
      {isAgain && <p>Your login has ended. What you were at is kept.</p>}
      {providerFault !== "" && <FailureNotice text={providerFault} />}
      {issuers.length > 0 && <Providers issuers={issuers} isAgain={isAgain} isBusy={isBusy} onLeave={leave} />}
      <p>
        {issuers.length > 0 ? "Or use an API key." : "This server asks for an API key."} It begins with “oub_” and was
        shown when it was made.
      </p>
      <label for="key">API key</label>
      <input
        id="key"
        ref={input}
        type="password"
        autocomplete="off"
        required
        spellcheck={false}
        aria-invalid={fault !== ""}
      />
      {fault !== "" && <FailureNotice text={fault} />}
      <button type="submit" class={issuers.length > 0 ? "" : "main"} disabled={isBusy}>
        {isBusy ? "Logging in…" : "Log in"}
      </button>
    </form>
  );
}

interface ProvidersProps {
  readonly issuers: LoginWays["issuers"];
  readonly isAgain: boolean;
  readonly isBusy: boolean;
  readonly onLeave: (issuer: string) => Promise<void>;
}

/** A button for each identity provider. */
const Providers = ({ issuers, isAgain, isBusy, onLeave }: ProvidersProps) => (
  <div class="providers">
    {issuers.map(({ issuer, label }) => (
      <button key={issuer} type="button" class="main" disabled={isBusy} onClick={() => void onLeave(issuer)}>
        Log in with {label}
      </button>
    ))}
    {isAgain && <p class="quiet">The provider’s page replaces this one: what you have typed and not sent is lost.</p>}
  </div>
);

/** The identity providers; none until they are known, since a key works without them. */
function useIssuers(): LoginWays["issuers"] {
  const [issuers, setIssuers] = useState<LoginWays["issuers"]>([]);
  useEffect(() => {
    api.ways().then(
      (ways) => setIssuers(ways.issuers),
      () => undefined,
    );
  }, []);
  return issuers;
}
