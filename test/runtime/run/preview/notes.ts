/** A pack whose writes are transactions, and a tracker elsewhere, for tests of previews. */

import { randomUUID } from "node:crypto";
import { type Context, fail } from "../../../../runtime/contract/handler.js";
import type { JsonObject, JsonSchema } from "../../../../runtime/contract/registry.js";
import { defineTables } from "../../../../runtime/contract/tables.js";
import { queries } from "../../../../runtime/state/schema.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";
import type { ServerOptions } from "../kept/databases.js";

export const NOTES = defineTables({
  name: "notes",
  versions: [
    {
      version: 1,
      statements: ({ text }) => [`create table notes_entries (id ${text} primary key, body ${text} not null)`],
    },
  ],
});

// The rows of the runtime have no such table.
const entries = (ctx: Context) => (ctx.tx ? (queries(ctx.tx) as never as NotesQueries) : fail("INTERNAL", "no tx"));
type NotesQueries = import("kysely").Kysely<{ notes_entries: { id: string; body: string } }>;

const stored = (run: (args: JsonObject, ctx: Context) => Promise<unknown>) =>
  ({ run, transactional: true, tables: NOTES }) as never;
const one = async (ctx: Context, id: unknown) =>
  (await entries(ctx).selectFrom("notes_entries").selectAll().where("id", "=", String(id)).executeTakeFirst()) ??
  fail("NOT_FOUND", `there is no note ${id}`);

const TEXT = { type: "string" };
const tool = (op: string, kind: "read" | "write", args: Record<string, JsonSchema>, result?: JsonSchema) =>
  toolOf({
    op,
    tool: op.replaceAll(".", "_"),
    kind,
    schema: closed(args as JsonObject, Object.keys(args)),
    extra: { target: "global", ...(result ? { result_schema: result } : {}) },
  });

const ISSUE = {
  type: "object",
  properties: { id: TEXT, number: { type: "integer" }, url: TEXT, labels: { type: "array", items: TEXT } },
  required: ["id", "number"],
};

export const TOOLS = [
  tool("notes.add", "write", { body: TEXT }),
  tool("notes.edit", "write", { id: TEXT, body: TEXT }),
  tool("notes.remove", "write", { id: TEXT }),
  tool("notes.list", "read", {}),
  tool("tracker.open", "write", { title: TEXT }, ISSUE),
  tool("tracker.comment", "write", { issue: TEXT, text: TEXT }),
  tool("tracker.close", "write", { number: { type: "integer" } }, ISSUE),
  tool("tracker.get", "read", { issue: TEXT }, ISSUE),
];

/** What reaches the tracker. */
export interface Tracker {
  readonly seen: string[];
}

/** A server with both. */
export function notesServer(tracker: Tracker, more: ServerOptions = {}): ServerOptions {
  const sends = (op: string) => async (args: JsonObject) => {
    tracker.seen.push(op);
    return { id: `issue-${tracker.seen.length}00`, number: tracker.seen.length, ...args, labels: [] };
  };
  return {
    approve: [],
    ...more,
    more: [...TOOLS, ...(more.more ?? [])],
    handlers: {
      "notes.add": stored(async ({ body }, ctx) => {
        const row = { id: `note-${ctx.seed?.slice(0, 12) ?? randomUUID()}`, body: String(body) };
        await entries(ctx).insertInto("notes_entries").values(row).execute();
        return { note: row };
      }),
      "notes.edit": stored(async ({ id, body }, ctx) => {
        await one(ctx, id);
        await entries(ctx)
          .updateTable("notes_entries")
          .set({ body: String(body) })
          .where("id", "=", String(id))
          .execute();
        return { edited: id };
      }),
      "notes.remove": stored(async ({ id }, ctx) => {
        await one(ctx, id);
        await entries(ctx).deleteFrom("notes_entries").where("id", "=", String(id)).execute();
        return { removed: id };
      }),
      "notes.list": stored(async (_, ctx) => ({
        items: await entries(ctx).selectFrom("notes_entries").selectAll().orderBy("body").execute(),
      })),
      "tracker.open": sends("open") as never,
      "tracker.comment": sends("comment") as never,
      "tracker.close": { run: sends("close"), plan: async ({ number }: JsonObject) => ({ closes: number }) } as never,
      "tracker.get": sends("get") as never,
      ...more.handlers,
    },
  };
}
