/** The certificate of `http.tls`: read at the start, and again when its files change. */

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { HttpSettings } from "../../config/transport-settings.js";
import type { Logger } from "../../contract/handler.js";
import { onLine } from "../../contract/message-text.js";
import { messageOf } from "../../contract/thrown.js";
import { UsageError } from "../../contract/usage-error.js";

/** A certificate with its private key, as Node takes them. */
export type Certificate = Required<Pick<SecureContextOptions, "cert" | "key">>;

/** A certificate that follows its files. */
export interface OpenCertificate {
  readonly first: Certificate;
  /** Calls back with each later certificate that can be used. */
  follow(use: (next: Certificate) => void): void;
  close(): void;
}

/**
 * How often the files are read. Reading finds changes on every file system, also those of links, by which certificates
 * are replaced in containers.
 */
const READ_MS = 5000;

/**
 * Reads a certificate and its key, and checks that they belong together.
 *
 * @throws UsageError if a file cannot be read, or they cannot be used
 */
export async function readCertificate(
  { cert, key }: NonNullable<HttpSettings["tls"]>,
  root: string,
): Promise<Certificate> {
  try {
    const [read, secret] = await Promise.all([
      readFile(resolve(root, cert), "utf8"),
      readFile(resolve(root, key), "utf8"),
    ]);
    createSecureContext({ cert: read, key: secret });
    return { cert: read, key: secret };
  } catch (error) {
    throw new UsageError(
      `http.tls: ${onLine(cert)} and ${onLine(key)} are no certificate with its private key in PEM: ${onLine(messageOf(error))}`,
    );
  }
}

/**
 * Opens a certificate. A later state of its files that cannot be used is logged, once for each, and the last one stays.
 *
 * @throws UsageError as {@link readCertificate}
 */
export async function openCertificate(
  files: NonNullable<HttpSettings["tls"]>,
  { root, log, everyMs = READ_MS }: { readonly root: string; readonly log: Logger; readonly everyMs?: number },
): Promise<OpenCertificate> {
  const first = await readCertificate(files, root);
  let current = first;
  let told = "";
  let use: (next: Certificate) => void = () => undefined;
  const look = async (): Promise<void> => {
    try {
      const next = await readCertificate(files, root);
      told = "";
      if (next.cert === current.cert && next.key === current.key) return;
      use(next);
      current = next;
      log.info("certificate replaced", { cert: files.cert });
    } catch (error) {
      const said = messageOf(error);
      if (said !== told) log.error("the certificate is not replaced", { error: said });
      told = said;
    }
  };
  const timer = setInterval(() => void look(), everyMs).unref();
  return {
    first,
    follow(given) {
      use = given;
    },
    close: () => clearInterval(timer),
  };
}
