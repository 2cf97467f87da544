/** What a call of a proxied tool gets beside a handler's context. */

import type { Context } from "../contract/handler.js";
import type { Forward, Rounds } from "./questions.js";
import type { ContentBlock } from "./result.js";

/** Doors to the client that made the call. */
export interface ClientDoors {
  /** Where questions of the server go; absent where no client could answer them. */
  readonly forward?: Forward | undefined;
  /** Takes what of a result is no text, for doors that can show it. */
  readonly attach?: ((block: ContentBlock) => void) | undefined;
}

/** The context of a proxied tool. */
export interface ProxyContext extends Context, ClientDoors {
  /** How the client is asked in the newer protocol; absent where the call is one of several, or the client speaks an older one. */
  readonly rounds?: Rounds | undefined;
}
