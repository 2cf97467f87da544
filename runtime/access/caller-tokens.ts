/**
 * Tokens with which callers came, for servers that are called with a token that is exchanged for them. They are kept
 * beside the principals, so that nothing that shows a principal shows its token: by the grant, which copies of a principal
 * share.
 */

import { createHash } from "node:crypto";
import type { Principal } from "../contract/handler.js";

/** A verified token, and the issuer that verified it. */
export interface CallerToken {
  readonly token: string;
  readonly issuer: string;
  /** Identifies the token without telling it. */
  readonly digest: string;
  /** How the token is checked again; absent for one that is valid until it expires. */
  readonly recheck?: Recheck | undefined;
}

/** Checks a token again whose validity may end at any time. */
export interface Recheck {
  /** Until when what is known holds, in ms since the epoch. */
  readonly at: number;
  /** The principal with the next check; undefined if the token is refused. @throws ToolFailure UNAVAILABLE */
  again(): Promise<Principal | undefined>;
}

const tokens = new WeakMap<Principal["grant"], CallerToken>();

/** The principal of a token, with a grant of its own: no other principal leads to the token. */
export function withCallerToken(principal: Principal, token: string, issuer: string, recheck?: Recheck): Principal {
  const grant = { ...principal.grant };
  tokens.set(grant, { token, issuer, digest: createHash("sha256").update(token).digest("base64url"), recheck });
  return { ...principal, grant };
}

/** The principal with another form of its own grant, such as the part that an op needs: it leads to the same token. */
export function withGrant(principal: Principal, grant: Principal["grant"]): Principal {
  const known = tokens.get(principal.grant);
  if (known) tokens.set(grant, known);
  return { ...principal, grant };
}

/** The token with which a caller came; undefined for keys, logins of the console, and the owner of the machine. */
export const callerToken = ({ grant }: Principal): CallerToken | undefined => tokens.get(grant);
