/** The project half of the predicate: on the objects that a call really touches. */

import { allowed } from "../access/grant.js";
import { speaking } from "../arguments/branch.js";
import { memberSchema } from "../arguments/schema.js";
import { fail } from "../contract/handler.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../contract/registry.js";
import { isObject } from "../json.js";
import type { Job, Kit } from "./job.js";

/** An id argument: what kind of thing it names, and which. */
interface NamedId {
  readonly kind: string;
  readonly id: string;
}

/**
 * Resolves every id argument of a project op to its project and asks the predicate about each.
 *
 * A call that names nothing counts as a global one; its handler filters rows by the grant. Things of two projects in one call are
 * refused as if the second was not there, even to a key that has both; who has all projects is left to the handler.
 *
 * @throws ToolFailure NOT_FOUND, the same for an object that does not exist and one that may not be seen
 */
export async function authoriseProjects(kit: Kit, job: Job, tool: Tool, args: JsonObject): Promise<void> {
  const { grant } = job.principal;
  if (grant.projects === "*" || tool.target === "global") return;
  const ids = idsIn(args, tool.parameters_schema, tool.parameters_schema);
  if (ids.length === 0 && !allowed({ access: tool.access, target: "global" }, grant))
    fail("NOT_FOUND", `${tool.op} needs the id of something in a project of this key.`, {});
  let only: string | undefined;
  for (const { kind, id } of ids) {
    const project = kind === "project" ? id : await kit.options.projectOf?.(kind, id);
    if (!allowed(tool, grant, project) || project !== (only ?? project))
      fail("NOT_FOUND", `No ${kind === "" ? "object" : kind} ${id}.`, { kind, id });
    only = project;
  }
}

function idsIn(value: JsonValue, schema: JsonSchema, root: JsonSchema): readonly NamedId[] {
  const rule = speaking(schema, value, root);
  const kind = rule["x-id"] ?? schema["x-id"];
  if (typeof value === "string") return typeof kind === "string" ? [{ kind, id: value }] : [];
  const members: readonly (readonly [string | number, JsonValue])[] = Array.isArray(value)
    ? value.map((item: JsonValue, index) => [index, item])
    : isObject(value)
      ? Object.entries(value)
      : [];
  return members.flatMap(([key, member]) => {
    const declared = memberSchema(rule, key);
    return declared ? idsIn(member, declared, root) : [];
  });
}
