/** Opens the state database: embedded by default, PostgreSQL by URL, one interface for both (`architecture.md`, state). */

import { AsyncLocalStorage } from "node:async_hooks";
import type { KyselyPlugin, Transaction as KyselyTransaction } from "kysely";
import type { Transaction } from "../contract/handler.js";
import { UsageError } from "../usage-error.js";
import { classify, classifyOpening } from "./failure.js";
import type { Dialect } from "./migrations.js";
import type { Database } from "./schema.js";

/** An open state database. */
export interface State {
  /**
   * Runs in one transaction; "write" takes the write lock from the start (SQLite: BEGIN IMMEDIATE). Rolled back when `run` throws.
   * The transaction handed out refuses queries once `run` has settled.
   *
   * @throws ToolFailure UNAVAILABLE with `retry_after_ms` when a lock is held for 5 s or the database is out of reach
   */
  transaction<T>(mode: "read" | "write", run: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Waits for running transactions and closes the connections. */
  close(): Promise<void>;
}

/** What a driver gives: transactions of its own kind. */
export interface Connected {
  readonly dialect: Dialect;
  transaction<T>(mode: "read" | "write", run: (tx: KyselyTransaction<Database>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Whether a transaction still takes queries. */
interface Span {
  open: boolean;
}

/** Stops queries of work that outlived its transaction: on a shared connection they would land in another one. */
const guard = (span: Span): KyselyPlugin => ({
  transformQuery({ node }) {
    if (!span.open) throw new Error("the transaction has ended: nothing can be read or written through it any more");
    return node;
  },
  transformResult: async ({ result }) => result,
});

async function connect(url: string, root: string): Promise<Connected> {
  if (url === "") return (await import("./sqlite.js")).openSqlite(root);
  if (/^postgres(ql)?:\/\//.test(url)) return (await import("./postgres.js")).openPostgres(url);
  const scheme = /^[a-z]+:/i.exec(url)?.[0] ?? "no scheme";
  throw new UsageError(`state is a postgres:// URL or empty for .onetool/state.db, not ${scheme}`);
}

function stateOf(connected: Connected): State {
  const current = new AsyncLocalStorage<Span>();
  let closed = false;
  const spanned = async <T>(span: Span, tx: KyselyTransaction<Database>, run: (tx: Transaction) => Promise<T>) => {
    try {
      return await current.run(span, () => run(tx.withPlugin(guard(span))));
    } finally {
      span.open = false;
    }
  };
  return {
    async transaction(mode, run) {
      if (closed) throw new Error("the state database is closed");
      // It would wait for itself for ever.
      if (current.getStore()?.open) throw new Error("a transaction cannot be opened inside another one");
      try {
        return await connected.transaction(mode, (tx) => spanned({ open: true }, tx, run));
      } catch (error) {
        throw classify(error);
      }
    },
    async close() {
      if (closed) return;
      closed = true;
      await connected.close();
    },
  };
}

/**
 * Opens the state database and brings its tables up to date.
 *
 * @param options.url empty for `.onetool/state.db` under `root`, or a `postgres://` URL
 * @throws UsageError when the URL is of another kind, the database refuses, or a newer version wrote it;
 *   ToolFailure UNAVAILABLE when it is locked or out of reach
 */
export async function openState(options: { readonly url: string; readonly root: string }): Promise<State> {
  let connected: Connected | undefined;
  try {
    connected = await connect(options.url, options.root);
    const { dialect, transaction } = connected;
    const [{ migrate }, { MIGRATIONS }] = await Promise.all([import("./migrate.js"), import("./migrations.js")]);
    await transaction("write", (tx) => migrate(tx as never, dialect, MIGRATIONS));
    return stateOf(connected);
  } catch (error) {
    await connected?.close();
    throw classifyOpening(error);
  }
}
