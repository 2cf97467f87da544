/**
 * What texts may advise a caller to call. Ops of the pack `ot` are there only where a project uses the pack and the grant allows
 * them.
 */

import { hint } from "../contract/own-command.js";
import type { RegistryView } from "./registry.js";

/** Whether a caller can call an op. */
export type CanCall = (op: string) => boolean;

/**
 * Which ops the caller of a view can call.
 *
 * @example
 * canCall(index.view(principal.grant))("ot.query")
 */
export const canCall =
  (view: Pick<RegistryView, "exact">): CanCall =>
  (op) =>
    view.exact(op) !== undefined;

/** Of a caller about whom nothing else is known. */
export const EVERY_OP: CanCall = () => true;

/** How a caller goes on with a run: by an op, else on the command line of a project; undefined without either. */
export const resumeCall = (id: string, can: CanCall): string | undefined =>
  can("ot.resume") ? `ot.resume("${id}")` : hint(`"toolwright runs resume ${id}"`, "") || undefined;

/** What the caller of a run that goes on must not do. */
export const NOT_AGAIN = "do not run the program again";

/**
 * What the caller of a run that is not over does next.
 *
 * @param gives - what a call that resumes the run does
 */
export function resumeNext(id: string, gives: string, can: CanCall): string {
  const call = resumeCall(id, can);
  return call === undefined
    ? "read what may have been written, then send only what is left"
    : `${call} ${gives}: ${NOT_AGAIN}`;
}
