/** Where a person shows a key. It is exchanged for a cookie that no script can read, and kept nowhere else. */

import { useState } from "preact/hooks";
import { api } from "./api.js";
import { Failure, messageOf } from "./text.js";

/** The form. */
export function Login({ onDone }: { readonly onDone: () => void }) {
  const [fault, setFault] = useState("");
  const [isBusy, setBusy] = useState(false);
  const enter = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    setBusy(true);
    try {
      await api.login(String(new FormData(form).get("key")).trim());
      form.reset();
      onDone();
    } catch (error) {
      setFault(messageOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="card login" onSubmit={enter}>
      <h1>Log in</h1>
      <p>This server asks for an API key. It begins with “oub_” and was shown when it was made.</p>
      <label for="key">API key</label>
      <input id="key" name="key" type="password" autocomplete="off" required spellcheck={false} />
      {fault !== "" && <Failure text={fault} />}
      <button type="submit" class="main" disabled={isBusy}>
        Log in
      </button>
    </form>
  );
}
