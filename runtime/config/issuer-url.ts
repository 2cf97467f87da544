/** Which URLs of authorization servers and identity providers are safe to send secrets to. */

/** An https URL without user, query and fragment; http on loopback alone. */
export function isSafeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.username + url.password + url.search + url.hash !== "") return false;
  return url.protocol === "https:" || isLoopbackUrl(url);
}

/** Whether a URL is http on the loopback address: what is sent there does not leave this machine. */
export const isLoopbackUrl = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
