/** The tables of the pack: entities, edges, history, and the search index. */

import { type ColumnTypes, defineTables, type Tables } from "toolwright/codegen";

/** Columns of each entity table besides the common ones: `t` text, `t?` nullable text, `i` integer, `n` number. */
const ENTITY_TABLES: Readonly<Record<string, string>> = {
  projects:
    "name t, description t, type_key t, state_key t, start_at t?, end_at t?, tree t, tree_version i, facet_context t?, facet_scale t?, facet_stage t?",
  tasks: "title t, description t, type_key t, state_key t, priority i, start_at t?, due_at t?, completed_at t?",
  goals:
    "name t, description t, type_key t, state_key t, priority i?, target_date t?, measurement_criteria t, completed_at t?",
  plans: "name t, description t, plan t, type_key t, state_key t, start_date t?, end_date t?",
  documents: "title t, description t, content t, type_key t, state_key t",
  milestones: "title t, description t, type_key t, state_key t, due_at t?, completed_at t?",
  risks:
    "title t, description t, content t, type_key t, state_key t, impact t, probability n?, mitigation_strategy t, owner t, mitigated_at t?",
  requirements: "text t, type_key t, priority i?",
  metrics: "name t, unit t, definition t, target_value n?, type_key t",
  sources: "uri t, snapshot_uri t?, description t",
};

const COLUMN_TYPES: Readonly<Record<string, (types: ColumnTypes) => string>> = {
  t: (types) => `${types.text} not null`,
  "t?": (types) => types.text,
  i: () => "integer not null",
  "i?": () => "integer",
  "n?": () => "double precision",
};

const column = (types: ColumnTypes) => (entry: string) => {
  const [name = "", type = ""] = entry.split(" ");
  return `${name} ${COLUMN_TYPES[type]?.(types) ?? type}`;
};

function entityTable(name: string, own: string, types: ColumnTypes): readonly string[] {
  const { text } = types;
  const owned = name !== "projects";
  const project = owned ? `project_id ${text} not null references projects (id),` : "";
  const columns = own.split(", ").map(column(types)).join(", ");
  const order = "updated_at desc, id";
  const stateful = own.includes("state_key");
  return [
    `create table ${name} (id ${text} primary key, ${project} ${columns}, props ${text} not null, version integer not null, created_by ${text} not null, created_at ${text} not null, updated_at ${text} not null, deleted_at ${text})`,
    `create index ${name}_recent on ${name} (${order}) where deleted_at is null`,
    ...(owned ? [`create index ${name}_project on ${name} (project_id, ${order}) where deleted_at is null`] : []),
    ...(owned && stateful
      ? [`create index ${name}_state on ${name} (project_id, state_key, ${order}) where deleted_at is null`]
      : []),
    ...(stateful ? [`create index ${name}_any_state on ${name} (state_key, ${order}) where deleted_at is null`] : []),
  ];
}

function entityTables(types: ColumnTypes): readonly string[] {
  return [
    ...Object.entries(ENTITY_TABLES).flatMap(([name, own]) => entityTable(name, own, types)),
    "create index documents_type on documents (project_id, type_key, updated_at desc, id) where deleted_at is null",
    "create index risks_impact on risks (project_id, impact, updated_at desc, id) where deleted_at is null",
    "create index requirements_type on requirements (project_id, type_key, updated_at desc, id) where deleted_at is null",
    "create index milestones_due on milestones (project_id, due_at, updated_at desc, id) where deleted_at is null",
  ];
}

const graphTables = ({ text }: ColumnTypes): readonly string[] => [
  `create table edges (id ${text} primary key, project_id ${text} not null references projects (id), src_kind ${text} not null, src_id ${text} not null, rel ${text} not null, dst_kind ${text} not null, dst_id ${text} not null, props ${text} not null, hidden integer not null, created_by ${text} not null, created_at ${text} not null, unique (project_id, src_id, rel, dst_id))`,
  "create index edges_out on edges (src_id, hidden, dst_kind, created_at, id)",
  "create index edges_in on edges (dst_id, hidden, src_kind, created_at, id)",
];

const historyTables = ({ text, sequence }: ColumnTypes): readonly string[] => [
  `create table changes (seq ${sequence}, entity_kind ${text} not null, entity_id ${text} not null, op ${text} not null, version integer, actor ${text} not null, trace_id ${text} not null, before ${text}, after ${text}, at ${text} not null)`,
  "create index changes_entity on changes (entity_id, version)",
  `create table tree_history (project_id ${text} not null references projects (id), tree_version integer not null, tree ${text} not null, change ${text} not null, at ${text} not null, primary key (project_id, tree_version))`,
];

const searchTables = ({ text, clustered }: ColumnTypes): readonly string[] => [
  `create table search_words (project_id ${text} not null, kind ${text} not null, entity_id ${text} not null, word ${text} not null, label_count integer not null, body_count integer not null, length integer not null, primary key (project_id, word, kind, entity_id))${clustered}`,
  "create index search_words_word on search_words (word, kind, entity_id)",
  `create table search_grams (project_id ${text} not null, kind ${text} not null, entity_id ${text} not null, gram ${text} not null, primary key (gram, project_id, kind, entity_id))${clustered}`,
  `create table tallies (project_id ${text} not null, kind ${text} not null, state_key ${text} not null, facet ${text} not null, live integer not null, words integer not null, primary key (project_id, kind, state_key, facet))${clustered}`,
  "create index tallies_kind on tallies (kind, state_key, facet)",
];

/** Version 1 of the tables had names without a prefix. */
const FORMER_NAMES = [
  ...Object.keys(ENTITY_TABLES),
  ...["edges", "changes", "tree_history", "search_words", "search_grams", "tallies"],
];

/** The tables by version. */
export const TABLES: Tables = defineTables({
  name: "onto",
  // Each write locks its project.
  concurrent: true,
  versions: [
    {
      version: 1,
      statements: (types) =>
        [entityTables, graphTables, historyTables, searchTables].flatMap((statements) => statements(types)),
    },
    { version: 2, statements: () => FORMER_NAMES.map((name) => `alter table ${name} rename to onto_${name}`) },
  ],
});
