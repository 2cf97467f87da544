/** The form in which commands are declared, and flags that several of them have. */

import { Option } from "commander";

/** Usage of a command, without the common flags. */
export interface Usage {
  /** The last word of its name, and its operands. */
  readonly usage: string;
  readonly about: string;
  readonly examples: readonly string[];
  readonly flags?: readonly Option[];
  /** Unknown flags are accepted: they are arguments of an op. */
  readonly loose?: true;
}

/** Declares a flag. */
export const flag = (flags: string, about: string): Option => new Option(flags, about);

/** Names the state database. */
export const STATE = flag("--state <URL>", "postgres:// URL (default: .onetool/state.db)");
/** Prints JSON. */
export const JSON_FLAG = flag("--json", "one JSON document");
