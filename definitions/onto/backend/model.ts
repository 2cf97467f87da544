/**
 * The vocabulary of the ontology: kinds, states, ids, type keys, relations. Data only.
 *
 * Used by definitions, handlers and `util.schema.field_info`. The generator evaluates it statically, so it consists of
 * literals, references, spreads and `join` only.
 */

/** Kinds of entity that belong to a project. */
export const KINDS = [
  "task",
  "plan",
  "goal",
  "milestone",
  "document",
  "risk",
  "requirement",
  "metric",
  "source",
] as const;
/** Kinds that an edge may connect. */
export const EDGE_KINDS = ["project", ...KINDS] as const;
/** Kinds that a reorganisation may include: documents belong to the tree, and the project is never a node. */
export const NODE_KINDS = ["task", "plan", "goal", "milestone", "risk", "requirement", "metric", "source"] as const;

/** A kind of entity, the project included. */
export type EdgeKind = (typeof EDGE_KINDS)[number];

/** Plural of each kind: table names and group names of results. */
export const PLURALS = {
  project: "projects",
  task: "tasks",
  plan: "plans",
  goal: "goals",
  milestone: "milestones",
  document: "documents",
  risk: "risks",
  requirement: "requirements",
  metric: "metrics",
  source: "sources",
} as const satisfies Record<EdgeKind, string>;

/** The column with the display name of an entity. */
export const LABELS = {
  project: "name",
  task: "title",
  plan: "name",
  goal: "name",
  milestone: "title",
  document: "title",
  risk: "title",
  requirement: "text",
  metric: "name",
  source: "uri",
} as const satisfies Record<EdgeKind, string>;

// States: the first value of a list is the default. Aliases are accepted with a warning.

export const PROJECT_STATES = ["planning", "active", "paused", "completed", "cancelled"] as const;
export const TASK_STATES = ["todo", "in_progress", "blocked", "done"] as const;
export const GOAL_STATES = ["draft", "active", "achieved", "abandoned"] as const;
export const PLAN_STATES = ["draft", "active", "completed"] as const;
export const DOCUMENT_STATES = ["draft", "in_review", "ready", "published", "archived"] as const;
export const MILESTONE_STATES = ["pending", "in_progress", "completed", "missed"] as const;
export const RISK_STATES = ["identified", "mitigated", "occurred", "closed"] as const;

export const PROJECT_STATE_DEFAULT = "planning";
export const TASK_STATE_DEFAULT = "todo";
export const GOAL_STATE_DEFAULT = "draft";
export const PLAN_STATE_DEFAULT = "draft";
export const DOCUMENT_STATE_DEFAULT = "draft";

export const PROJECT_STATE_ALIASES = {
  on_hold: "paused",
  complete: "completed",
  done: "completed",
  canceled: "cancelled",
} as const satisfies Record<string, (typeof PROJECT_STATES)[number]>;
export const TASK_STATE_ALIASES = {
  pending: "todo",
  not_started: "todo",
  backlog: "todo",
  started: "in_progress",
  working: "in_progress",
  complete: "done",
  completed: "done",
} as const satisfies Record<string, (typeof TASK_STATES)[number]>;
export const GOAL_STATE_ALIASES = {
  done: "achieved",
  completed: "achieved",
  dropped: "abandoned",
} as const satisfies Record<string, (typeof GOAL_STATES)[number]>;
export const PLAN_STATE_ALIASES = {
  done: "completed",
  complete: "completed",
} as const satisfies Record<string, (typeof PLAN_STATES)[number]>;
export const DOCUMENT_STATE_ALIASES = {
  review: "in_review",
  archive: "archived",
  complete: "published",
  completed: "published",
} as const satisfies Record<string, (typeof DOCUMENT_STATES)[number]>;
export const MILESTONE_STATE_ALIASES = {
  done: "completed",
  complete: "completed",
} as const satisfies Record<string, (typeof MILESTONE_STATES)[number]>;
export const RISK_STATE_ALIASES = { open: "identified" } as const satisfies Record<
  string,
  (typeof RISK_STATES)[number]
>;

/** State values by kind; requirement, metric and source have none. */
export const STATES = {
  project: PROJECT_STATES,
  task: TASK_STATES,
  goal: GOAL_STATES,
  plan: PLAN_STATES,
  document: DOCUMENT_STATES,
  milestone: MILESTONE_STATES,
  risk: RISK_STATES,
} as const;
/** Accepted synonyms of state values, by kind. */
export const STATE_ALIASES = {
  project: PROJECT_STATE_ALIASES,
  task: TASK_STATE_ALIASES,
  goal: GOAL_STATE_ALIASES,
  plan: PLAN_STATE_ALIASES,
  document: DOCUMENT_STATE_ALIASES,
  milestone: MILESTONE_STATE_ALIASES,
  risk: RISK_STATE_ALIASES,
} as const satisfies Record<keyof typeof STATES, Record<string, string>>;
/** A kind with states. */
export type StatefulKind = keyof typeof STATES;
/** Entering `state` sets `column` to the time of the change; leaving it clears the column. */
export const STATE_TIMES = {
  task: { state: "done", column: "completed_at" },
  goal: { state: "achieved", column: "completed_at" },
  milestone: { state: "completed", column: "completed_at" },
  risk: { state: "mitigated", column: "mitigated_at" },
} as const satisfies Partial<Record<StatefulKind, { state: string; column: string }>>;

// Ids: `<prefix>_` + 1 to 60 characters, or a UUID.

/** Prefix of generated ids, by kind. */
export const ID_PREFIXES = {
  project: "proj",
  task: "task",
  goal: "goal",
  plan: "plan",
  document: "doc",
  milestone: "ms",
  risk: "risk",
  requirement: "req",
  metric: "met",
  source: "src",
  edge: "edge",
} as const satisfies Record<EdgeKind | "edge", string>;

const ID_END = "_[A-Za-z0-9_-]{1,60}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$";
export const PROJECT_ID_PATTERN = ["^(?:proj", ID_END].join("");
export const TASK_ID_PATTERN = ["^(?:task", ID_END].join("");
export const GOAL_ID_PATTERN = ["^(?:goal", ID_END].join("");
export const PLAN_ID_PATTERN = ["^(?:plan", ID_END].join("");
export const DOCUMENT_ID_PATTERN = ["^(?:doc", ID_END].join("");
export const MILESTONE_ID_PATTERN = ["^(?:ms", ID_END].join("");
export const RISK_ID_PATTERN = ["^(?:risk", ID_END].join("");
export const REQUIREMENT_ID_PATTERN = ["^(?:req", ID_END].join("");
export const METRIC_ID_PATTERN = ["^(?:met", ID_END].join("");
export const SOURCE_ID_PATTERN = ["^(?:src", ID_END].join("");
export const EDGE_ID_PATTERN = ["^(?:edge", ID_END].join("");
/** Id of an entity of any kind that an edge may name. */
export const ENTITY_ID_PATTERN = ["^(?:(?:proj|task|goal|plan|doc|ms|risk|req|met|src)", ID_END].join("");
/** Id of an entity that a reorganisation may name. */
export const NODE_ID_PATTERN = ["^(?:(?:task|goal|plan|ms|risk|req|met|src)", ID_END].join("");

/** Pattern of an id in arguments, by kind. */
export const ID_PATTERNS = {
  project: PROJECT_ID_PATTERN,
  task: TASK_ID_PATTERN,
  goal: GOAL_ID_PATTERN,
  plan: PLAN_ID_PATTERN,
  document: DOCUMENT_ID_PATTERN,
  milestone: MILESTONE_ID_PATTERN,
  risk: RISK_ID_PATTERN,
  requirement: REQUIREMENT_ID_PATTERN,
  metric: METRIC_ID_PATTERN,
  source: SOURCE_ID_PATTERN,
  edge: EDGE_ID_PATTERN,
} as const satisfies Record<EdgeKind | "edge", string>;

// Values and limits.

export const IMPACTS = ["low", "medium", "high", "critical"] as const;
export const IMPACT_DEFAULT = "medium";
/** 1 is the highest priority, 5 the lowest. */
export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 5;
export const PRIORITY_DEFAULT = 3;
export const CONTEXTS = [
  "personal",
  "client",
  "commercial",
  "internal",
  "open_source",
  "community",
  "academic",
  "nonprofit",
  "startup",
] as const;
export const SCALES = ["micro", "small", "medium", "large", "epic"] as const;
export const STAGES = ["discovery", "planning", "execution", "launch", "maintenance", "complete"] as const;
/** Values of `props.facets`, by facet. */
export const FACETS = { context: CONTEXTS, scale: SCALES, stage: STAGES } as const;

export const LABEL_MAX = 200;
export const URI_MAX = 2000;
export const DESCRIPTION_MAX = 10000;
export const BODY_MAX = 1000000;
export const PROPS_MAX_BYTES = 65536;
export const OFFSET_MAX = 5000;

export const UPDATE_STRATEGIES = ["replace", "append"] as const;
export const DIRECTIONS = ["outgoing", "incoming", "both"] as const;
/** What a connection means: ownership, or a semantic relation. */
export const INTENTS = ["containment", "semantic"] as const;
export const MODES = ["replace", "merge"] as const;
export const SEMANTIC_MODES = ["replace_auto", "merge", "preserve"] as const;
/** Entity types of `util.schema.field_info`: `ontology_` and the kind. */
export const FIELD_ENTITIES = [
  "ontology_project",
  "ontology_task",
  "ontology_plan",
  "ontology_goal",
  "ontology_document",
  "ontology_milestone",
  "ontology_risk",
  "ontology_requirement",
] as const;

// Type keys: lower case letters, digits and underscores; segments joined by dots.

const KEY_END = "\\.[a-z0-9_]+(?:\\.[a-z0-9_]+)?$";
export const PROJECT_TYPE_PATTERN = ["^project\\.[a-z0-9_]+", KEY_END].join("");
export const TASK_TYPE_PATTERN = ["^task", KEY_END].join("");
export const GOAL_TYPE_PATTERN = ["^goal", KEY_END].join("");
export const PLAN_TYPE_PATTERN = ["^plan", KEY_END].join("");
export const DOCUMENT_TYPE_PATTERN = ["^document", KEY_END].join("");
export const MILESTONE_TYPE_PATTERN = ["^milestone", KEY_END].join("");
export const RISK_TYPE_PATTERN = ["^risk", KEY_END].join("");
export const REQUIREMENT_TYPE_PATTERN = ["^requirement", KEY_END].join("");
export const METRIC_TYPE_PATTERN = ["^metric", KEY_END].join("");

export const PROJECT_REALMS = ["creative", "technical", "business", "service", "education", "personal"] as const;
export const TASK_MODES = ["execute", "create", "refine", "research", "review", "coordinate", "admin", "plan"] as const;
export const GOAL_FAMILIES = ["outcome", "metric", "behavior", "learning"] as const;
export const PLAN_FAMILIES = ["timebox", "pipeline", "campaign", "roadmap", "process", "phase"] as const;

export const PROJECT_TYPE_FORM = "project.realm.domain[.variant]";
export const TASK_TYPE_FORM = "task.mode[.special]";
export const GOAL_TYPE_FORM = "goal.family[.variant]";
export const PLAN_TYPE_FORM = "plan.family[.variant]";
export const DOCUMENT_TYPE_FORM = "document.family[.variant]";
export const MILESTONE_TYPE_FORM = "milestone.family[.variant]";
export const RISK_TYPE_FORM = "risk.family[.variant]";
export const REQUIREMENT_TYPE_FORM = "requirement.family[.variant]";
export const METRIC_TYPE_FORM = "metric.family[.variant]";

export const TASK_TYPE_DEFAULT = "task.execute";
export const GOAL_TYPE_DEFAULT = "goal.outcome.project";
export const PLAN_TYPE_DEFAULT = "plan.phase.project";
export const DOCUMENT_TYPE_DEFAULT = "document.default";
export const CONTEXT_DOCUMENT_TYPE_DEFAULT = "document.context.project";
export const MILESTONE_TYPE_DEFAULT = "milestone.default";
export const RISK_TYPE_DEFAULT = "risk.default";
export const REQUIREMENT_TYPE_DEFAULT = "requirement.general";
export const METRIC_TYPE_DEFAULT = "metric.default";

/** Type keys by kind: shape, the form to show, values of the first variable segment (none: open), default (none: required). */
export const TYPE_KEYS = {
  project: { pattern: PROJECT_TYPE_PATTERN, form: PROJECT_TYPE_FORM, segment: PROJECT_REALMS },
  task: { pattern: TASK_TYPE_PATTERN, form: TASK_TYPE_FORM, segment: TASK_MODES, default: TASK_TYPE_DEFAULT },
  goal: { pattern: GOAL_TYPE_PATTERN, form: GOAL_TYPE_FORM, segment: GOAL_FAMILIES, default: GOAL_TYPE_DEFAULT },
  plan: { pattern: PLAN_TYPE_PATTERN, form: PLAN_TYPE_FORM, segment: PLAN_FAMILIES, default: PLAN_TYPE_DEFAULT },
  document: { pattern: DOCUMENT_TYPE_PATTERN, form: DOCUMENT_TYPE_FORM, default: DOCUMENT_TYPE_DEFAULT },
  milestone: { pattern: MILESTONE_TYPE_PATTERN, form: MILESTONE_TYPE_FORM, default: MILESTONE_TYPE_DEFAULT },
  risk: { pattern: RISK_TYPE_PATTERN, form: RISK_TYPE_FORM, default: RISK_TYPE_DEFAULT },
  requirement: { pattern: REQUIREMENT_TYPE_PATTERN, form: REQUIREMENT_TYPE_FORM, default: REQUIREMENT_TYPE_DEFAULT },
  metric: { pattern: METRIC_TYPE_PATTERN, form: METRIC_TYPE_FORM, default: METRIC_TYPE_DEFAULT },
} as const;

// Relations.

/** Kinds that may contain a task, and a plan; nearest first. */
export const TASK_PARENTS = ["plan", "milestone", "goal", "project"] as const;
export const PLAN_PARENTS = ["milestone", "goal", "project"] as const;
/** Allowed parents of a child, nearest first, and the rel of the edge parent -> child. Documents belong to the tree. */
export const CONTAINMENT = {
  goal: { rel: "has_goal", parents: ["project"] },
  milestone: { rel: "has_milestone", parents: ["goal", "project"] },
  plan: { rel: "has_plan", parents: PLAN_PARENTS },
  task: { rel: "has_task", parents: TASK_PARENTS },
  risk: { rel: "has_risk", parents: ["task", "plan", "milestone", "goal", "project"] },
  requirement: { rel: "has_requirement", parents: ["milestone", "goal", "project"] },
  metric: { rel: "has_metric", parents: ["goal", "project"] },
} as const satisfies Partial<Record<EdgeKind, { rel: string; parents: readonly EdgeKind[] }>>;
/** Synonyms of the child's `has_*` rel: `same` reads parent -> child, `flip` child -> parent. */
export const CONTAINMENT_ALIASES = {
  same: ["contains", "has_part"],
  flip: ["belongs_to_plan", "belongs_to_goal", "part_of", "child_of"],
} as const;

/** Ends of a relation, as two sets of kinds. */
export interface Ends {
  readonly from: readonly EdgeKind[];
  readonly to: readonly EdgeKind[];
}
/** A semantic relation: legal ends, and synonyms. */
export interface Relation {
  readonly ends: readonly Ends[];
  /** Two ends of the same kind are also legal, for any kind. */
  readonly same_kind?: true;
  readonly aliases: readonly string[];
  /** Synonyms for the reversed direction. */
  readonly flips: readonly string[];
}

const WORK = ["task", "plan"] as const;
const STEPS = ["task", "plan", "milestone"] as const;

/** Semantic relations by rel, in their stored direction. */
export const RELATIONS = {
  supports_goal: { ends: [{ from: WORK, to: ["goal"] }], aliases: ["supports"], flips: ["achieved_by"] },
  targets_milestone: { ends: [{ from: WORK, to: ["milestone"] }], aliases: ["targets"], flips: [] },
  depends_on: {
    ends: [{ from: STEPS, to: STEPS }],
    same_kind: true,
    aliases: ["builds_on"],
    flips: ["required_by"],
  },
  requires: { ends: [{ from: WORK, to: ["requirement", "source"] }], aliases: ["needs"], flips: [] },
  blocks: { ends: [{ from: ["task", "risk"], to: STEPS }], aliases: [], flips: ["blocked_by"] },
  mitigates: { ends: [{ from: ["task"], to: ["risk"] }], aliases: [], flips: ["mitigated_by"] },
  addresses: {
    ends: [
      { from: ["plan"], to: ["risk"] },
      { from: WORK, to: ["requirement"] },
    ],
    aliases: [],
    flips: ["addressed_by"],
  },
  threatens: {
    ends: [{ from: ["risk"], to: ["task", "plan", "goal", "milestone", "requirement"] }],
    aliases: [],
    flips: ["threatened_by"],
  },
  addressed_in: { ends: [{ from: ["risk", "requirement"], to: ["document"] }], aliases: [], flips: [] },
  documented_in: {
    ends: [{ from: ["task", "plan", "goal", "milestone", "risk"], to: ["document"] }],
    aliases: [],
    flips: ["documents"],
  },
  references: { ends: [{ from: EDGE_KINDS, to: EDGE_KINDS }], aliases: [], flips: ["referenced_by"] },
  relates_to: { ends: [{ from: EDGE_KINDS, to: EDGE_KINDS }], aliases: ["related"], flips: [] },
} as const satisfies Record<string, Relation>;

/** Default rel of a pair: the first row that matches, otherwise {@link RELATION_DEFAULT}. */
export const PAIR_DEFAULTS = [
  { from: WORK, to: ["goal"], rel: "supports_goal" },
  { from: WORK, to: ["milestone"], rel: "targets_milestone" },
  { from: WORK, to: ["requirement"], rel: "addresses" },
  { from: WORK, to: ["document"], rel: "documented_in" },
  { from: ["task"], to: ["task"], rel: "depends_on" },
  { from: ["plan"], to: ["plan"], rel: "depends_on" },
  { from: ["milestone"], to: ["milestone"], rel: "depends_on" },
  { from: ["task"], to: ["risk"], rel: "mitigates" },
  { from: ["plan"], to: ["risk"], rel: "addresses" },
  { from: ["risk"], to: ["task", "plan", "goal", "milestone"], rel: "threatens" },
  { from: ["risk", "requirement"], to: ["document"], rel: "addressed_in" },
  { from: ["goal", "milestone"], to: ["document"], rel: "documented_in" },
] as const satisfies readonly (Ends & { readonly rel: keyof typeof RELATIONS })[];
export const RELATION_DEFAULT = "references";
/** Relations that `replace_auto` may replace in a reorganisation. */
export const AUTO_RELATIONS = ["supports_goal", "targets_milestone", "references", "depends_on"] as const;
