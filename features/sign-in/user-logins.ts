/**
 * Logins of users at the console: what is stored beside the login itself, and how long it holds. A change of what the
 * configuration grants ends them.
 */

import type { SignedInUser } from "../../runtime/access/console-logins.js";
import { secretDigest } from "../../runtime/access/key-text.js";
import { userPrincipal } from "../../runtime/access/principal.js";
import type { UserLogin } from "../../runtime/config/sign-in-settings.js";
import { digest } from "../../runtime/contract/canonical.js";
import type { Grant, Principal, Transaction } from "../../runtime/contract/handler.js";
import { iso, type Queries, queries } from "../../runtime/state/schema.js";
import type { OauthSettings } from "./oauth-settings.js";
import { keepName } from "./user-names.js";

/** What an identity provider has answered of a user. */
export interface AnsweredUser {
  readonly principal: Principal;
  readonly issuer: string;
  /** What the provider calls the person; default: nothing is known. */
  readonly name?: string | undefined;
  /** Identifies the answer of the provider. */
  readonly answer: string;
}

/** How long the answers of providers are remembered: longer than one can be taken. */
const ANSWER_MS = 3_600_000;

/** What a user may do, and by which settings. */
interface Granted {
  readonly grant: Grant;
  readonly issuer: string;
  readonly basis: string;
}

/** The user of an answer, which is taken once, as the logins of the console store it. */
export function signedInUser(
  { principal: { id, grant, until = 0 }, issuer, answer, name }: AnsweredUser,
  oauth: OauthSettings,
): SignedInUser {
  const granted = { grant, issuer, basis: basisOf(oauth, issuer) } satisfies Granted;
  return {
    ...{ id, until, granted: JSON.stringify(granted) },
    async take(tx: Transaction, now: number) {
      const db = queries(tx);
      if (!(await takeAnswer(db, secretDigest(answer), now))) return false;
      if (name !== undefined) await keepName(db, { id, name }, now);
      return true;
    },
  };
}

/** Remembers an answer; false if it was taken before. */
async function takeAnswer(db: Queries, answer: string, now: number): Promise<boolean> {
  await db.deleteFrom("login_answers").where("expires_at", "<=", iso(now)).execute();
  const taken = db.insertInto("login_answers").values({ digest: answer, expires_at: iso(now + ANSWER_MS) });
  const first = taken.onConflict((conflict) => conflict.column("digest").doNothing()).returning("digest");
  return (await first.executeTakeFirst()) !== undefined;
}

/** The principal of a login; undefined if it is of another provider, or of other grants. */
export function loggedInUser({ id, granted, until }: UserLogin, oauth: OauthSettings): Principal | undefined {
  const { grant, issuer, basis } = JSON.parse(granted) as Granted;
  return basis === basisOf(oauth, issuer) ? userPrincipal({ id, grant, until }) : undefined;
}

/** What the grants of an issuer depend on; its secrets are no part of it. */
function basisOf({ resource, issuers }: OauthSettings, name: string): string {
  const { principal, rules, login } = issuers.find(({ issuer }) => issuer === name) ?? {};
  return digest([resource, name, principal ?? "", rules ?? [], login?.clientId ?? ""]);
}
