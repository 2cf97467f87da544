/** The plug-in interface of the reading stage: one Source per kind of definition. */

import type { SourceEntry } from "../config.js";
import type { Place, Report } from "../diagnostic.js";
import type { Definition } from "../ir.js";

/** What a Source is given: one file of one entry of `sources`. */
export interface SourceFile {
  /** Relative to the root: `definitions/onto/read.ts`. */
  readonly file: string;
  readonly text: string;
  readonly entry: SourceEntry;
  /** Pack of the tools in this file, made safe. */
  readonly pack: string;
  /** Where the entry stands in the configuration. */
  readonly place: Place;
  /** Text of another file of the project, by its path relative to the root. */
  readonly read: (file: string) => string | undefined;
}

/** Reads definitions of one kind: file by file, or all files of an entry at once. Pure: faults go into the report, never out as exceptions. */
export type Source =
  | { readonly read: (file: SourceFile, report: Report) => Promise<readonly Definition[]> }
  | { readonly readAll: (files: readonly SourceFile[], report: Report) => Promise<readonly Definition[]> };
