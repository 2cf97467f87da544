/** The key `access.oauth`. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import { ACCESS_LEVELS } from "../../runtime/contract/settings/parts.js";
import * as s from "../../runtime/contract/settings/setting.js";

const OAUTH = s.group(
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
);

/** All keys. */
export const SIGN_IN_SETTINGS: readonly FeatureSetting[] = [{ key: "access.oauth", setting: OAUTH }];

/** `access.oauth`. */
export type OauthEntry = NonNullable<s.Written<typeof OAUTH>>;
/** An entry of `access.oauth.issuers`. */
export type IssuerEntry = NonNullable<OauthEntry["issuers"]>[number];

/** `access.oauth` of a configuration, which was checked when the file was read, with its default. */
export const oauthEntry = (access: object = {}): OauthEntry => (access as { readonly oauth?: OauthEntry }).oauth ?? {};
