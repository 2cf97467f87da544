/** Which engine ran some code, and why. */

import type { EngineSetting } from "../config/run-settings.js";
import type { Engine, RunOutcome } from "./engine/engine.js";

/**
 * The engine of a run.
 *
 * @example
 * const shown = ({ name, why }: RanOn) => `${name}: ${why}`;
 */
export interface RanOn {
  readonly name: string;
  /** Why this engine, in a few words. */
  readonly why: string;
  /** How long the engine took, in milliseconds. */
  readonly ms: number;
}

/** The engine of an outcome, with the reason why the router chose it. */
export function ranOn({ stats }: RunOutcome, setting: EngineSetting, support: ReturnType<Engine["supports"]>): RanOn {
  const { engine: name, wallMs } = stats;
  return { name, why: why(name, setting, support), ms: Math.round(wallMs) };
}

function why(name: string, setting: EngineSetting, support: ReturnType<Engine["supports"]>): string {
  if (setting !== "auto") return "run.engine is set to it";
  if (name === "monty") return "it starts at once, and has all that the code uses";
  if (support === true) return "the code failed on monty in a way that Python may not, so it ran again";
  return `line ${support.line} uses ${support.feature}, which monty lacks`;
}
