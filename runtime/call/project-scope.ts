/** Checks permission for the projects of the objects that a call names. */

import { allowed, grantFor } from "../contract/grant.js";
import { fail } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import type { JsonSchema, JsonValue } from "../contract/registry.js";
import { matchingBranch } from "./arguments/branch.js";
import { memberSchema } from "./arguments/schema.js";
import type { CheckedCall } from "./call.js";
import { withinCall } from "./within-call.js";

/** An id argument: the kind of its object, and the id. */
interface NamedId {
  readonly kind: string;
  readonly id: string;
}

/**
 * Resolves every id argument of a project op to its project and checks the grant for each.
 *
 * A call without ids counts as global; its handler filters rows by the grant. Objects of two projects in one call are
 * refused as if the second did not exist, even for a key that has both projects; a caller with all projects is left to
 * the handler.
 *
 * @throws ToolFailure NOT_FOUND, the same for an object that does not exist and one that may not be seen
 */
export async function authoriseProjects(call: CheckedCall): Promise<void> {
  const { services, principal, tool, completeArgs, options } = call;
  const grant = grantFor(tool, principal.grant);
  if (grant.projects === "*" || tool.target === "global") return;
  const ids = idsIn(completeArgs, tool.parameters_schema, tool.parameters_schema);
  if (ids.length === 0 && !allowed({ op: tool.op, access: tool.access, target: "global" }, grant))
    fail("NOT_FOUND", `${tool.op} needs the id of something in a project of this key.`, {});
  const preview = options.run?.preview;
  const data = preview && (await withinCall(call, () => preview.data()));
  let only: string | undefined;
  for (const { kind, id } of ids) {
    const project = kind === "project" ? id : await withinCall(call, async () => services.projectOf?.(kind, id, data));
    if (!allowed(tool, grant, project) || project !== (only ?? project))
      fail("NOT_FOUND", `No ${kind === "" ? "object" : kind} ${id}.`, { kind, id });
    only = project;
  }
}

function idsIn(value: JsonValue, schema: JsonSchema, root: JsonSchema): readonly NamedId[] {
  const rule = matchingBranch(schema, value, root);
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
