/** The interface of a transport, as the process that serves it sees it, and the transport that a feature has. */

import type { DeclaringFeature } from "../contract/settings/feature-settings.js";
import type { Live } from "./reloadable-gateway.js";

/** An open transport. */
export interface OpenTransport {
  /**
   * Resolves with the reason when its only client has disconnected, rejects if nothing can be served after all; absent if it
   * serves many.
   */
  readonly ended?: Promise<string>;
  /** Tells balancers that it will stop, and waits while they send requests elsewhere; `undefined` without such a wait. */
  drain?(): Promise<void> | undefined;
  /** Stops accepting. */
  stop(): void;
  /** Waits until no call is under way, at most `ms`; whether that was reached. */
  idle(ms: number): Promise<boolean>;
  /** Aborts the calls under way, waits {@link ABORT_MS} for them, and closes. */
  close(): Promise<void>;
}

/** What `serve --socket` opens. */
export interface SocketPart {
  /**
   * The absolute path of the socket, by default one of the project.
   *
   * @throws UsageError if it is too long
   */
  path(root: string, given: string | undefined): string;
  /** Serves there. @throws UsageError if it cannot or must not be served there */
  open(options: { readonly live: Live; readonly root: string; readonly path: string }): Promise<OpenTransport>;
}

/** A feature that has the transport of `serve --socket`. */
export interface SocketFeature extends DeclaringFeature {
  /** Loads it. One feature has it. */
  readonly socket?: () => Promise<SocketPart>;
}
