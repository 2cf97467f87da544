/** Reads a text from an address that the user names on the command line. */

import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";
import { UsageError } from "../contract/usage-error.js";
import { decodeText } from "../http-client/charset.js";
import { readBody } from "../http-client/client.js";
import { guardedFetch } from "../http-client/guard.js";

/** Largest text, in bytes. */
const MAX_DOWNLOAD_BYTES = 32_000_000;
const DOWNLOAD_MS = 30_000;

/**
 * Reads the text at an address. Its host may be a private one, since the user names it; a redirect may not lead to another
 * private host.
 *
 * @throws UsageError if there is none within 30 s, or it has more than 32 MB
 */
export async function downloadText(address: string): Promise<string> {
  const refuse = (what: string): never => {
    throw new UsageError(`${onLine(withoutQuery(address))} ${what}: name an address that answers with a description`);
  };
  if (!URL.canParse(address)) return refuse("is no address");
  const { hostname } = new URL(address);
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  try {
    const response = await guardedFetch({ allowPrivate: [hostname] })(address, { signal });
    if (!response.ok) return refuse(`answers with ${response.status}`);
    const { bytes, cut } = await readBody(response, { signal }, MAX_DOWNLOAD_BYTES);
    if (cut) return refuse("answers with more than 32 MB");
    return decodeText(bytes, response.headers.get("content-type") ?? "");
  } catch (error) {
    if (error instanceof UsageError) throw error;
    return refuse(signal.aborted ? "does not answer within 30 s" : `cannot be read (${onLine(messageOf(error))})`);
  }
}

/** A query may hold a key. */
const withoutQuery = (address: string): string => address.replace(/[?#].*$/s, "");
