/** Certificates that `openssl` makes. */

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Whether no certificate can be made here. */
export const NO_OPENSSL = !existsSync("/usr/bin/openssl");

/** A certificate for a host, and its key. */
export function certificate(folder: string, host: string): { readonly cert: string; readonly key: string } {
  const [cert, key] = [join(folder, "server.pem"), join(folder, "server.key")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"];
  const named = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`, "-keyout", key, "-out", cert];
  execFileSync("openssl", [...made, ...named], { stdio: "ignore" });
  return { cert, key };
}
