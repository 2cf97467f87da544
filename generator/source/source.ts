/** The interface of a Source, which reads definitions of one kind. */

import type { Annotations, JsonSchema } from "../../runtime/contract/registry.js";
import type { SourceEntry } from "../../runtime/contract/settings/entries.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";

/** Input of a Source: one file of one entry of `sources`. */
export interface SourceFile {
  /** Relative to the root: `definitions/onto/read.ts`. */
  readonly file: string;
  readonly text: string;
  readonly entry: SourceEntry;
  /** Pack of the tools in this file, made safe. */
  readonly pack: string;
  /** Place of the entry in the configuration. */
  readonly place: Place;
  /** Place of a key of the entry, if it is in a file. */
  readonly placeOf?: (key: string) => Place;
  /** Text of another file of the project, by its path relative to the root. */
  readonly read: (file: string) => string | undefined;
  /** Whether a file is, or is below, a link that leads out of the project and of a folder beside. Default: there are no links. */
  readonly leadsOut?: ((file: string, beside: string) => boolean) | undefined;
  /** Whether only ops and kinds are asked for, so that what calls answer need not be read. */
  readonly onlyNames?: boolean | undefined;
  /** Runs a module, and gives its tools; absent where no code is run. */
  readonly readModule?: ((file: string) => Promise<ReadModule>) | undefined;
}

/** What a module says of one tool; a tool with a fault has no schema. */
export interface ReadModuleTool {
  readonly export: string;
  readonly name?: string;
  readonly description?: string;
  readonly parameters?: JsonSchema;
  readonly result?: JsonSchema;
  readonly annotations?: Partial<Annotations>;
  readonly fault?: string;
  readonly fix?: string;
}

/** The tools of a module, and what in its lists is none; or why it could not be run. */
export type ReadModule =
  | {
      readonly tools: readonly ReadModuleTool[];
      readonly strangers: readonly { readonly export: string; readonly what: string }[];
    }
  | {
      readonly failed: string;
      readonly place?: Place;
      /** The line of code that failed, without types. */
      readonly code?: string;
    };

/** Reads definitions of one kind, per file or for all files of an entry. Pure: faults are reported, never thrown. */
export type Source =
  | { readonly read: (file: SourceFile, report: Report) => Promise<readonly Definition[]> }
  | { readonly readAll: (files: readonly SourceFile[], report: Report) => Promise<readonly Definition[]> };
