/**
 * A small independent model of access for every op and every kind of key, and the calls that check it. It does not use
 * the product's predicate.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject, JsonValue } from "../../../../runtime/codegen.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { CHECKOUT, type Json } from "../../../support/project.js";

/** Every op of this repository. */
export const TOOLS: readonly Tool[] = JSON.parse(readFileSync(join(CHECKOUT, "generated/registry.json"), "utf8")).tools;

/** Kinds of keys. The projects are `prj_…` of the pack oubliette and `proj_…` of the pack onto; each has a sibling that no key names. */
export const HOLDERS = [
  "admin",
  "write",
  "read",
  "admin:ro",
  "project:prj",
  "project:prj:ro",
  "project:proj",
  "expired",
  "revoked",
  "garbage",
] as const;

/** Who calls. */
export type Holder = (typeof HOLDERS)[number];

/** The level of each kind, and its only project; keys that are dead have neither. */
const MEANING: Readonly<Record<Holder, readonly [level: string, only?: string] | undefined>> = {
  admin: ["admin"],
  write: ["write"],
  read: ["read"],
  "admin:ro": ["read"],
  "project:prj": ["write", "prj one"],
  "project:prj:ro": ["read", "prj one"],
  "project:proj": ["write", "proj one"],
  expired: undefined,
  revoked: undefined,
  garbage: undefined,
};

const ORDER = ["read", "write", "admin"];
/** Projects that a call may be about; undefined is a call that names none. */
const PROJECTS = ["prj one", "prj two", "proj one", "proj two", "none", undefined];

/** Whether the table of grants allows an op on a project. */
function isAllowed({ access, target }: Tool, [level, only]: readonly [string, string?], project?: string): boolean {
  if (ORDER.indexOf(level) < ORDER.indexOf(access)) return false;
  if (only === undefined) return true;
  return target === "global" || project === undefined ? access === "read" : project === only;
}

/** Whether a caller is shown an op: there is a project for which it may call it. */
export function isSeen(tool: Tool, who: Holder): boolean {
  const grant = MEANING[who];
  return grant !== undefined && PROJECTS.some((project) => isAllowed(tool, grant, project));
}

/** Whether the key is one that may call at all. */
export const isLive = (who: Holder): boolean => MEANING[who] !== undefined;

/** With what an op is called: arguments that do not fit, and objects of the first project, of the second one, or of none. */
export const CASES = ["wrong", "bare", "one", "two", "none"] as const;
export type Case = (typeof CASES)[number];

/** A call of the matrix. */
export interface Call {
  readonly tool: Tool;
  readonly which: Case;
  readonly args: JsonObject;
  /** Set where a write is no dry run. */
  readonly isReal?: true;
}

/** What must come of a call: a code, or `ran`, which is what comes of it for an admin key. */
export function expected({ tool, which }: Call, who: Holder): string {
  const grant = MEANING[who];
  if (!grant) return "UNAUTHENTICATED";
  if (!isSeen(tool, who)) return "NOT_FOUND";
  if (which === "wrong") return "VALIDATION_ERROR";
  const of = tool.group === "oubliette" ? "prj" : "proj";
  const project = which === "bare" ? undefined : which === "none" ? "none" : `${of} ${which}`;
  return isAllowed(tool, grant, project) ? "ran" : "NOT_FOUND";
}

/** Ids of stored objects, by kind; projects of the two packs are `prj` and `proj`. */
export type Objects = Readonly<Record<string, string>>;

/** Arguments of ops whose examples would go out to the network, or name what is not there. */
const ARGUMENTS: Readonly<Record<string, JsonObject>> = {
  "onto.entity.links.get": { entity_id: "<task_id>", entity_kind: "task" },
  "onto.entity.relationships.get": { entity_id: "<task_id>" },
  "onto.edge.link": {
    ...{ src_kind: "task", src_id: "<task_id>", dst_kind: "plan", dst_id: "<plan_id>" },
    rel: "references",
  },
  "onto.plan.create": { project_id: "<project_id>", name: "P", goal_id: "<goal_id>" },
  // Nothing that is called in turn may count as a handler that a refusal has called.
  "ot.batch": { calls: [["no.such.op"]] },
  "oubliette.project.create": { name: "a project of the matrix" },
  "oubliette.project.update": { project_id: "<project_id>", name: "another name" },
  "oubliette.token.revoke": { key_id: "aaaaaaaaaa" },
  "util.web.visit": { url: "http://127.0.0.1:9/" },
  "web.fetch": { url: "http://127.0.0.1:9/" },
  "web.fetch_batch": { urls: ["http://127.0.0.1:9/"] },
};

/** Ops that would change what is served, and one whose end is a matter of time. They are called with arguments that do not fit. */
const UNSAFE: ReadonlySet<string> = new Set(["ot.reload", "ot.health"]);

/** The calls of an op, over the objects of each case. */
export function callsOf(tool: Tool, objects: Readonly<Record<"one" | "two" | "none", Objects>>): readonly Call[] {
  const wrong: Call = { tool, which: "wrong", args: { no_such_argument: 1 } };
  if (UNSAFE.has(tool.op)) return [wrong];
  const { args } = (tool.examples[0] as Json) ?? { args: {} };
  const given: JsonObject = ARGUMENTS[tool.op] ?? args;
  if (tool.target === "global")
    return [wrong, { tool, which: "one", args: filled(given, tool, objects.one) as JsonObject }];
  const isOptional = tool.parameters.some(({ original, required }) => original === "project_id" && !required);
  const whole = isOptional && !namesObject(given) ? { ...given, project_id: "<project_id>" } : given;
  const about = (["one", "two", "none"] as const).map(
    (which): Call => ({ tool, which, args: filled(whole, tool, objects[which]) as JsonObject }),
  );
  return [
    wrong,
    ...(namesObject(given) ? [] : [{ tool, which: "bare" as const, args: filled(given, tool, {}) as JsonObject }]),
    ...about,
  ];
}

/** Whether arguments name an object already. */
const namesObject = (args: JsonObject): boolean => JSON.stringify(args).includes("_id>");

/** Arguments with ids in the places of `<kind_id>`. */
function filled(value: JsonValue, tool: Tool, objects: Objects): JsonValue {
  if (typeof value === "string") {
    const [, kind] = /^<(\w+)_id>$/.exec(value) ?? [];
    // A placeholder that is not filled in is refused.
    if (kind === undefined) return value.replace(/^<(\w+)>$/, "$1");
    return objects[kind === "project" && tool.group === "oubliette" ? "prj" : kind] ?? value;
  }
  if (Array.isArray(value)) return value.map((one: JsonValue) => filled(one, tool, objects));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, filled(one as JsonValue, tool, objects)]),
  );
}
