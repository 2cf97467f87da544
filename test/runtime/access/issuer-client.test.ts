/** What is said of an identity provider that is away. */

import { expect, test } from "vitest";
import { tokenCheck } from "../../../runtime/access/token-check.js";
import { oauthSettingsOf } from "../../../runtime/config/oauth-settings.js";
import { RESOURCE, startIssuer } from "../../support/issuer.js";

test("the failure holds, for the log, what happened to the connection", async () => {
  const provider = await startIssuer();
  provider.state.metadata = { jwks_uri: "http://127.0.0.1:9/jwks" };
  const issuers = [{ issuer: provider.issuer, grants: [{ when: { scope: "mcp:read" }, level: "read" as const }] }];
  const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "toolwright.yaml");
  if (!settings) throw new Error("access.oauth is configured");
  const failure = await tokenCheck(settings)(await provider.sign()).catch((error: Error) => error);
  expect(failure).toMatchObject({ code: "UNAVAILABLE" });
  expect(String((failure as Error).cause)).toMatch(/ECONNREFUSED|bad port/);
});
