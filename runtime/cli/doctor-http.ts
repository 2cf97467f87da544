/** Checks of `toolwright doctor` on serving over HTTP: what stands in front, and the certificate. */

import { X509Certificate } from "node:crypto";
import type { HttpSettings } from "../config/transport-settings.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import type { CheckFinding } from "../gateway/doctor-part.js";
import { readCertificate } from "../serve/http/certificate.js";

const SOON_MS = 7 * 86_400_000;

/** Nothing if neither a proxy nor a certificate is configured. */
export async function httpFindings(settings: HttpSettings, root: string): Promise<readonly CheckFinding[]> {
  const { publicUrl, allowedHosts, trustedProxies, tls } = settings;
  if (!publicUrl && !tls && allowedHosts.length + trustedProxies.length === 0) return [];
  const faults = [...proxyFaults(settings), ...(tls ? await certificateFaults(tls, root, publicUrl) : [])];
  const hosts = allowedHosts.length === 0 ? "" : `; also called ${[...new Set(allowedHosts)].join(", ")}`;
  const found = `clients are told ${publicUrl ? publicUrl.origin : "the address that serve listens on"}${hosts}`;
  return [{ what: "http", ok: true, found: onLine(found) }, ...faults];
}

const fault = (found: string, remedy: string): CheckFinding => ({
  what: "http",
  ok: false,
  found: onLine(found),
  remedy,
});

function proxyFaults({ publicUrl, allowedHosts, trustedProxies, tls }: HttpSettings): readonly CheckFinding[] {
  const isAnyone = trustedProxies.some(([, bits]) => bits === 0);
  return [
    ...(trustedProxies.length > 0 && allowedHosts.length === 0
      ? [
          fault(
            "http.trusted_proxies is set, and no host beside the server's address is allowed: requests with another Host answer 403",
            "set public_url to the URL that clients use; name further hosts in http.allowed_hosts",
          ),
        ]
      : []),
    ...(isAnyone
      ? [
          fault(
            "http.trusted_proxies holds every address, so each client may claim any address in the audit",
            "name the addresses of your proxies only",
          ),
        ]
      : []),
    ...(publicUrl?.protocol === "http:" && tls
      ? [fault("public_url begins with http:, and the server speaks HTTPS (http.tls)", "begin public_url with https:")]
      : []),
  ];
}

async function certificateFaults(
  files: NonNullable<HttpSettings["tls"]>,
  root: string,
  publicUrl: URL | undefined,
): Promise<readonly CheckFinding[]> {
  const remedy = "put the certificate of the server, with those above it, and its key where http.tls says";
  try {
    const certificate = new X509Certificate(String((await readCertificate(files, root)).cert));
    const leftMs = Date.parse(certificate.validTo) - Date.now();
    const host = publicUrl?.hostname;
    const isNamed = host === undefined || certificate.checkHost(host) !== undefined;
    return [
      ...(leftMs < SOON_MS ? [fault(`the certificate of http.tls ends at ${certificate.validTo}`, "renew it")] : []),
      ...(isNamed ? [] : [fault(`the certificate of http.tls is not for ${host}, the host of public_url`, remedy)]),
    ];
  } catch (error) {
    return [fault(messageOf(error), remedy)];
  }
}
