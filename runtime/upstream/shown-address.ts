/** The address of a server as people may see it: without anything that may be a secret. */

import type { ServerEntry } from "../config/upstream-settings.js";
import { isSecretName, scrub } from "../contract/scrub.js";

const HIDDEN = "***";

/** The URL without user, query and fragment, or the command with its arguments; values of secret flags are masked. */
export function shownAddress({ url, command, args = [] }: ServerEntry): string {
  if (url !== undefined) return scrub(withoutSecrets(url));
  const shown = args.map((one, at) => shownArgument(one, args[at - 1]));
  return [command ?? "", ...shown].join(" ").trim();
}

/** A text of the configuration rather than a URL, since it may hold variables. */
const withoutSecrets = (url: string): string =>
  url.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, `$1${HIDDEN}@`).replace(/[?#].*$/s, `?${HIDDEN}`);

function shownArgument(text: string, before: string | undefined): string {
  if (before?.startsWith("-") && !before.includes("=") && isSecretName(before)) return HIDDEN;
  const [name = "", ...value] = text.split("=");
  if (value.length > 0 && isSecretName(name)) return `${name}=${HIDDEN}`;
  return scrub(/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? withoutSecrets(text) : text);
}
