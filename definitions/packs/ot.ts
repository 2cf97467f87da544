/** The shipped pack `ot`: what the product offers, for the model that uses it. The work is done in `runtime/packs/ot/`. */

import type { HostContext as Context, ShippedBindings } from "../../runtime/packs/host.js";

export const pack = { summary: "What there is: tools, packs, snippets, help, stored results, several calls at once." };

/** What a list shows, and how much of it. */
interface Listing {
  /**
   * Part of a name, letter case ignored; empty for all.
   *
   * @default ""
   */
  pattern?: string;
  /**
   * list (names), min (with one sentence) or full.
   *
   * @default "min"
   */
  info?: string;
}

/**
 * Lists tools.
 *
 * @kind read
 * @example {"pattern": "search", "info": "full"}
 */
export async function tools({ pattern = "", info = "min" }: Listing, ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/lists.js")).toolsListing(pattern, info, ctx);
}

/**
 * Lists packs with the number of their tools; in full, with instructions and tools.
 *
 * @kind read
 */
export async function packs({ pattern = "", info = "min" }: Listing, ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/lists.js")).listPacks(pattern, info, ctx);
}

/**
 * Lists aliases, the short names of tools. The pattern fits targets too.
 *
 * @kind read
 */
export async function aliases({ pattern = "", info = "min" }: Listing, ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/lists.js")).listAliases(pattern, info, ctx);
}

/**
 * Lists snippets, templates of code that are called as $name key=value. The pattern fits descriptions too.
 *
 * @kind read
 */
export async function snippets({ pattern = "", info = "min" }: Listing, ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/lists.js")).listSnippets(pattern, info, ctx);
}

/**
 * Explains a tool, pack, $snippet or alias, or searches all of them; without a query, how to find things.
 *
 * @param args.query - a name, or words to search for
 * @param args.info - list (names), min or full
 * @kind read
 * @example {"query": "fetch a web page"}
 */
export async function help(
  { query = "", info = "min" }: { query?: string; info?: string },
  ctx: Context,
): Promise<string> {
  return (await import("../../runtime/packs/ot/help.js")).helpPage(query, info, ctx);
}

/** What is configured. */
interface Configuration {
  /** Alias to target. */
  aliases: { [name: string]: string };
  snippets: { [name: string]: { description?: string } };
  servers: readonly string[];
}

/**
 * Shows the configured aliases, snippets and servers.
 *
 * @kind read
 */
export async function config(ctx: Context): Promise<Configuration> {
  return (await import("../../runtime/packs/ot/state.js")).configuration(ctx);
}

/** How the product does. */
interface Health {
  version: string;
  /** Language version of run. */
  python: string;
  cwd: string;
  registry: {
    /** ok, or stale where definitions changed since the last generate. */
    status: string;
    /** @integer */
    tool_count: number;
    remedy?: string;
  };
  proxy: {
    status: string;
    /** @integer */
    server_count: number;
    servers?: { [name: string]: string };
  };
}

/**
 * Checks the registry and the servers.
 *
 * @kind read
 */
export async function health(ctx: Context): Promise<Health> {
  return (await import("../../runtime/packs/ot/state.js")).health(ctx);
}

/**
 * Reads the configuration and generated/ again; calls from then on use them. Where anything is wrong, all stays as it is.
 *
 * @kind read
 * @access write
 */
export async function reload(ctx: Context): Promise<string> {
  const answer = await ctx.host.reload();
  if (!answer.startsWith("OK")) ctx.failedAs?.("VALIDATION_ERROR");
  return answer;
}

/**
 * Tells the version of the product.
 *
 * @kind read
 */
export async function version({ host }: Context): Promise<string> {
  return host.project.version;
}

/**
 * Shows how often tools were called, how it went, how long it took, and what the client did not have to read.
 *
 * @param args.period - day, week, month or all
 * @param args.tool - only this tool; empty for all
 * @param args.output - file for a report with charts, such as stats.html; empty for none
 * @kind read
 */
export async function stats(
  { period = "all", tool = "", output = "" }: { period?: string; tool?: string; output?: string },
  ctx: Context,
): Promise<unknown> {
  return (await import("../../runtime/packs/ot/stats.js")).statistics({ period, tool, output }, ctx);
}

/** The handle of a stored result, or the answer that has it; in SQL also handles by table. */
type Handle = string | { [key: string]: unknown };

/** Which lines of which result. */
interface ResultQuery {
  /** Of a reply that was stored, or the answer of ot.keep. */
  handle: Handle;
  /**
   * First line, from 1.
   *
   * @integer
   * @default 1
   */
  offset?: number;
  /**
   * Most lines.
   *
   * @integer
   * @default 100
   */
  limit?: number;
  /**
   * Only lines that this regular expression fits, letter case ignored; offset and limit then count these.
   *
   * @default ""
   */
  search?: string;
  /** Search for words that are near, best first. */
  fuzzy?: boolean;
}

/**
 * Pages through a stored result, or searches its lines.
 *
 * @kind read
 */
export async function result(
  { handle, offset = 1, limit = 100, search = "", fuzzy = false }: ResultQuery,
  ctx: Context,
): Promise<unknown> {
  return (await import("../../runtime/packs/ot/result.js")).resultPage({ handle, offset, limit, search, fuzzy }, ctx);
}

/** A question about stored results. */
interface SqlQuery {
  /** Of a reply that was stored, or the answer of ot.keep: table r. Or several: {"i": handle, "p": handle}, tables i and p. */
  handle: Handle;
  /**
   * One SELECT of SQLite, such as: select state, count(*) n from r group by 1. Nested values are JSON: team->>'name'.
   * @pattern \S
   */
  sql: string;
  /**
   * Path to the list of rows in a result, such as data.issues; empty: the result, or its only list. Or paths by table.
   *
   * @default ""
   */
  rows?: string | { [table: string]: string };
}

/**
 * Asks stored results with SQL: filters, counts, groups, joins. Gives columns and at most 200 rows.
 *
 * @kind read
 */
export async function query({ handle, sql, rows = "" }: SqlQuery, ctx: Context): Promise<unknown> {
  return (await import("../../runtime/packs/ot/query.js")).queryResults({ handle, sql, rows }, ctx);
}

/** Which result. */
interface Stored {
  /** Of a reply that was stored, or the answer of ot.keep. */
  handle: Handle;
}

/**
 * Reads a stored result back whole, for a program: its value, or its text if it is no JSON.
 *
 * @kind read
 */
export async function load({ handle }: Stored, ctx: Context): Promise<unknown> {
  return (await import("../../runtime/packs/ot/result.js")).loadResult(handle, ctx);
}

/** What was stored. */
interface Kept {
  /** For ot.query, ot.result and ot.load, until it expires. */
  handle: string;
  /** @integer */
  size_bytes: number;
  /** The tables in it with their columns, as SQL sees them: r(id integer, name text), 3 rows. */
  table?: string;
}

/**
 * Stores a value of a program for later calls: kept = ot.keep(rows), then ot.query(kept, sql).
 *
 * @param args.value - rows, or any other value of JSON
 * @kind read
 */
export async function keep({ value }: { value: unknown }, ctx: Context): Promise<Kept> {
  return (await import("../../runtime/packs/ot/result.js")).keepResult(value, ctx);
}

/**
 * Lists your programs that have written something: those that pause with the calls that wait for a person, those that were
 * interrupted, and those that have ended.
 *
 * @kind read
 */
export async function runs(ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/runs.js")).ownRuns(ctx);
}

/** Which run. */
interface RunId {
  /**
   * of the run, such as run_k3v9q2m4x7ab
   * @pattern \S
   */
  id: string;
}

/**
 * Goes on with a program of yours that paused or was interrupted. Gives what run would have answered, or the pause again.
 *
 * @kind read
 * @access write
 */
export async function resume({ id }: RunId, ctx: Context): Promise<string> {
  return (await import("../../runtime/packs/ot/runs.js")).resumeOwnRun(id, ctx);
}

/** A message. */
interface Notice {
  /**
   * such as status:scan
   * @pattern \S
   */
  topic: string;
  /**
   * what to append
   * @pattern \S
   */
  message: string;
}

/**
 * Appends a message to the file that is configured for its topic.
 *
 * @kind read
 * @access write
 */
export async function notify({ topic, message }: Notice, ctx: Context): Promise<string> {
  return (await import("../../runtime/packs/ot/notify.js")).notify(topic, message, ctx);
}

/**
 * Makes several calls at once: a list of (op, args). Gives their values in order; where one fails, {"error": text} in its place.
 *
 * @param args.calls - pairs of an op and its arguments: ["pack.op", {"name": "value"}]
 * @kind read
 * @example {"calls": [["ot.version"], ["ot.tools", {"info": "list"}]]}
 */
export async function batch({ calls }: { calls: unknown[] }, ctx: Context): Promise<unknown[]> {
  return (await import("../../runtime/packs/ot/batch.js")).batch(calls, ctx);
}

/**
 * How the functions are bound: the calls of a batch, and what is kept, pass on what they are given. A preview of a program
 * makes the calls of a batch, and calls nothing that has an effect of its own. Those that count as reads and still change
 * something refuse a dry run and an idempotency key.
 */
export const bindings = {
  batch: { exactNumbers: true, inPreview: "run", effect: "calls" },
  keep: { exactNumbers: true, inPreview: "skip" },
  reload: { inPreview: "skip", effect: "own" },
  resume: { inPreview: "skip", effect: "own" },
  notify: { inPreview: "skip", effect: "own" },
  stats: { inPreview: "skip" },
} as const satisfies ShippedBindings;
