/** The results of lists and searches: an item of each kind, and where a page stands. */

const TEXT = { type: "string" } as const;
const MAYBE_TEXT = { type: ["string", "null"] } as const;
const COUNT = { type: "integer" } as const;
const NUMBER = { type: "number" } as const;
const MAYBE_NUMBER = { type: ["number", "null"] } as const;

const PAGINATION = {
  type: "object",
  properties: {
    limit: COUNT,
    offset: COUNT,
    returned: COUNT,
    total: COUNT,
    has_more: { type: "boolean" },
    next_offset: COUNT,
  },
  required: ["limit", "offset", "returned", "total", "has_more"],
} as const;

const PAGE = { type: "object", required: ["items", "pagination"] } as const;

const TASK = {
  type: "object",
  properties: {
    id: TEXT,
    title: TEXT,
    state_key: TEXT,
    type_key: MAYBE_TEXT,
    priority: MAYBE_NUMBER,
    due_at: MAYBE_TEXT,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "title", "state_key", "type_key", "priority", "due_at", "project_id", "updated_at"],
} as const;

const GOAL = {
  type: "object",
  properties: {
    id: TEXT,
    name: TEXT,
    state_key: TEXT,
    type_key: MAYBE_TEXT,
    priority: MAYBE_NUMBER,
    target_date: MAYBE_TEXT,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "name", "state_key", "type_key", "priority", "target_date", "project_id", "updated_at"],
} as const;

const PLAN = {
  type: "object",
  properties: {
    id: TEXT,
    name: TEXT,
    state_key: TEXT,
    type_key: MAYBE_TEXT,
    start_date: MAYBE_TEXT,
    end_date: MAYBE_TEXT,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "name", "state_key", "type_key", "start_date", "end_date", "project_id", "updated_at"],
} as const;

const DOCUMENT = {
  type: "object",
  properties: { id: TEXT, title: TEXT, state_key: TEXT, type_key: MAYBE_TEXT, project_id: TEXT, updated_at: TEXT },
  required: ["id", "title", "state_key", "type_key", "project_id", "updated_at"],
} as const;

const MILESTONE = {
  type: "object",
  properties: {
    id: TEXT,
    title: TEXT,
    state_key: TEXT,
    type_key: MAYBE_TEXT,
    due_at: MAYBE_TEXT,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "title", "state_key", "type_key", "due_at", "project_id", "updated_at"],
} as const;

const RISK = {
  type: "object",
  properties: {
    id: TEXT,
    title: TEXT,
    state_key: TEXT,
    type_key: MAYBE_TEXT,
    impact: TEXT,
    probability: MAYBE_NUMBER,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "title", "state_key", "type_key", "impact", "probability", "project_id", "updated_at"],
} as const;

const REQUIREMENT = {
  type: "object",
  properties: {
    id: TEXT,
    text: TEXT,
    type_key: MAYBE_TEXT,
    priority: MAYBE_NUMBER,
    project_id: TEXT,
    updated_at: TEXT,
  },
  required: ["id", "text", "type_key", "priority", "project_id", "updated_at"],
} as const;

const PROJECT = {
  type: "object",
  properties: { id: TEXT, name: TEXT, state_key: TEXT, type_key: MAYBE_TEXT, updated_at: TEXT, open_tasks: COUNT },
  required: ["id", "name", "state_key", "type_key", "updated_at", "open_tasks"],
} as const;

const HIT = {
  type: "object",
  properties: {
    kind: TEXT,
    id: TEXT,
    project_id: TEXT,
    project_name: TEXT,
    label: TEXT,
    snippet: TEXT,
    score: NUMBER,
    state_key: MAYBE_TEXT,
    type_key: MAYBE_TEXT,
  },
  required: ["kind", "id", "project_id", "project_name", "label", "snippet", "score", "state_key", "type_key"],
} as const;

/** What the list of a kind answers. */
export const LIST_OF = {
  task: { ...PAGE, properties: { items: { type: "array", items: TASK }, pagination: PAGINATION } },
  goal: { ...PAGE, properties: { items: { type: "array", items: GOAL }, pagination: PAGINATION } },
  plan: { ...PAGE, properties: { items: { type: "array", items: PLAN }, pagination: PAGINATION } },
  document: { ...PAGE, properties: { items: { type: "array", items: DOCUMENT }, pagination: PAGINATION } },
  milestone: { ...PAGE, properties: { items: { type: "array", items: MILESTONE }, pagination: PAGINATION } },
  risk: { ...PAGE, properties: { items: { type: "array", items: RISK }, pagination: PAGINATION } },
  requirement: { ...PAGE, properties: { items: { type: "array", items: REQUIREMENT }, pagination: PAGINATION } },
  project: { ...PAGE, properties: { items: { type: "array", items: PROJECT }, pagination: PAGINATION } },
} as const;

/** What a search answers, the best hit first; without hits, what to try. */
export const HITS = {
  ...PAGE,
  properties: { items: { type: "array", items: HIT }, pagination: PAGINATION, hint: TEXT },
} as const;
