/** Connections that exchange the tokens of callers: refused where no caller has a token of their issuer. */

import { expect, test } from "vitest";
import { type ConnectionsConfig, connectionPartsOf } from "../../../runtime/config/connection-settings.js";
import { SIGN_IN_PART } from "../sign-in-part.js";

const ISSUER = "https://id.example.com";

/** Reads a connection that exchanges tokens of {@link ISSUER}, where callers have those of other issuers. */
function read(...issuers: readonly string[]) {
  const client = { id: "a", secret: "b" };
  const auth = { mode: "token_exchange", issuer: ISSUER, client } as const;
  const access: object = { oauth: { issuers: issuers.map((issuer) => ({ issuer, grants: [] })) } };
  const config: ConnectionsConfig = {
    sources: [],
    servers: { hub: { url: "https://hub.example.com/mcp", auth } },
    access,
  };
  return connectionPartsOf(config, {}, () => "toolwright.yaml:1:1", SIGN_IN_PART);
}

test("the issuer is one of access.oauth, or a variable that may stand for it", () => {
  expect(read("https://other.example.com", ISSUER)?.settings.size).toBe(1);
  expect(read(`$${"{ISSUER}"}`)?.settings.size).toBe(1);
});

test.each([[[]], [["https://other.example.com"]]])("callers with tokens of %j have none to exchange", (issuers) => {
  expect(() => read(...issuers)).toThrow(
    `toolwright.yaml:1:1 servers.hub.auth exchanges the tokens of callers at ${ISSUER}: add that issuer to access.oauth.issuers, or no caller has one`,
  );
});
