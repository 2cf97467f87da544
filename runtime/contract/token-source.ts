/** Access tokens for servers and APIs that a call reaches. */

import { isToolFailure, type Principal } from "./handler.js";
import { isObject } from "./json.js";

/** What a token is for: a connection, and the caller on whose behalf it is used. */
export interface TokenUse {
  /** Name of the server, or pack of the API. */
  readonly name: string;
  /** Absent where no call asks, as for a connection that is opened at the start. */
  readonly principal?: Principal | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Gives access tokens of connections, and renews them. */
export interface TokenSource {
  /**
   * A token that is valid by all that is known.
   *
   * @throws ToolFailure UNAVAILABLE if there is no connection, or the authorization server gives none
   */
  token(use: TokenUse): Promise<string>;
  /** Says that a token was refused: it is not given out again. */
  refused(use: TokenUse, token: string): void;
  /** Says that the tokens of a use are taken: the next refusal is the first one. */
  taken?(use: TokenUse): void;
  /**
   * A token that was signed in with the scopes that a server asks for (403 `insufficient_scope`). Whether it has them is
   * seen by using it, once.
   *
   * @param scope as the server says, with spaces between the scopes
   * @throws ToolFailure UNAVAILABLE with `details.reason` `sign_in_required` where the next sign-in asks for them, else
   * `insufficient_scope`
   */
  widened(use: TokenUse, scope: string): Promise<string>;
}

/** Whether a failure of {@link TokenSource.token} is one that a sign-in of a person mends. */
export const isSignInRequired = (error: unknown): boolean =>
  isToolFailure(error) && isObject(error.details) && error.details["reason"] === "sign_in_required";
