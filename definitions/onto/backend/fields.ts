/** The columns of each kind: type, limits, defaults, and the ops that write them. Data only. */

import {
  BODY_MAX,
  DESCRIPTION_MAX,
  type EdgeKind,
  IMPACT_DEFAULT,
  IMPACTS,
  LABEL_MAX,
  LABELS,
  PRIORITY_DEFAULT,
  PRIORITY_MAX,
  PRIORITY_MIN,
  URI_MAX,
} from "./model.js";

/** Type of a column. `markdown` is a body: long, and left out of lists and the graph. */
export type FieldType = "text" | "markdown" | "state" | "type_key" | "enum" | "integer" | "number" | "time" | "object";

/** One column. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly required?: true;
  readonly nullable?: true;
  readonly min?: number;
  readonly max?: number;
  readonly values?: readonly string[];
  readonly default?: string | number;
  /**
   * Verbs that write it: `create` and `update` of the kind, `project` for `onto.project.create`; empty: set by the
   * backend.
   */
  readonly by: readonly ("create" | "update" | "project")[];
}

const EVERY = ["create", "update", "project"] as const;
const MADE = ["create", "project"] as const;

const label = (name: string, max: number = LABEL_MAX): Field => ({
  name,
  type: "text",
  required: true,
  min: 1,
  max,
  by: EVERY,
});
const text = (name: string, by: Field["by"] = EVERY): Field => ({ name, type: "text", max: DESCRIPTION_MAX, by });
const body = (name: string, by: Field["by"] = EVERY): Field => ({ name, type: "markdown", max: BODY_MAX, by });
const time = (name: string, by: Field["by"] = EVERY): Field => ({ name, type: "time", nullable: true, by });
const state: Field = { name: "state_key", type: "state", by: EVERY };
const typeKey = (by: Field["by"] = EVERY): Field => ({ name: "type_key", type: "type_key", by });
const props: Field = { name: "props", type: "object", by: EVERY };
const priority = (rest: Partial<Field> & Pick<Field, "by">): Field => ({
  name: "priority",
  type: "integer",
  min: PRIORITY_MIN,
  max: PRIORITY_MAX,
  ...rest,
});
const goalPriority = priority({ nullable: true, by: ["update", "project"] });

/** Columns by kind, in the order of the answers. */
export const FIELDS: Readonly<Record<EdgeKind, readonly Field[]>> = {
  project: [
    label("name"),
    text("description"),
    { ...typeKey(["create"]), required: true },
    state,
    time("start_at", ["create"]),
    time("end_at", ["create"]),
    props,
  ],
  task: [
    label("title"),
    text("description"),
    typeKey(),
    state,
    priority({ default: PRIORITY_DEFAULT, by: EVERY }),
    time("start_at"),
    time("due_at"),
    time("completed_at", []),
    props,
  ],
  goal: [
    label("name"),
    text("description"),
    typeKey(MADE),
    state,
    goalPriority,
    time("target_date"),
    text("measurement_criteria"),
    time("completed_at", []),
    props,
  ],
  plan: [
    label("name"),
    text("description"),
    body("plan"),
    typeKey(MADE),
    state,
    time("start_date", ["update", "project"]),
    time("end_date", ["update", "project"]),
    props,
  ],
  document: [label("title"), text("description"), body("content"), typeKey(), state, props],
  milestone: [
    label("title"),
    text("description"),
    typeKey(MADE),
    state,
    time("due_at"),
    time("completed_at", []),
    props,
  ],
  risk: [
    label("title"),
    text("description"),
    body("content"),
    typeKey(MADE),
    state,
    { name: "impact", type: "enum", values: IMPACTS, default: IMPACT_DEFAULT, by: EVERY },
    { name: "probability", type: "number", nullable: true, min: 0, max: 1, by: EVERY },
    text("mitigation_strategy"),
    { ...text("owner"), max: LABEL_MAX },
    time("mitigated_at", []),
    props,
  ],
  requirement: [label("text"), typeKey(), priority({ nullable: true, by: EVERY }), props],
  metric: [
    label("name"),
    { ...text("unit", MADE), max: LABEL_MAX },
    text("definition", MADE),
    { name: "target_value", type: "number", nullable: true, by: MADE },
    typeKey(MADE),
    { ...props, by: MADE },
  ],
  source: [
    label("uri", URI_MAX),
    { name: "snapshot_uri", type: "text", nullable: true, max: URI_MAX, by: MADE },
    text("description", MADE),
    { ...props, by: MADE },
  ],
};

/** The field of a kind by name. */
export const fieldOf = (kind: EdgeKind, name: string): Field | undefined =>
  FIELDS[kind].find((field) => field.name === name);

/** Whether the kind has a column of that name. */
export const hasField = (kind: EdgeKind, name: string): boolean => fieldOf(kind, name) !== undefined;

/** Columns besides the label that search reads, bodies last. */
export const searchColumns = (kind: EdgeKind): readonly string[] =>
  FIELDS[kind]
    .filter(({ name, type }) => name !== LABELS[kind] && (type === "text" || type === "markdown"))
    .map(({ name }) => name);

/** Columns that lists and the graph leave out. */
export const bodyColumns = (kind: EdgeKind): readonly string[] =>
  FIELDS[kind].filter(({ type }) => type === "markdown").map(({ name }) => name);
