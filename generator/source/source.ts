/** The interface of a Source, which reads definitions of one kind. */

import type { SourceEntry } from "../config/values.js";
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
}

/** Reads definitions of one kind, per file or for all files of an entry. Pure: faults are reported, never thrown. */
export type Source =
  | { readonly read: (file: SourceFile, report: Report) => Promise<readonly Definition[]> }
  | { readonly readAll: (files: readonly SourceFile[], report: Report) => Promise<readonly Definition[]> };
