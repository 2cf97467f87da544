/** Settings of the state database (`state`). */

import { isRecord } from "../contract/json.js";
import type { FilledConfig } from "../contract/settings/project-settings.js";
import { UsageError } from "../contract/usage-error.js";

/** Settings of the state database in force. */
export interface StateSettings {
  /** Empty for `.onetool/state.db` under the root, or a `postgres://` URL. */
  readonly url: string;
  /** Most connections to PostgreSQL, without the one that listens. */
  readonly pool: number;
  /** Where the connection that listens goes, if that differs. */
  readonly listenUrl?: string;
}

/** Connections of a server to PostgreSQL, unless configured. */
const POOL = 10;

/** Variable with the URL, unless one is configured. */
const VARIABLE = "TOOLWRIGHT_STATE";

/** The variables that {@link stateSettingsOf} reads beside those that a configuration names. */
export const variablesOfState = (state: unknown): readonly string[] =>
  isRecord(state) && state["url"] === undefined ? [VARIABLE] : [];

/** `state` with the URL of a flag: what else is configured belongs to the database of the file, but for the size of the pool. */
export const withUrl = (state: unknown, url: string): unknown =>
  isRecord(state) ? { ...state, url, listen_url: "" } : url;

/**
 * Maps the configuration, in which variables are expanded, to the settings.
 *
 * @param lookup value of a variable
 * @throws UsageError for a URL of another database, and `listen_url` without PostgreSQL
 */
export function stateSettingsOf(
  state: FilledConfig["state"],
  lookup: (name: string) => string | undefined = () => undefined,
): StateSettings {
  const map = typeof state === "string" ? { url: state } : state;
  const { url: given = lookup(VARIABLE) ?? "", pool = POOL, listen_url: listenUrl = "" } = map;
  const url = stateUrl(given);
  if (listenUrl !== "" && url === "") throw new UsageError("state.listen_url is set without state.url: name both");
  stateUrl(listenUrl, "state.listen_url");
  return { url, pool, ...(listenUrl === "" ? {} : { listenUrl }) };
}

/** Whether a text is valid as URL of the state. */
export const isState = (url: string): boolean => url === "" || /^postgres(ql)?:\/\//.test(url);

/** Checks the URL of the state. @throws UsageError unless it is empty or the URL of a PostgreSQL database */
function stateUrl(url: string, key = "state"): string {
  if (isState(url)) return url;
  const scheme = /^[a-z][a-z0-9+.-]*:/i.exec(url)?.[0] ?? "something else";
  throw new UsageError(`${key} must be a postgres:// URL, or empty for .onetool/state.db, and begins with ${scheme}`);
}
