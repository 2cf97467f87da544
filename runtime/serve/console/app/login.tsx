/** The login form. A key is exchanged for a cookie that scripts cannot read, and is not stored elsewhere. */

import { useEffect, useRef, useState } from "preact/hooks";
import { messageOf } from "../../../contract/thrown.js";
import { ApiError, api } from "./api.js";
import { Failure } from "./text.js";

interface LoginProps {
  /** Whether a login has expired. */
  readonly isAgain: boolean;
  /** Opens the console after the login. */
  readonly onDone: () => Promise<void>;
}

const NOT_KEPT = "The browser did not keep the login: from another machine the console can be used over HTTPS only.";

/** The form. */
export function Login({ isAgain, onDone }: LoginProps) {
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    document.title = "Log in · toolwright";
    input.current?.focus();
  }, []);
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
      <p>This server asks for an API key. It begins with “oub_” and was shown when it was made.</p>
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
      {fault !== "" && <Failure text={fault} />}
      <button type="submit" class="main" disabled={isBusy}>
        {isBusy ? "Logging in…" : "Log in"}
      </button>
    </form>
  );
}
