/** The shipped pack `oubliette`: projects, workspaces, sessions and API keys. The work is done in `runtime/packs/oubliette/`. */

import type { StoredObjects } from "../../runtime/contract/pack.js";
import type { HostContext as Context, ShippedBindings } from "../../runtime/packs/host.js";
import { TABLES } from "../../runtime/packs/oubliette/tables.js";
import type * as T from "../../runtime/packs/oubliette/types.js";

export const pack = { summary: "Projects with workspaces and sessions, and the API keys that reach them." };

/** The tables of the pack. */
export const tables = TABLES;

const lookups = () => import("../../runtime/packs/oubliette/store.js");

/** How the project of an object is found. */
export const storedObjects: StoredObjects = {
  kinds: ["project", "workspace", "session"],
  ids: /^(?:prj|wsp|ses)_/,
  projectOf: async (...given) => (await lookups()).projectOf(...given),
  projectExists: async (...given) => (await lookups()).projectExists(...given),
};

const projects = () => import("../../runtime/packs/oubliette/projects.js");
const workspaces = () => import("../../runtime/packs/oubliette/workspaces.js");
const sessions = () => import("../../runtime/packs/oubliette/sessions.js");
const tokens = () => import("../../runtime/packs/oubliette/tokens.js");

/**
 * Creates a project. Names are unique.
 *
 * @op oubliette.project.create
 * @kind write
 * @example {"name": "Apollo"}
 */
export async function project_create(args: T.Name & T.Description, ctx: Context): Promise<T.OublietteProject> {
  return (await projects()).createProject(args, ctx);
}

/**
 * Lists projects, newest first.
 *
 * @op oubliette.project.list
 * @kind read
 */
export async function project_list({ limit = 50, ...args }: T.ProjectQuery, ctx: Context): Promise<T.ProjectList> {
  return (await projects()).listProjects({ ...args, limit }, ctx);
}

/**
 * Tells what the other calls take: scopes of keys, limits, the forms of ids.
 *
 * @op oubliette.project.options
 * @kind read
 */
export async function project_options(): Promise<T.Options> {
  return (await projects()).OPTIONS;
}

/**
 * Shows a project with the number of its workspaces and open sessions.
 *
 * @op oubliette.project.get
 * @kind read
 * @target project
 */
export async function project_get(args: T.ProjectId, ctx: Context): Promise<T.ProjectInFull> {
  return (await projects()).getProject(args, ctx);
}

/**
 * Changes the name or the description of a project.
 *
 * @op oubliette.project.update
 * @kind write
 * @target project
 */
export async function project_update(
  args: T.ProjectId & Partial<T.Name> & T.Description,
  ctx: Context,
): Promise<T.OublietteProject> {
  return (await projects()).updateProject(args, ctx);
}

/**
 * Deletes a project with everything in it, and revokes the keys that are for it alone. A dry run counts them.
 *
 * @op oubliette.project.delete
 * @kind write
 * @target project
 */
export async function project_delete(args: T.ProjectId, ctx: Context): Promise<T.Deleted> {
  return (await projects()).deleteProject(args, ctx);
}

/**
 * Creates a workspace, a group of sessions in a project.
 *
 * @op oubliette.workspace.create
 * @kind write
 * @target project
 */
export async function workspace_create(args: T.ProjectId & T.Name, ctx: Context): Promise<T.Workspace> {
  return (await workspaces()).createWorkspace(args, ctx);
}

/**
 * Lists the workspaces of a project, newest first.
 *
 * @op oubliette.workspace.list
 * @kind read
 * @target project
 */
export async function workspace_list(
  { limit = 50, ...args }: T.ProjectId & T.ListPage,
  ctx: Context,
): Promise<T.WorkspaceList> {
  return (await workspaces()).listWorkspaces({ ...args, limit }, ctx);
}

/**
 * Deletes a workspace. Its sessions stay.
 *
 * @op oubliette.workspace.delete
 * @kind write
 * @target project
 * @project_from workspace_id
 */
export async function workspace_delete(args: T.WorkspaceId, ctx: Context): Promise<T.WorkspaceGone> {
  return (await workspaces()).deleteWorkspace(args, ctx);
}

/**
 * Opens a session in a project.
 *
 * @op oubliette.session.create
 * @kind write
 * @target project
 */
export async function session_create(args: T.SessionNew, ctx: Context): Promise<T.OublietteSession> {
  return (await sessions()).createSession(args, ctx);
}

/**
 * Lists the sessions of a project, newest first.
 *
 * @op oubliette.session.list
 * @kind read
 * @target project
 */
export async function session_list({ limit = 50, ...args }: T.SessionQuery, ctx: Context): Promise<T.SessionList> {
  return (await sessions()).listSessions({ ...args, limit }, ctx);
}

/**
 * Shows a session.
 *
 * @op oubliette.session.get
 * @kind read
 * @target project
 * @project_from session_id
 */
export async function session_get(args: T.SessionId, ctx: Context): Promise<T.OublietteSession> {
  return (await sessions()).getSession(args, ctx);
}

/**
 * Adds a message to an open session.
 *
 * @op oubliette.session.message
 * @kind write
 * @destructive false
 * @target project
 * @project_from session_id
 */
export async function session_message(
  { role = "user", ...args }: T.SessionMessage,
  ctx: Context,
): Promise<T.MessageKept> {
  return (await sessions()).addMessage({ ...args, role }, ctx);
}

/**
 * Lists what was said in a session, in order.
 *
 * @op oubliette.session.events
 * @kind read
 * @target project
 * @project_from session_id
 */
export async function session_events(
  { since_index = 0, limit = 50, ...args }: T.EventQuery,
  ctx: Context,
): Promise<T.EventList> {
  return (await sessions()).listEvents({ ...args, since_index, limit }, ctx);
}

/**
 * Ends a session; one that has ended stays as it is.
 *
 * @op oubliette.session.end
 * @kind write
 * @target project
 * @project_from session_id
 */
export async function session_end(args: T.SessionId, ctx: Context): Promise<T.OublietteSession> {
  return (await sessions()).endSession(args, ctx);
}

/**
 * Deletes sessions of a project that ended a while ago, with what was said in them.
 *
 * @op oubliette.session.cleanup
 * @kind write
 * @target project
 * @destructive
 */
export async function session_cleanup({ older_than_hours = 24, ...args }: T.Cleanup, ctx: Context): Promise<T.Removed> {
  return (await sessions()).cleanUp({ ...args, older_than_hours }, ctx);
}

/**
 * Makes an API key. Its text is shown in this answer and nowhere else.
 *
 * @op oubliette.token.create
 * @kind write
 * @access admin
 * @example {"name": "CI", "scope": "read", "expires_in_days": 30}
 */
export async function token_create(args: T.TokenNew, ctx: Context): Promise<T.TokenMade> {
  return (await tokens()).createToken(args, ctx);
}

/**
 * Lists API keys, newest first, without their texts.
 *
 * @op oubliette.token.list
 * @kind read
 * @access admin
 */
export async function token_list(
  { include_revoked = false, limit = 50, ...args }: T.TokenQuery,
  ctx: Context,
): Promise<T.TokenList> {
  return (await tokens()).listTokens({ ...args, include_revoked, limit }, ctx);
}

/**
 * Revokes an API key, and those that it made. What runs with them is ended.
 *
 * @op oubliette.token.revoke
 * @kind write
 * @access admin
 * @destructive
 */
export async function token_revoke({ cascade = true, ...args }: T.TokenEnd, ctx: Context): Promise<T.TokenRevoked> {
  return (await tokens()).revokeToken({ ...args, cascade }, ctx);
}

const stored = { transactional: true } as const;

/** How the functions are bound. Keys have a store of their own, which no transaction holds together with this one. */
export const bindings = {
  project_create: stored,
  project_list: stored,
  project_get: stored,
  project_update: stored,
  project_delete: { plan: async (args: T.ProjectId, ctx: Context) => (await projects()).planDeletion(args, ctx) },
  workspace_create: stored,
  workspace_list: stored,
  workspace_delete: stored,
  session_create: stored,
  session_list: stored,
  session_get: stored,
  session_message: stored,
  session_events: stored,
  session_end: stored,
  session_cleanup: stored,
  token_create: { keep: ({ key: _, ...record }: T.TokenMade) => record },
} as const satisfies ShippedBindings;
