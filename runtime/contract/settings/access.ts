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
      oauth: s.group(
        "Sign-in with tokens of identity providers.",
        {
          resource: s.filled("URL of the endpoint, which tokens must name as their audience."),
          issuers: s.list(
            s.entry({
              issuer: s.required(s.filled("URL as in the claim iss.")),
              tokens: s.choice(["jwt", "introspection"], "How tokens are checked (default: jwt)."),
              introspection: s.group("With tokens: introspection.", {
                client_id: s.required(s.filled("Client that asks the provider.")),
                client_secret: s.required(s.secret(s.filled("Its secret, such as ${NAME}."))),
                cache: s.filled("How long an answer is kept (default: 30s, at most 1h)."),
              }),
              algorithms: s.list(s.filled(), "Accepted signatures (default: ES256, RS256)."),
              clock_skew: s.filled("Tolerated difference of clocks (default: 30s, at most 5m)."),
              jwks: s.group("Keys of the provider.", {
                cache: s.filled("How long they are kept (default: 5m, at most 24h)."),
                cooldown: s.filled("Least time between two requests for an unknown key (default: 30s, at most 1h)."),
              }),
              principal: s.filled("Id of a user (default: {iss}|{sub})."),
              scopes_supported: s.list(s.filled(), "Scopes that clients are told of."),
              login: s.group("The client as which people log in at the console.", {
                client_id: s.required(s.filled("Its id at the provider.")),
                client_secret: s.secret(s.filled("Its secret, such as ${NAME}; absent for a public client.")),
                label: s.filled("What the button says after Log in with (default: the host of the issuer)."),
                scopes: s.list(s.filled(), "Scopes asked for beside openid (default: scopes_supported)."),
              }),
              grants: s.required(
                s.list(
                  s.entry({
                    when: s.required(s.map(s.filled(), "Claims and their values, which all must match.")),
                    level: s.required(s.choice(ACCESS_LEVELS, "Access level.")),
                    projects: s.list(s.filled(), "Projects (default: all)."),
                    packs: s.list(s.filled(), "Patterns of packs (default: all)."),
                    ops: s.list(s.filled(), "Patterns of ops (default: all)."),
                  }),
                  "What users may do: the union of what matches.",
                ),
              ),
            }),
            "Identity providers.",
          ),
        },
        {},
      ),
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
