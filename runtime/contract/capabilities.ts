/** What the runtime does for each kind of principal. Code asks for a capability, never for the kind. */

import type { Principal } from "./handler.js";

/** The capabilities of a principal. */
export interface Capabilities {
  /** Its calls count against a rate limit of its own. */
  readonly isRated: boolean;
  /** It may use only a share of the open requests, streams, programs and checks. */
  readonly isShared: boolean;
  /** What its permission depends on: work ends with it, and writes commit only while it lasts. */
  readonly endsWith: "nothing" | "key" | "token";
  /** Its refusals, and its calls of admin ops by its id, are audited. */
  readonly isAudited: boolean;
  /** Spans and logs name it. */
  readonly isNamed: boolean;
  /** Each request carries a credential, by which a program differs from a page of another site. */
  readonly hasCredential: boolean;
}

const OUTSIDER = { isRated: true, isShared: true, isAudited: true, isNamed: true, hasCredential: true } as const;

const CAPABILITIES: Readonly<Record<Principal["kind"], Capabilities>> = {
  local: {
    isRated: false,
    isShared: false,
    endsWith: "nothing",
    isAudited: false,
    isNamed: false,
    hasCredential: false,
  },
  key: { ...OUTSIDER, endsWith: "key" },
  user: { ...OUTSIDER, endsWith: "token" },
};

/** The capabilities of a principal, by its kind. */
export const capabilitiesOf = ({ kind }: Pick<Principal, "kind">): Capabilities => CAPABILITIES[kind];

/** The caller whose share of a bounded resource counts; undefined for one that has it alone. */
export const sharingCaller = ({ id, kind }: Pick<Principal, "id" | "kind">): string | undefined =>
  CAPABILITIES[kind].isShared ? id : undefined;
