/** Error codes of authorization servers that may be shown, and what may quote a request instead. */

import { expect, test } from "vitest";
import { oauthErrorCode } from "../../../runtime/access/oauth-error.js";

test.each(["invalid_grant", "invalid_client", "server_error", "use_dpop_nonce", "a"])("%s is shown", (code) =>
  expect(oauthErrorCode(code)).toBe(code),
);

test.each([
  "e38c866e-d8b7-45ed-b37b-9c9bcc520454",
  "oub_4f6e9a436f",
  "eyJhbGciOiJub25lIn0.e30.",
  "invalid grant",
  "_invalid",
  "invalid__grant",
  "a".repeat(61),
  "",
  5,
  null,
  undefined,
])("%j is not", (value) => expect(oauthErrorCode(value)).toBeUndefined());
