/** Sign-in of people over HTTP beside keys, as the feature that has it tells the core. */

import type { Principal } from "../contract/handler.js";
import type { Say } from "../contract/quiet-log.js";

/** Resolves the principal of an `Authorization` header; undefined for a key, and a response for a refusal. */
export type CheckHeader = (shown: string | null) => Promise<Principal | Response | undefined>;

/** A login of the console without a key, as it is stored. */
export interface UserLogin {
  readonly id: string;
  /** What the feature has stored of the permission. */
  readonly granted: string;
  /** Expiry, in ms since the epoch. */
  readonly until: number;
}

/** Finds the principal of a stored login; undefined for a login that the settings no longer permit. */
export interface UserLogins {
  loggedIn(login: UserLogin): Principal | undefined;
}

/** Sign-in as a configuration sets it. */
export interface SignInSettings extends UserLogins {
  /** The settings of the feature, which it alone reads. Where their JSON is the same, nothing has changed. */
  readonly own: object;
  /** URL of the protected resource (RFC 9728). */
  readonly resource: string;
  /** What the metadata of the resource says beside it. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What a caller may show in place of a key, for messages. */
  readonly proof: string;
  /** Loads the check of requests. */
  checkHeader(say: Say): Promise<CheckHeader>;
}

/** How the feature reads the configuration. */
export interface SignInReader {
  /**
   * Maps `access` to the settings; undefined if nobody can sign in.
   *
   * @param access with its variables expanded
   * @throws UsageError for settings that are insecure or useless
   */
  settingsOf(access: object, placeOf: (...path: readonly (string | number)[]) => string): SignInSettings | undefined;
  /**
   * Why no caller has a token of an issuer, with a remedy; undefined where callers have one.
   *
   * @param access as it is written: a variable may stand for any issuer
   */
  lackOfTokens(issuer: string, access: object): string | undefined;
}
