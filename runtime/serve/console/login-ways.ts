/** How people log in at the console beside a key, as its page reads it from the routes of a feature. */

/** The identity providers at which people can log in. */
export interface LoginWays {
  readonly issuers: readonly { readonly issuer: string; readonly label: string }[];
}

/** Why a person is not logged in after a sign-in. */
export type LoginRefusal = "elsewhere" | "cancelled" | "refused" | "ungranted";

/** Why a person was led back without a login: a word in the address, for which the page has a text. */
export type LoginFault = LoginRefusal | "away" | "busy";
