/** Who is told of calls that wait for a person: a file (`topics`), and a webhook (`approvals.webhook`). */

import type { WrittenConfig } from "../contract/settings/project-settings.js";
import { UsageError } from "../contract/usage-error.js";

/** A webhook that is told. */
export interface WebhookSettings {
  readonly url: URL;
  /** Key of the signatures. */
  readonly secret: string;
}

/** Shortest secret, in characters. */
const MIN_SECRET_LENGTH = 24;

/**
 * The webhook of a configuration.
 *
 * @param given - as it is written
 * @param expanded - with its variables expanded
 * @param place - of the webhook
 * @throws UsageError for an invalid URL, and a secret that is short or written in the configuration
 */
export function webhookOf(
  given: WrittenConfig["approvals"],
  expanded: WrittenConfig["approvals"],
  place: string,
): WebhookSettings | undefined {
  if (!given?.webhook || !expanded?.webhook) return undefined;
  const { secret } = expanded.webhook;
  const url = URL.canParse(expanded.webhook.url) ? new URL(expanded.webhook.url) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password !== "")
    throw new UsageError(`${place} approvals.webhook.url must be an http or https URL without a user name`);
  if (!/^\$\{[A-Za-z_]\w*\}$/.test(given.webhook.secret))
    throw new UsageError(
      `${place} approvals.webhook.secret must be the name of a secret, such as \${WEBHOOK_SECRET}: secrets are not written in the configuration`,
    );
  // A variable that is not set is reported with all others.
  if (secret !== "" && secret.length < MIN_SECRET_LENGTH)
    throw new UsageError(`${place} approvals.webhook.secret must have at least ${MIN_SECRET_LENGTH} characters`);
  return { url, secret };
}
