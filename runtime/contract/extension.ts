/** What the two halves say to each other about extension tools: one file of `.onetool/tools/`, and what is built of it. */

import type { HelpDocument } from "./help.js";
import type { JsonSchema, Kind, Registry } from "./registry.js";
import type { Validator } from "./validation.js";

/** A function of a Python file that is a tool, as the text of the file says. */
export interface ToolFunction {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly result?: JsonSchema;
  readonly kind: Kind;
  /** Line of its `def`, from 1. */
  readonly line: number;
}

/** One file of extension tools. A Python file is read by the runtime, a TypeScript file by the generator. */
export type ExtensionFile = {
  /** Relative to the root: `.onetool/tools/greet.py`. */
  readonly file: string;
} & (
  | { readonly kind: "python"; readonly summary: string; readonly functions: readonly ToolFunction[] }
  /** `read`: text of a file by its path relative to the root. */
  | { readonly kind: "typescript"; read(file: string): string | undefined }
);

/** Why a file, or a function of it, is no tool. */
export interface ExtensionFault {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** What is built of one file: nothing where a fault is in it. */
export interface ExtensionBuild {
  readonly registry?: Registry;
  readonly help: ReadonlyMap<string, HelpDocument>;
  /** By op. */
  readonly validators: ReadonlyMap<string, Validator>;
  readonly faults: readonly ExtensionFault[];
  /** Functions without a description, which makes them no tools. */
  readonly undocumented: readonly string[];
}
