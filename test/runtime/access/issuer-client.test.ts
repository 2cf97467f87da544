/** Addresses in the metadata of an issuer. */

import { expect, test } from "vitest";
import { issuerEndpoint } from "../../../runtime/access/issuer-client.js";

test.each(["file:///etc/passwd", "javascript:alert(1)", "data:,x", "ftp://127.0.0.1/x"])(
  "an address of another scheme is named by it: %s",
  async (url) => {
    const { protocol } = new URL(url);
    expect(() => issuerEndpoint({ jwks_uri: url }, "jwks_uri", "http://127.0.0.1:9000")).toThrow(
      `its jwks_uri is a URL of the scheme ${protocol}, which is not https`,
    );
  },
);
