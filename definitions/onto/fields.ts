/** Properties that several definitions of the ontology share. */

import {
  BODY_MAX,
  CONTEXTS,
  DESCRIPTION_MAX,
  DOCUMENT_ID_PATTERN,
  DOCUMENT_STATE_ALIASES,
  DOCUMENT_STATES,
  DOCUMENT_TYPE_FORM,
  DOCUMENT_TYPE_PATTERN,
  EDGE_ID_PATTERN,
  ENTITY_ID_PATTERN,
  GOAL_ID_PATTERN,
  GOAL_STATE_ALIASES,
  GOAL_STATES,
  GOAL_TYPE_FORM,
  GOAL_TYPE_PATTERN,
  IMPACTS,
  LABEL_MAX,
  MILESTONE_ID_PATTERN,
  MILESTONE_STATE_ALIASES,
  MILESTONE_STATES,
  NODE_ID_PATTERN,
  OFFSET_MAX,
  PLAN_ID_PATTERN,
  PLAN_STATE_ALIASES,
  PLAN_STATES,
  PLAN_TYPE_FORM,
  PLAN_TYPE_PATTERN,
  PRIORITY_MAX,
  PRIORITY_MIN,
  PROJECT_ID_PATTERN,
  PROJECT_STATE_ALIASES,
  PROJECT_STATES,
  PROJECT_TYPE_FORM,
  PROJECT_TYPE_PATTERN,
  REQUIREMENT_ID_PATTERN,
  REQUIREMENT_TYPE_FORM,
  REQUIREMENT_TYPE_PATTERN,
  RISK_ID_PATTERN,
  RISK_STATE_ALIASES,
  RISK_STATES,
  SCALES,
  STAGES,
  TASK_ID_PATTERN,
  TASK_STATE_ALIASES,
  TASK_STATES,
  TASK_TYPE_FORM,
  TASK_TYPE_PATTERN,
  UPDATE_STRATEGIES,
} from "./backend/model.js";

// Ids.

export const PROJECT_ID = { type: "string", "x-id": "project", pattern: PROJECT_ID_PATTERN } as const;
export const TASK_ID = { type: "string", "x-id": "task", pattern: TASK_ID_PATTERN } as const;
export const GOAL_ID = { type: "string", "x-id": "goal", pattern: GOAL_ID_PATTERN } as const;
export const PLAN_ID = { type: "string", "x-id": "plan", pattern: PLAN_ID_PATTERN } as const;
export const DOCUMENT_ID = { type: "string", "x-id": "document", pattern: DOCUMENT_ID_PATTERN } as const;
export const MILESTONE_ID = { type: "string", "x-id": "milestone", pattern: MILESTONE_ID_PATTERN } as const;
export const RISK_ID = { type: "string", "x-id": "risk", pattern: RISK_ID_PATTERN } as const;
export const REQUIREMENT_ID = { type: "string", "x-id": "requirement", pattern: REQUIREMENT_ID_PATTERN } as const;
export const EDGE_ID = { type: "string", "x-id": "edge", pattern: EDGE_ID_PATTERN } as const;
/** An entity of any kind, the project included. */
export const ENTITY_ID = { type: "string", "x-id": "", pattern: ENTITY_ID_PATTERN } as const;
/** An entity of a kind that a reorganisation may name. */
export const NODE_ID = { type: "string", "x-id": "", pattern: NODE_ID_PATTERN } as const;

/** The one id that an op needs: callers may say `id`. */
export const THE_PROJECT = { ...PROJECT_ID, "x-aliases": ["id"], description: "The project." } as const;
export const THE_TASK = { ...TASK_ID, "x-aliases": ["id"], description: "The task." } as const;
export const THE_GOAL = { ...GOAL_ID, "x-aliases": ["id"], description: "The goal." } as const;
export const THE_PLAN = { ...PLAN_ID, "x-aliases": ["id"], description: "The plan." } as const;
export const THE_DOCUMENT = { ...DOCUMENT_ID, "x-aliases": ["id", "doc_id"], description: "The document." } as const;
export const THE_MILESTONE = { ...MILESTONE_ID, "x-aliases": ["id"], description: "The milestone." } as const;
export const THE_RISK = { ...RISK_ID, "x-aliases": ["id"], description: "The risk." } as const;
export const THE_REQUIREMENT = { ...REQUIREMENT_ID, "x-aliases": ["id"], description: "The requirement." } as const;
export const THE_EDGE = { ...EDGE_ID, "x-aliases": ["id"], description: "The edge." } as const;
export const THE_ENTITY = { ...ENTITY_ID, "x-aliases": ["id"], description: "The entity." } as const;

export const IN_PROJECT = { ...PROJECT_ID, description: "Only in this project." } as const;
export const FOR_PROJECT = { ...PROJECT_ID, description: "Project to create it in." } as const;

// Pages.

export const OFFSET = {
  type: "integer",
  minimum: 0,
  maximum: OFFSET_MAX,
  default: 0,
  description: "Items to skip.",
} as const;
export const LIMIT_50 = {
  type: "integer",
  minimum: 1,
  maximum: 50,
  default: 20,
  description: "Items at most.",
} as const;
export const LIMIT_30 = {
  type: "integer",
  minimum: 1,
  maximum: 30,
  default: 10,
  description: "Items at most.",
} as const;
export const LIMIT_20 = {
  type: "integer",
  minimum: 1,
  maximum: 20,
  default: 10,
  description: "Items at most.",
} as const;
export const SEARCH = {
  type: "string",
  minLength: 1,
  maxLength: 500,
  "x-aliases": ["query", "q"],
  description: "Words to look for; any of them may match.",
} as const;

// States and types.

export const PROJECT_STATE = { type: "string", enum: PROJECT_STATES, "x-values": PROJECT_STATE_ALIASES } as const;
export const TASK_STATE = { type: "string", enum: TASK_STATES, "x-values": TASK_STATE_ALIASES } as const;
export const GOAL_STATE = { type: "string", enum: GOAL_STATES, "x-values": GOAL_STATE_ALIASES } as const;
export const PLAN_STATE = { type: "string", enum: PLAN_STATES, "x-values": PLAN_STATE_ALIASES } as const;
export const DOCUMENT_STATE = { type: "string", enum: DOCUMENT_STATES, "x-values": DOCUMENT_STATE_ALIASES } as const;
export const MILESTONE_STATE = {
  type: "string",
  enum: MILESTONE_STATES,
  "x-values": MILESTONE_STATE_ALIASES,
} as const;
export const RISK_STATE = { type: "string", enum: RISK_STATES, "x-values": RISK_STATE_ALIASES } as const;
export const IMPACT = { type: "string", enum: IMPACTS } as const;

/** `x-form` is how an error shows the shape that `pattern` checks. */
export const PROJECT_TYPE = {
  type: "string",
  pattern: PROJECT_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": PROJECT_TYPE_FORM,
} as const;
export const TASK_TYPE = {
  type: "string",
  pattern: TASK_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": TASK_TYPE_FORM,
} as const;
export const GOAL_TYPE = {
  type: "string",
  pattern: GOAL_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": GOAL_TYPE_FORM,
} as const;
export const PLAN_TYPE = {
  type: "string",
  pattern: PLAN_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": PLAN_TYPE_FORM,
} as const;
export const DOCUMENT_TYPE = {
  type: "string",
  pattern: DOCUMENT_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": DOCUMENT_TYPE_FORM,
} as const;
export const REQUIREMENT_TYPE = {
  type: "string",
  pattern: REQUIREMENT_TYPE_PATTERN,
  maxLength: LABEL_MAX,
  "x-form": REQUIREMENT_TYPE_FORM,
} as const;

// Texts, times, numbers.

/** A label has a character that shows. */
export const LABEL = {
  type: "string",
  pattern: "\\S",
  maxLength: LABEL_MAX,
  "x-form": "text that is not blank",
} as const;
export const TASK_TITLE = {
  ...LABEL,
  "x-aliases": ["name", "task_title", "task_name"],
  description: "What is to be done, as an action.",
} as const;
export const TITLE = { ...LABEL, "x-aliases": ["name"], description: "Title." } as const;
export const PROJECT_NAME = { ...LABEL, "x-aliases": ["title", "project_name"], description: "Name." } as const;
export const GOAL_NAME = {
  ...LABEL,
  "x-aliases": ["title", "goal_name"],
  description: "The outcome, in a few words.",
} as const;
export const PLAN_NAME = { ...LABEL, "x-aliases": ["title", "plan_name"], description: "Name." } as const;
export const DESCRIPTION = { type: "string", maxLength: DESCRIPTION_MAX, description: "Details." } as const;
export const CONTENT = { type: "string", maxLength: BODY_MAX, description: "Body, in Markdown." } as const;
export const PLAN_BODY = {
  type: "string",
  maxLength: BODY_MAX,
  "x-aliases": ["plan_body", "body", "content"],
  description: "Body of the plan, in Markdown.",
} as const;
export const CRITERIA = {
  type: "string",
  maxLength: DESCRIPTION_MAX,
  description: "How to tell that it is reached.",
} as const;

/** A date, or a date with time and zone; a date alone means midnight UTC. */
export const TIMESTAMP = {
  anyOf: [
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
  ],
} as const;
export const TIMESTAMP_OR_NULL = {
  anyOf: [{ type: "string", format: "date" }, { type: "string", format: "date-time" }, { type: "null" }],
} as const;

export const PRIORITY = {
  type: "integer",
  minimum: PRIORITY_MIN,
  maximum: PRIORITY_MAX,
  description: "1 is the highest, 5 the lowest.",
} as const;

// Objects.

/** The only open object. */
export const PROPS = {
  type: "object",
  additionalProperties: true,
  description: "Further fields; an update merges them, null removes one.",
} as const;
export const FACET_PROPERTIES = {
  context: { type: "string", enum: CONTEXTS, description: "For whom it is done." },
  scale: { type: "string", enum: SCALES, description: "How large it is." },
  stage: { type: "string", enum: STAGES, description: "How far it is." },
} as const;

// Updates.

export const STRATEGY = {
  type: "string",
  enum: UPDATE_STRATEGIES,
  default: "replace",
  description: "Replace the description, or append to it after a blank line.",
} as const;
export const EXPECTED_VERSION = {
  type: "integer",
  minimum: 1,
  description: "Version you read; another one is a CONFLICT.",
} as const;
