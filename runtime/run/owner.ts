/** Whose code a run is, for engines that keep something from run to run. */

import { digest } from "../contract/canonical.js";
import type { Principal } from "../contract/handler.js";

/**
 * The owner of a principal's code: callers differ by their id and by what they are granted.
 *
 * @example
 * ownerOf(principal); // "3f…", the same for each run of a key
 */
export const ownerOf = ({ kind, id, grant }: Pick<Principal, "kind" | "id" | "grant">): string =>
  digest([kind, id, grant]);

/**
 * The owner of an extension's code that runs for a principal: it does not meet what the principal's own code leaves.
 *
 * @example
 * extensionOwnerOf(principal); // "extension:3f…"
 */
export const extensionOwnerOf = (principal: Principal): string => `extension:${ownerOf(principal)}`;
