/**
 * Messages between the runtime and the process of a query. They are apart from the process, since its
 * packages have no declarations in what the package ships.
 */

import type { Cell, Column } from "./table.js";

/** A query, from the runtime. */
export interface ChildQuery {
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly Column[];
    readonly rows: readonly (readonly Cell[])[];
  }[];
  readonly sql: string;
  /** Most rows of the answer. */
  readonly rows: number;
  /** Bytes of values after which no row is added. */
  readonly bytes: number;
  /** Most memory of the database. */
  readonly heapBytes: number;
}

/** The answer, to the runtime. */
export type ChildAnswer =
  | {
      readonly kind: "rows";
      readonly columns: readonly string[];
      readonly rows: readonly (readonly Cell[])[];
      readonly isCut: boolean;
    }
  | { readonly kind: "error"; readonly message: string }
  /** The tables are there: from now on the query takes the time. */
  | { readonly kind: "loaded" };
