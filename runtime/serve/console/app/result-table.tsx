/** Shows a stored result as a table: sorted by a column, page by page, or as the answer to SQL. */

import { useCallback, useEffect, useState } from "preact/hooks";
import { writeJson } from "../../../contract/exact-number.js";
import { messageOf } from "../../../contract/thrown.js";
import { api } from "./api.js";
import { pageSql, type Sorting, sortedBy, type TablePlace } from "./result-sql.js";
import { FailureNotice } from "./text.js";

/** Rows of a page. */
const LIMIT = 50;
/** Most characters of a cell that are shown. */
const MAX_CELL = 200;
const WHOLE = "select * from r";

interface Answer {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  /** Set if there are more rows than were sent, or if numbers are rounded. */
  readonly note?: string;
}

/** What is shown: a page of the rows of one query. */
interface Shown {
  readonly sql: string;
  readonly rows: string;
  readonly sorting?: Sorting | undefined;
  readonly offset: number;
}

async function answerOf(handle: string, { sql, rows, sorting, offset }: Shown): Promise<Answer> {
  // One more row than is shown says whether there is a next page.
  const args = { handle, sql: pageSql(sql, sorting, { limit: LIMIT + 1, offset }), rows };
  const envelope = await api.exec({ op: "ot.query", args });
  if (!envelope.ok) throw new Error(envelope.error.message);
  return envelope.result as unknown as Answer;
}

/** The pages of a query that are open, and what changes them. */
function usePages(handle: string, first: Shown) {
  const [shown, setShown] = useState(first);
  const [before, setBefore] = useState<readonly number[]>([]);
  const [answer, setAnswer] = useState<Answer>();
  const [fault, setFault] = useState("");
  const open = useCallback(
    async (next: Shown): Promise<void> => {
      setFault("");
      try {
        setAnswer(await answerOf(handle, next));
        setShown(next);
      } catch (error) {
        setFault(messageOf(error));
      }
    },
    [handle],
  );
  // The first page is opened once.
  useEffect(() => void open(first), [open]);
  const rows = answer?.rows.slice(0, LIMIT) ?? [];
  return {
    ...{ shown, answer, fault, rows },
    isFirst: before.length === 0,
    hasMore: answer !== undefined && (answer.rows.length > LIMIT || answer.note?.startsWith("The first ") === true),
    restart(changed: Partial<Shown>): void {
      setBefore([]);
      void open({ ...shown, ...changed, offset: 0 });
    },
    next(): void {
      setBefore([...before, shown.offset]);
      void open({ ...shown, offset: shown.offset + rows.length });
    },
    back(): void {
      setBefore(before.slice(0, -1));
      void open({ ...shown, offset: before.at(-1) ?? 0 });
    },
  };
}

/** The rows of a result. */
export function ResultTable({ handle, places }: TablePlace) {
  const pages = usePages(handle, { sql: WHOLE, rows: places[0] ?? "", offset: 0 });
  const { shown, answer, fault, rows, restart } = pages;
  return (
    <div class="asked">
      <h3>Table</h3>
      <Question places={places} shown={shown} onAsk={restart} />
      {fault !== "" && <FailureNotice text={fault} />}
      {answer && <p class="quiet">{answer.note?.replace(/^The first [^.]*\. ?/, "")}</p>}
      {answer && (
        <Rows columns={answer.columns} rows={rows} sorting={shown.sorting} onSort={(sorting) => restart({ sorting })} />
      )}
      <p class="buttons">
        <button type="button" disabled={pages.isFirst} onClick={pages.back}>
          Rows before
        </button>
        <button type="button" disabled={!pages.hasMore} onClick={pages.next}>
          More rows
        </button>
        <span class="quiet" role="status">
          {rows.length === 0 ? "no rows" : `rows ${shown.offset + 1} to ${shown.offset + rows.length}`}
        </span>
      </p>
    </div>
  );
}

interface QuestionProps extends Pick<TablePlace, "places"> {
  readonly shown: Shown;
  readonly onAsk: (changed: Partial<Shown>) => void;
}

/** What is asked: a table of the result, and SQL over it. */
function Question({ places, shown, onAsk }: QuestionProps) {
  const [sql, setSql] = useState(WHOLE);
  const ask = (changed: Partial<Shown>): void => onAsk({ ...changed, sorting: undefined });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask({ sql });
      }}
    >
      {places.length > 1 && (
        <>
          <label for="result-rows">Rows at</label>
          <select id="result-rows" value={shown.rows} onChange={(event) => ask({ rows: event.currentTarget.value })}>
            {places.map((path) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </>
      )}
      <label for="result-sql">SQL over table r</label>
      <input
        id="result-sql"
        class="sql"
        value={sql}
        maxLength={10_000}
        spellcheck={false}
        onInput={(event) => setSql(event.currentTarget.value)}
      />
      <button type="submit">Ask</button>
    </form>
  );
}

interface RowsProps extends Omit<Answer, "note"> {
  readonly sorting: Sorting | undefined;
  readonly onSort: (sorting: Sorting) => void;
}

const Rows = ({ columns, rows, sorting, onSort }: RowsProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable with the keyboard.
  <section class="scroll" tabIndex={0} aria-label="Rows">
    <table>
      <thead>
        <tr>
          {columns.map((name, at) => {
            const order = sorting?.column === at + 1 ? sorting.order : undefined;
            const sort = order === undefined ? "none" : order === "asc" ? "ascending" : "descending";
            return (
              <th key={at} scope="col" aria-sort={sort}>
                <button type="button" onClick={() => onSort(sortedBy(at + 1, sorting))}>
                  {name}
                  {order === undefined ? "" : order === "asc" ? " ↑" : " ↓"}
                </button>
              </th>
            );
          })}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) => (
              <td key={column} class={typeof cell === "number" ? "number" : ""}>
                {textOf(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** A cell as text; nothing for null. */
function textOf(cell: unknown): string {
  const text = cell === null || cell === undefined ? "" : typeof cell === "string" ? cell : writeJson(cell);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
}
