/** The types of `/api/help` answers, as far as the pages read them. */

import type { HelpArgument } from "../../../contract/help.js";
import type { Example, Policy } from "../../../contract/registry.js";

/** The help of one op. */
export interface OpDocument {
  readonly type: "op";
  readonly path: string;
  readonly summary?: string;
  readonly description?: string;
  readonly usage?: string;
  readonly args?: readonly HelpArgument[];
  readonly notes?: readonly string[];
  readonly policy?: Partial<Policy>;
  readonly returns?: string;
  readonly errors?: readonly string[];
  readonly see_also?: readonly string[];
  readonly constraints?: readonly string[];
  readonly examples?: readonly Example[];
}

/** An answer of help. */
export type Help =
  | OpDocument
  | { readonly type: "directory"; readonly path: string }
  | { readonly type: "not_found"; readonly path: string; readonly suggestions: readonly string[] }
  | { readonly type: "error"; readonly path: string };
