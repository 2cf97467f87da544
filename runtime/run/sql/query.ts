/** Runs SQL over tables in memory, in a process of its own that can be ended. */

import { startChild } from "../engine/child-pool.js";
import { programPath } from "../engine/program.js";
import type { ChildAnswer, ChildQuery } from "./sql-wire.js";
import type { Cell, Column, Table } from "./table.js";

/** A query. */
export interface SqlQuery {
  /** Tables by the name that the SQL uses. */
  readonly tables: ReadonlyMap<string, Table>;
  readonly sql: string;
  /** Most rows of the answer. */
  readonly rows: number;
  /** Bytes that the reader of the answer can hold: the row that goes beyond them is the last one. */
  readonly bytes?: number;
  readonly signal?: AbortSignal;
}

/** The rows of an answer. */
export interface SqlAnswer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Whether there are more rows. */
  readonly isCut: boolean;
}

/** A query that fails; the message is for the author of the SQL. */
export class SqlError extends Error {
  override readonly name = "SqlError";
}

/** Time of a query and of the start before it, its memory, and its length. */
export const QUERY_LIMITS = { ms: 5000, loadMs: 30_000, heapBytes: 512 * 1024 * 1024, sqlLength: 20_000 } as const;

/** Bytes of an answer whose reader has no limit. */
const MAX_BYTES = 8_000_000;

/**
 * Answers a query.
 *
 * @throws SqlError for wrong SQL, for anything but one SELECT, and past a limit
 */
export async function answerSql({ tables, sql, rows, bytes = MAX_BYTES, signal }: SqlQuery): Promise<SqlAnswer> {
  const { sqlLength, heapBytes } = QUERY_LIMITS;
  if (sql.length > sqlLength) throw new SqlError(`the SQL is longer than ${sqlLength} characters`);
  const loaded = [...tables].map(([name, { columns, rows }]) => ({ name, columns, rows }));
  const answer = await askChild({ tables: loaded, sql, rows, bytes, heapBytes }, signal);
  if (answer.kind === "error") throw new SqlError(explained(answer.message, tables));
  const { columns, rows: found, isCut } = answer;
  return { columns, rows: found, isCut };
}

async function askChild(
  query: ChildQuery,
  signal: AbortSignal | undefined,
): Promise<Exclude<ChildAnswer, { readonly kind: "loaded" }>> {
  const program = await programPath("sql-child", "../sql");
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = startChild({
      program,
      onMessage: (message) => {
        const answer = message as ChildAnswer;
        if (answer.kind === "loaded") timer = expires(QUERY_LIMITS.ms);
        else settle(() => resolve(answer));
      },
      onGone: () => settle(() => reject(new SqlError(TOO_MUCH))),
    });
    let timer: NodeJS.Timeout | undefined;
    const expires = (ms: number): NodeJS.Timeout => {
      clearTimeout(timer);
      return setTimeout(() => settle(() => reject(new SqlError(TOO_LONG))), ms);
    };
    timer = expires(QUERY_LIMITS.loadMs);
    const cancel = (): void => settle(() => reject(signal?.reason));
    const settle = (end: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      child.kill();
      end();
    };
    signal?.addEventListener("abort", cancel);
    if (!child.send(query)) settle(() => reject(new SqlError("the tables cannot be sent to the query")));
  });
}

const TOO_MUCH = "the query needs more memory than it may have: select fewer rows or columns";
const TOO_LONG = `the query took more than ${QUERY_LIMITS.ms / 1000} s: select fewer rows, or join on equal values`;

/** Unknown columns with the names that there are, the nearest first. */
function explained(message: string, tables: ReadonlyMap<string, Table>): string {
  const column = /no such column: (\S+)/.exec(message)?.[1];
  if (column !== undefined) return `${message}. Columns: ${listed(columnsOf(tables), column)}`;
  if (/out of memory/i.test(message)) return TOO_MUCH;
  return message;
}

const columnsOf = (tables: ReadonlyMap<string, Table>): readonly Column[] =>
  [...tables.values()].flatMap(({ columns }) => columns);

/** Most columns that a message names. */
const MAX_NAMED = 30;

function listed(columns: readonly Column[], wanted: string): string {
  const name = wanted.replace(/^.*\./, "").toLowerCase();
  const isNear = (one: Column): boolean => {
    const other = one.name.toLowerCase();
    return other.includes(name) || name.includes(other);
  };
  const all = [...columns].sort((a, b) => Number(isNear(b)) - Number(isNear(a))).map((one) => one.name);
  return `${all.slice(0, MAX_NAMED).join(", ")}${all.length > MAX_NAMED ? ", …" : ""}`;
}
