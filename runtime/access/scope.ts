/** Parses scopes, as people write them, to the grants that are stored. */

import type { Grant } from "../contract/handler.js";

/** The grant of a scope, or what is wrong with the scope. */
export type ParsedScope = { readonly kind: "grant"; readonly grant: Grant } | Fault;

interface Fault {
  readonly kind: "fault";
  readonly message: string;
}

/** Whether a project exists: `prj_…` of the pack oubliette, `proj_…` of the pack onto. */
export type ProjectExists = (id: string) => Promise<boolean>;

/** All forms of a scope. */
export const SCOPES = ["admin", "write", "read", "admin:ro", "project:<id>", "project:<id>:ro"] as const;

const WORDS: ReadonlyMap<string, Grant> = new Map<string, Grant>([
  ["admin", { level: "admin", projects: "*" }],
  ["write", { level: "write", projects: "*" }],
  ["read", { level: "read", projects: "*" }],
  ["admin:ro", { level: "read", projects: "*" }],
]);
const PROJECT = /^project:(prj_[a-z2-7]{16}|proj_[A-Za-z0-9_-]{1,60})(:ro)?$/;

const fault = (message: string): Fault => ({ kind: "fault", message });

/** Parses a scope. Case and white space are significant; the existence of its project is not checked. */
export function parseScope(text: string): ParsedScope {
  const grant = WORDS.get(text);
  if (grant) return { kind: "grant", grant };
  const [, project, readOnly] = PROJECT.exec(text) ?? [];
  if (project !== undefined)
    return { kind: "grant", grant: { level: readOnly ? "read" : "write", projects: [project] } };
  return fault(
    text.startsWith("project:")
      ? "no id of a project follows project: in the scope; it is prj_… or proj_…, and :ro may come after it"
      : `not a scope; write one of ${SCOPES.join(", ")}`,
  );
}

/** As {@link parseScope}, and checks that the project exists. */
export async function checkScope(text: string, exists: ProjectExists): Promise<ParsedScope> {
  const parsed = parseScope(text);
  if (parsed.kind === "fault" || parsed.grant.projects === "*") return parsed;
  for (const project of parsed.grant.projects)
    if (!(await exists(project))) return fault(`there is no project ${project}`);
  return parsed;
}
