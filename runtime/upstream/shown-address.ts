/** The address of a server as people may see it: without anything that may be a secret. */

import type { ServerEntry } from "../config/upstream-settings.js";
import { isSecretName, scrub } from "../contract/scrub.js";

const HIDDEN = "***";

/** Whether an argument of this name holds a secret: `--api-key`, `TOKEN`, `-auth`. */
const isSecret = (flag: string): boolean => {
  const name = flag.replace(/^-+/, "").replaceAll("-", "_");
  return isSecretName(name) || /(?:^|_)(?:token|key|auth|pat)$/i.test(name);
};

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
  if (before?.startsWith("-") && !before.includes("=") && isSecret(before)) return HIDDEN;
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(text)) return scrub(withoutSecrets(text));
  const [, name = "", value = ""] = /^(-{0,2}[\w.-]+=)(.*)$/s.exec(text) ?? [];
  if (name === "") return scrub(text);
  return name + (isSecret(name.slice(0, -1)) ? HIDDEN : shownArgument(value, undefined));
}
