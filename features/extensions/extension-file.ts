/**
 * Types of extension tools that the generator and the runtime share: a file of `.onetool/tools/`, and the tools built
 * from it.
 */

import type { HelpDocument } from "../../runtime/contract/help.js";
import type { JsonSchema, Kind, Registry } from "../../runtime/contract/registry.js";
import type { Validator } from "../../runtime/contract/validation.js";

/** A function of a Python file that is a tool, as read from the text of the file. */
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
  /** `read` returns the text of a file by its path relative to the root. */
  | { readonly kind: "typescript"; read(file: string): string | undefined }
);

/** Why a file, or a function in it, is not a tool. */
export interface ExtensionFault {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
  /** How to fix it. */
  readonly remedy: string;
}

/** The result of building one file: empty if the file has a fault. */
export interface ExtensionBuild {
  readonly registry?: Registry;
  readonly help: ReadonlyMap<string, HelpDocument>;
  /** By op. */
  readonly validators: ReadonlyMap<string, Validator>;
  readonly faults: readonly ExtensionFault[];
  /** Functions that are not tools because they have no description. */
  readonly undocumented: readonly string[];
}
