/** The SQL behind a table of the console, and the tables that a reply names. */

/** The order of a table. */
export interface Sorting {
  /** Place of the column, from 1. */
  readonly column: number;
  readonly order: "asc" | "desc";
}

/** A stored result, and the paths to its tables; an empty path is the result itself. Without paths it has no tables. */
export interface TablePlace {
  readonly handle: string;
  readonly places: readonly string[];
}

/** SQL for one page of the rows of a query, whatever clauses the query has. */
export function pageSql(
  sql: string,
  sorting: Sorting | undefined,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): string {
  const query = sql.trim().replace(/[\s;]+$/, "");
  const order = sorting ? ` order by ${sorting.column} ${sorting.order}` : "";
  // A comment may end the query.
  return `select * from (${query}\n)${order} limit ${limit} offset ${offset}`;
}

/** The order after a click on a column: ascending, then descending. */
export const sortedBy = (column: number, before: Sorting | undefined): Sorting => ({
  column,
  order: before?.column === column && before.order === "asc" ? "desc" : "asc",
});

/** Matches the handle of a stored result in the call that reads it. */
const HANDLE = /ot\.result\(handle='([0-9a-f]{12})'/;
/** Matches the paths in what a reply says of its tables. */
const PLACES = /(?:^|\n|\| )rows=("(?:[^"\\]|\\.)*"): r\(/g;

/** The stored result that the reply of a run names. */
export function storedIn(reply: string): TablePlace | undefined {
  const handle = HANDLE.exec(reply)?.[1];
  if (handle === undefined) return undefined;
  const table = tableOf(reply);
  if (table === undefined) return { handle, places: [] };
  const places = [...table.matchAll(PLACES)].map(([, path = '""']) => JSON.parse(path) as string);
  return { handle, places: places.length === 0 ? [""] : places };
}

function tableOf(reply: string): string | undefined {
  try {
    const { table } = JSON.parse(reply) as { readonly table?: unknown };
    return typeof table === "string" ? table : undefined;
  } catch {
    return undefined;
  }
}
