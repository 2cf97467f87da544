/** Calls on real objects with their expected results; allowed writes are executed. */

import { type Call, type Holder, type Objects, TOOLS } from "./model.js";

/** A call and the code that it must end with; `ok` where it is done. */
interface KnownCase {
  readonly call: Call;
  readonly code: string;
}

type Row = readonly [op: string, args: (one: Objects, two: Objects, none: Objects) => object, code: string];

const get = "oubliette.project.get";
const READER: readonly Row[] = [
  [get, (_, two) => ({ project_id: two["prj"] }), "ok"],
  ["oubliette.project.create", () => ({ name: "never" }), "NOT_FOUND"],
  ["oubliette.session.create", (one) => ({ project_id: one["prj"] }), "NOT_FOUND"],
  ["oubliette.token.list", () => ({}), "NOT_FOUND"],
  ["ot.notify", () => ({ topic: "a", message: "b" }), "NOT_FOUND"],
];
const DEAD: readonly Row[] = [
  ["oubliette.project.list", () => ({}), "UNAUTHENTICATED"],
  ["no.such.op", () => ({}), "UNAUTHENTICATED"],
];

/** By caller. */
const ROWS: Readonly<Record<Holder, readonly Row[]>> = {
  admin: [
    [get, (_, two) => ({ project_id: two["prj"] }), "ok"],
    [get, (_, __, none) => ({ project_id: none["prj"] }), "NOT_FOUND"],
    ["oubliette.token.list", () => ({}), "ok"],
    ["oubliette.session.get", (_, two) => ({ session_id: two["session"] }), "ok"],
  ],
  write: [
    ["oubliette.project.update", (_, two) => ({ project_id: two["prj"], description: "D" }), "ok"],
    ["oubliette.session.create", (_, two) => ({ project_id: two["prj"] }), "ok"],
    ["oubliette.session.message", (_, two) => ({ session_id: two["session"], text: "T" }), "ok"],
    ["onto.task.update", (_, two) => ({ task_id: two["task"], title: "T" }), "ok"],
    ["oubliette.token.create", () => ({ name: "never", scope: "admin" }), "NOT_FOUND"],
    ["oubliette.token.list", () => ({}), "NOT_FOUND"],
  ],
  read: READER,
  "admin:ro": READER,
  "project:prj": [
    [get, (one) => ({ project_id: one["prj"] }), "ok"],
    [get, (_, two) => ({ project_id: two["prj"] }), "NOT_FOUND"],
    [get, (_, __, none) => ({ project_id: none["prj"] }), "NOT_FOUND"],
    [get, () => ({}), "VALIDATION_ERROR"],
    ["oubliette.project.list", () => ({}), "ok"],
    ["oubliette.session.get", (_, two) => ({ session_id: two["session"] }), "NOT_FOUND"],
    ["oubliette.session.create", (one) => ({ project_id: one["prj"], title: "T" }), "ok"],
    [
      "oubliette.session.create",
      (one, two) => ({ project_id: one["prj"], workspace_id: two["workspace"] }),
      "NOT_FOUND",
    ],
    ["oubliette.session.message", (_, two) => ({ session_id: two["session"], text: "T" }), "NOT_FOUND"],
    ["oubliette.session.end", (one) => ({ session_id: one["session"] }), "ok"],
    ["oubliette.workspace.create", (one) => ({ project_id: one["prj"], name: "W" }), "ok"],
    ["oubliette.workspace.delete", (_, two) => ({ workspace_id: two["workspace"] }), "NOT_FOUND"],
    ["oubliette.project.delete", (_, two) => ({ project_id: two["prj"] }), "NOT_FOUND"],
    ["oubliette.project.create", () => ({ name: "never" }), "NOT_FOUND"],
    ["onto.task.get", (one) => ({ task_id: one["task"] }), "NOT_FOUND"],
  ],
  "project:prj:ro": [
    ["oubliette.session.events", (one) => ({ session_id: one["session"] }), "ok"],
    ["oubliette.session.events", (_, two) => ({ session_id: two["session"] }), "NOT_FOUND"],
    ["oubliette.session.create", (one) => ({ project_id: one["prj"] }), "NOT_FOUND"],
    ["oubliette.project.list", () => ({}), "ok"],
  ],
  "project:proj": [
    ["onto.task.update", (one) => ({ task_id: one["task"], title: "T" }), "ok"],
    ["onto.task.get", (_, two) => ({ task_id: two["task"] }), "NOT_FOUND"],
    [
      "onto.edge.link",
      (one, two) => ({
        ...{ src_kind: "task", src_id: one["task"], dst_kind: "plan", dst_id: two["plan"] },
        rel: "references",
      }),
      "NOT_FOUND",
    ],
    ["onto.project.create", () => ({ project: { name: "never", type_key: "project.business.launch" } }), "NOT_FOUND"],
    [get, (one) => ({ project_id: one["prj"] }), "NOT_FOUND"],
  ],
  expired: DEAD,
  revoked: DEAD,
  garbage: DEAD,
};

type All = Readonly<Record<"one" | "two" | "none", Objects>>;

/** The cases of a caller. */
export const casesOf = (who: Holder, { one, two, none }: All): readonly KnownCase[] =>
  ROWS[who].map(([op, args, code]) => ({ call: callOf(op, args(one, two, none)), code }));

/** A call that is no dry run, also of what is no op. */
export function callOf(op: string, args: object): Call {
  const [first] = TOOLS;
  const tool = TOOLS.find((each) => each.op === op) ?? (first && { ...first, op, group: "no" });
  if (!tool) throw new Error("there are no ops");
  return { tool, which: "one", args: { ...args }, isReal: true };
}
