/** Parts that several keys of `toolwright.yaml` share. */

import * as s from "./setting.js";

/** The packs that the package ships, which `use` may name. */
export const SHIPPED_PACKS = ["ot", "proj", "brave", "web", "llm", "oubliette"] as const;

/** Kinds of ops. */
export const KINDS = ["read", "write"] as const;

/** Access levels of callers, from the lowest. */
export const ACCESS_LEVELS = ["read", "write", "admin"] as const;

/** What an op acts on. */
export const TARGETS = ["global", "project"] as const;

/** Longest retention, in days: a hundred years. */
export const CENTURY_DAYS = 36_525;

/**
 * How a connection gets its tokens: those of toolwright itself, those that were signed in for all callers or by each of them,
 * or exchanged for the token with which the caller came.
 */
export const CONNECTION_MODES = ["client_credentials", "shared", "per_user", "token_exchange"] as const;

/** One of {@link CONNECTION_MODES}. */
export type ConnectionMode = (typeof CONNECTION_MODES)[number];

/** How tokens for a server or an API are got. */
export const CONNECTION = {
  mode: s.choice(
    CONNECTION_MODES,
    "Whose tokens it is called with: those of toolwright, of one account, or of each caller.",
  ),
  issuer: s.filled("The authorization server, as it writes itself in its metadata."),
  client: s.group("How the authorization server knows toolwright.", {
    id: s.filled("Id of the client."),
    secret: s.secret(s.filled("Its secret, such as ${NAME}; absent for a public client.")),
    metadata_url: s.filled("auto: the document below public_url names the client, where the server takes one."),
    register: s.flag("Whether toolwright registers itself where it has no other client."),
  }),
  scope: s.filled("Scopes with spaces between them."),
  resource: s.filled("What the token is for (RFC 8707). Default: the url of an MCP server; none for an API."),
  audience: s.filled("Name of what the token is for, of token exchange."),
  authorize_params: s.map(s.text(), "Further parameters of the authorization request."),
};
