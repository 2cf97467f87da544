/** Names of the server's own resources and prompts, which entries of a project may not have. */

/**
 * Names of the server's own prompts. A snippet whose name a prompt has gets {@link SNIPPET_PREFIX}, with which no prompt
 * of a project may begin.
 */
export const OWN_PROMPTS: readonly string[] = ["batch_search", "transform_data"];
/** Begins the prompts of snippets whose name another prompt has. */
export const SNIPPET_PREFIX = "snippet_";
/** Scheme of the server's own resource addresses. */
export const OWN_SCHEME = "onetool:";
