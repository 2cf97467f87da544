/** The ops `oubliette.session.*`. */

import { fieldError, invalid } from "../../contract/error-body.js";
import { fail } from "../../contract/handler.js";
import type { HostContext } from "../host.js";
import {
  isAfter,
  newId,
  notFound,
  type PageBounds,
  pageOfRows,
  projectRow,
  sessionRow,
  storeOf,
  workspaceRow,
} from "./store.js";
import type * as T from "./types.js";

/** Longest message in bytes. */
const LARGEST_TEXT = 65_536;

/** `oubliette.session.create`. Returns NOT_FOUND for a workspace of another project. */
export async function createSession(
  { project_id, workspace_id, title = "" }: T.SessionNew,
  ctx: HostContext,
): Promise<T.OublietteSession> {
  const store = storeOf(ctx);
  await projectRow(store, project_id, "keep");
  if (workspace_id !== undefined && (await workspaceRow(store, workspace_id, "keep")).project_id !== project_id)
    notFound("workspace", workspace_id);
  const session: T.OublietteSession = {
    id: newId("session"),
    project_id,
    workspace_id: workspace_id ?? null,
    title,
    status: "open",
    created_at: store.now,
    ended_at: null,
    last_index: 0,
  };
  await store.db.insertInto("oubliette_sessions").values(session).execute();
  return session;
}

/** `oubliette.session.list`. */
export async function listSessions(
  { project_id, status, limit, cursor }: T.SessionQuery & PageBounds,
  ctx: HostContext,
): Promise<T.SessionList> {
  const store = storeOf(ctx);
  await projectRow(store, project_id);
  const all = store.db
    .selectFrom("oubliette_sessions")
    .selectAll()
    .where("project_id", "=", project_id)
    .where(isAfter(cursor));
  const rows = await (status === undefined ? all : all.where("status", "=", status))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const { items, next } = pageOfRows(rows, limit);
  return { sessions: items, ...next };
}

/** `oubliette.session.get`. */
export const getSession = ({ session_id }: T.SessionId, ctx: HostContext): Promise<T.OublietteSession> =>
  sessionRow(storeOf(ctx), session_id);

/**
 * `oubliette.session.message`: the index is assigned in the transaction that stores the event, so that indexes have no
 * gaps or duplicates.
 */
export async function addMessage(
  { session_id, text, role = "user" }: T.SessionMessage,
  ctx: HostContext,
): Promise<T.MessageKept> {
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_TEXT)
    invalid([fieldError("text", "maxLength", `text has ${bytes} bytes`, `at most ${LARGEST_TEXT} bytes`, text)]);
  const store = storeOf(ctx);
  await sessionRow(store, session_id, "change");
  const counted = await store.db
    .updateTable("oubliette_sessions")
    .set(({ eb }) => ({ last_index: eb("last_index", "+", 1) }))
    .where("id", "=", session_id)
    .where("status", "=", "open")
    .returning("last_index")
    .executeTakeFirst();
  if (!counted)
    return fail("CONFLICT", `Session ${session_id} has ended. Create another one.`, { status: "ended", session_id });
  const index = counted.last_index;
  const event = { session_id, event_index: index, at: store.now, type: "message" as const, role, text };
  await store.db.insertInto("oubliette_events").values(event).execute();
  return { session_id, index };
}

/** `oubliette.session.events`. */
export async function listEvents(
  { session_id, since_index = 0, limit }: T.EventQuery & PageBounds,
  ctx: HostContext,
): Promise<T.EventList> {
  const store = storeOf(ctx);
  const { last_index, status } = await sessionRow(store, session_id);
  const events = await store.db
    .selectFrom("oubliette_events")
    .select(["event_index as index", "at", "type", "role", "text"])
    .where("session_id", "=", session_id)
    .where("event_index", ">", since_index)
    .orderBy("event_index")
    .limit(limit)
    .execute();
  return { events, last_index, status };
}

/** `oubliette.session.end`: an ended session is unchanged. */
export async function endSession({ session_id }: T.SessionId, ctx: HostContext): Promise<T.OublietteSession> {
  const store = storeOf(ctx);
  const session = await sessionRow(store, session_id, "change");
  if (session.status === "ended") return session;
  const end = { status: "ended", ended_at: store.now } as const;
  await store.db.updateTable("oubliette_sessions").set(end).where("id", "=", session_id).execute();
  return { ...session, ...end };
}

/** `oubliette.session.cleanup`. */
export async function cleanUp(
  { project_id, older_than_hours }: T.ProjectId & Required<T.Cleanup>,
  ctx: HostContext,
): Promise<T.Removed> {
  const store = storeOf(ctx);
  await projectRow(store, project_id, "change");
  const before = new Date(Date.parse(store.now) - older_than_hours * 3_600_000).toISOString();
  const gone = await store.db
    .deleteFrom("oubliette_sessions")
    .where("project_id", "=", project_id)
    .where("status", "=", "ended")
    .where("ended_at", "<=", before)
    .executeTakeFirst();
  return { removed: Number(gone.numDeletedRows) };
}
