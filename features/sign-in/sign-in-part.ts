/** Sign-in as the core uses it: its settings, their warnings, and what is loaded for requests and logins. */

import type { SignInPart } from "../../runtime/gateway/sign-in-part.js";
import { oauthSettingsOf, resourceClaims } from "./oauth-settings.js";
import { oauthEntry } from "./settings.js";
import { loggedInUser } from "./user-logins.js";
import { patternsInGrants, uselessEntries } from "./warnings.js";

/** Sign-in through identity providers. */
export const SIGN_IN_PART: SignInPart = {
  settingsOf(access, placeOf) {
    const oauth = oauthSettingsOf(oauthEntry(access), placeOf);
    return (
      oauth && {
        own: oauth,
        resource: oauth.resource,
        metadata: resourceClaims(oauth),
        proof: "a token of an issuer of access.oauth",
        checkHeader: async (say) => (await import("./users.js")).headerCheck(oauth, say),
        loggedIn: (login) => loggedInUser(login, oauth),
      }
    );
  },
  lackOfTokens: (issuer, access) =>
    (oauthEntry(access).issuers ?? []).some((one) => one.issuer === issuer || one.issuer?.includes("${"))
      ? undefined
      : "add that issuer to access.oauth.issuers, or no caller has one",
  patternsIn: patternsInGrants,
  warningsOf: uselessEntries,
  loginRoutes: async (server) => (await import("./login-routes.js")).loginRoutesOf(server),
};
