/** Who may call, and where secrets and encryption keys are. */

import { ACCESS_LEVELS } from "./parts.js";
import * as s from "./setting.js";

/** Keys about callers, secrets and encryption. */
export const ACCESS_SETTINGS = {
  access: s.expanded(
    s.group("Who may do what without a key.", {
      allow_write: s.flag("Whether ops of the kind write run.", false),
      local: s.choice(ACCESS_LEVELS, "Access level of local callers without a key.", "write"),
      http: s.choice(["auto", "keys", "none"], "Whether HTTP needs keys: auto needs them off loopback.", "auto"),
      rate: s.group("Calls a key may make.", {
        burst: s.integer([0], "Calls at once.", 20),
        per_second: s.amount("Further calls each second.", 10),
      }),
    }),
  ),
  secrets: s.group("Where ${NAME} and the secrets of handlers are looked up.", {
    from: s.list(s.filled(), "Places in order: env, file (.onetool/secrets.yaml), dir: FOLDER, exec: PROGRAM {name}.", [
      "env",
      "file",
    ]),
    names: s.list(s.filled(), "Secrets of handlers that a server has a program tell at its start.", []),
  }),
  state_encryption: s.expanded(
    s.group("Keys that encrypt tokens, and the answers of writes with idempotency keys, in the state database.", {
      keys: s.list(
        s.entry({
          id: s.required(s.filled("Name of the key.")),
          from: s.required(s.secret(s.filled("32 bytes in base64 or hex, such as ${NAME}."))),
        }),
        "The first encrypts, all decrypt.",
        [],
      ),
    }),
  ),
};
