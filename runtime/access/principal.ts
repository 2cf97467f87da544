/** Principals: of a live key, of the owner of the machine, and of a caller that an embedding program names. */

import { isAdmin, mayWrite } from "../contract/grant.js";
import type { Grant, Principal } from "../contract/handler.js";

/** The id of the owner of the machine: of calls without a key. */
export const LOCAL_ID = "local";

/** The principal of a live key: its level stands in for `allow_write`. */
export const keyPrincipal = ({ keyId, grant }: { readonly keyId: string; readonly grant: Grant }): Principal => ({
  kind: "key",
  id: keyId,
  grant,
  allowWrite: mayWrite(grant),
});

/** A user, as a verified token of an identity provider names it. */
interface VerifiedUser {
  readonly id: string;
  readonly grant: Grant;
  /** When the token expires, in ms since the epoch. */
  readonly until: number;
}

/** The principal of a user: its grant stands in for `allow_write`. */
export const userPrincipal = ({ id, grant, until }: VerifiedUser): Principal => ({
  kind: "user",
  id,
  grant,
  allowWrite: mayWrite(grant),
  until,
});

/** A caller that an embedding program has authenticated itself. */
interface NamedCaller {
  readonly id: string;
  readonly grant: Grant;
  readonly allowWrite?: boolean;
}

/** The principal of a caller that an embedding program names; it is not the owner of the machine. */
export const namedPrincipal = ({ id, grant, allowWrite = mayWrite(grant) }: NamedCaller): Principal => ({
  kind: "local",
  id,
  grant,
  allowWrite,
});

const LEVELS: readonly string[] = ["read", "write", "admin"] satisfies readonly Grant["level"][];

/** Whether a value is a valid caller for {@link namedPrincipal}. */
export function isNamed({ id, grant }: Partial<NamedCaller>): boolean {
  if (typeof id !== "string" || !/^[\w.@-]{1,64}$/.test(id) || id === LOCAL_ID) return false;
  const { level, projects } = grant ?? {};
  const isScope = projects === "*" || (Array.isArray(projects) && projects.every((one) => typeof one === "string"));
  return LEVELS.includes(String(level)) && isScope;
}

/**
 * Whether a principal may see and change what concerns all callers: the owner of the machine, and admins without bounds.
 */
export const mayAdminister = (principal: Principal): boolean => isLocalOwner(principal) || isAdmin(principal.grant);

/** Whether a principal is the owner of the machine, whose process this is. */
export const isLocalOwner = ({ kind, id }: Pick<Principal, "kind" | "id">): boolean =>
  kind === "local" && id === LOCAL_ID;
