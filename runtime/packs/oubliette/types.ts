/** Arguments and results of the pack `oubliette`. The comments become the descriptions in its schemas. */

/** Which part of a list. */
export interface ListPage {
  /**
   * Most items.
   * @integer
   * @minimum 1
   * @maximum 200
   */
  limit?: number;
  /**
   * next_cursor of the page before.
   * @maxLength 200
   */
  cursor?: string;
}

/** A list that may go on. */
export interface Paged {
  /** Set where there is more. */
  next_cursor?: string;
}

export interface ProjectId {
  /**
   * Which project.
   * @id project
   * @pattern ^prj_[a-z2-7]{16}$
   */
  project_id: string;
}

export interface WorkspaceId {
  /**
   * Which workspace.
   * @id workspace
   * @pattern ^wsp_[a-z2-7]{16}$
   */
  workspace_id: string;
}

export interface SessionId {
  /**
   * Which session.
   * @id session
   * @pattern ^ses_[a-z2-7]{16}$
   */
  session_id: string;
}

export interface Name {
  /**
   * Begins with no blank.
   * @minLength 1
   * @maxLength 80
   * @pattern ^[^\s\u0000][^\u0000]*$
   */
  name: string;
}

export interface Description {
  /**
   * What it is about.
   * @maxLength 2000
   * @pattern ^[^\u0000]*$
   */
  description?: string;
}

export interface ProjectQuery extends ListPage {
  /**
   * Part of the name, ASCII letters in any case.
   * @maxLength 80
   * @pattern ^[^\u0000]*$
   */
  name_contains?: string;
}

export interface SessionNew extends ProjectId, Partial<WorkspaceId> {
  /**
   * What it is about.
   * @maxLength 200
   * @pattern ^[^\u0000]*$
   */
  title?: string;
}

export interface SessionQuery extends ProjectId, ListPage {
  /** Only these. */
  status?: "open" | "ended";
}

export interface SessionMessage extends SessionId {
  /**
   * At most 64 KiB of UTF-8.
   * @minLength 1
   * @maxLength 65536
   * @pattern ^\s*[^\s\u0000][^\u0000]*$
   */
  text: string;
  /** Who says it. */
  role?: "user" | "assistant" | "tool";
}

export interface EventQuery extends SessionId, Pick<ListPage, "limit"> {
  /**
   * Only events after this index.
   * @integer
   * @minimum 0
   * @maximum 9007199254740991
   */
  since_index?: number;
}

export interface Cleanup extends ProjectId {
  /**
   * Only those that ended this long ago.
   * @minimum 0
   * @maximum 876000
   */
  older_than_hours?: number;
}

export interface TokenNew extends Name {
  /**
   * admin, write, read, admin:ro, project:ID or project:ID:ro.
   * @maxLength 100
   * @pattern \S
   */
  scope: string;
  /**
   * Life in days; without it, 90.
   * @integer
   * @minimum 1
   * @maximum 3650
   */
  expires_in_days?: number;
  /** For a key that never expires. */
  no_expiry?: boolean;
}

export interface TokenQuery extends ListPage {
  /** Expired and revoked keys too. */
  include_revoked?: boolean;
}

export interface TokenEnd {
  /**
   * Which key.
   * @pattern ^[a-z2-7]{10}$
   */
  key_id: string;
  /** Revoke the keys that it made as well. */
  cascade?: boolean;
}

/** A place for workspaces and sessions. */
export interface OublietteProject {
  id: string;
  name: string;
  description: string;
  created_at: string;
  updated_at: string;
}

/** A project, and what is in it. */
export interface ProjectInFull extends OublietteProject {
  /** @integer */
  open_sessions: number;
  /** @integer */
  workspaces: number;
}

export interface ProjectList extends Paged {
  projects: OublietteProject[];
}

/** For filling in the other calls. */
export interface Options {
  /** Scopes that a key can have; ID stands for a project. */
  scopes: string[];
  limits: { [name: string]: number };
  /** Regular expressions by kind. */
  id_patterns: { [kind: string]: string };
}

/** What is gone, or would be. */
export interface Deleted {
  id: string;
  deleted: {
    /** @integer */
    sessions: number;
    /** @integer */
    workspaces: number;
    /** @integer */
    events: number;
    /**
     * Keys for this project alone, which are revoked.
     * @integer
     */
    keys: number;
  };
}

/** A group of sessions. */
export interface Workspace {
  id: string;
  project_id: string;
  name: string;
  created_at: string;
}

export interface WorkspaceList extends Paged {
  workspaces: Workspace[];
}

export interface WorkspaceGone {
  id: string;
  /** @integer */
  sessions_detached: number;
}

/** A conversation. */
export interface OublietteSession {
  id: string;
  project_id: string;
  workspace_id: string | null;
  title: string;
  status: "open" | "ended";
  created_at: string;
  ended_at: string | null;
  /**
   * Index of the last event; 0 before the first.
   * @integer
   */
  last_index: number;
}

export interface SessionList extends Paged {
  sessions: OublietteSession[];
}

export interface MessageKept {
  session_id: string;
  /** @integer */
  index: number;
}

/** One thing that was said. */
export interface Event {
  /**
   * From 1, without gaps.
   * @integer
   */
  index: number;
  at: string;
  type: "message";
  role: "user" | "assistant" | "tool";
  text: string;
}

export interface EventList {
  events: Event[];
  /**
   * Of the session: there is more while it is over the index of the last event here.
   * @integer
   */
  last_index: number;
  status: "open" | "ended";
}

export interface Removed {
  /** @integer */
  removed: number;
}

/** A key; its text is in no other answer. */
export interface TokenMade {
  key_id: string;
  key: string;
  name: string;
  scope: string;
  expires_at: string | null;
}

/** What is known of a key. */
export interface Token {
  key_id: string;
  name: string;
  scope: string;
  created_at: string;
  created_by: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  state: "live" | "expired" | "revoked";
}

export interface TokenList extends Paged {
  tokens: Token[];
}

export interface TokenRevoked {
  revoked: string[];
}
