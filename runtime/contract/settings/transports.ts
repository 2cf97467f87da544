/** Serving over HTTP. */

import * as s from "./setting.js";

/** Keys about serving over HTTP. */
export const TRANSPORT_SETTINGS = {
  public_url: s.expanded(
    s.text("URL at which clients reach the server, such as that of a proxy. Default: that of its address.", ""),
  ),
  http: s.expanded(
    s.group("Serving over HTTP behind proxies, and without.", {
      allowed_hosts: s.list(
        s.filled(),
        "Host names that requests may use, beside those of the address and of public_url.",
        [],
      ),
      trusted_proxies: s.list(s.filled(), "Addresses and networks of proxies whose X-Forwarded-For is believed.", []),
      drain: s.group("What happens at the end of the server, in ms.", {
        delay_ms: s.integer([0, 600_000], "Time for which /readyz answers 503 while requests are still answered.", 0),
        grace_ms: s.integer([0, 3_600_000], "Time for calls under way after that.", 5000),
      }),
      tls: s.group("Serve HTTPS; the files are read again when they change.", {
        cert: s.text("PEM file of the certificate and those above it; a path from the project root.", ""),
        key: s.text("PEM file of its private key.", ""),
      }),
    }),
  ),
  metrics: s.choice(
    ["off", "keys", "open"],
    "Who may read /metrics over HTTP: no caller, callers with a key, or every caller.",
    "off",
  ),
};
