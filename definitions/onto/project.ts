/** The op that creates a project with its first entities. */

import type { ChatToolDefinition } from "toolwright/codegen";
import {
  CONTEXT_DOCUMENT_TYPE_DEFAULT,
  DESCRIPTION_MAX,
  DOCUMENT_STATE_DEFAULT,
  INTENTS,
  KINDS,
  LABEL_MAX,
  PROJECT_STATE_DEFAULT,
  URI_MAX,
} from "./backend/model.js";
import {
  CONTENT,
  DESCRIPTION,
  DOCUMENT_STATE,
  DOCUMENT_TYPE,
  FACET_PROPERTIES,
  IMPACT,
  LABEL,
  PLAN_BODY,
  PRIORITY,
  PROJECT_STATE,
  PROJECT_TYPE,
  PROPS,
  TIMESTAMP,
} from "./fields.js";

const CREATE_PROJECT = `Create a project with its first entities.

Use it this way:
- Derive name and type_key from what the user says
- Start small: the project, a goal that was stated, actions that were stated
- Put details into props, and context, scale and stage into props.facets
- Always send entities and relationships, empty if need be

Do not add:
- Plans or milestones when no phases or dates were named
- Entities that the user did not mention
- Dates that the user did not give
- Questions whose answer can be inferred

Clarification:
- Only if nothing sensible can be inferred, send one clarification

Structure:
- project names the project itself and stands in no relationship
- entities have a temp_id of your choice and a kind; their columns depend on the kind
- relationships join two temp_ids: a pair of {temp_id, kind} objects, or {from, to, rel}
- context_document becomes the first document of the tree
- a clarification with required=true stops the call: nothing is written`;

const TEMP_ID = { type: "string", pattern: "^[A-Za-z0-9_-]{1,60}$" } as const;
const REF = {
  type: "object",
  properties: {
    temp_id: { ...TEMP_ID, description: "temp_id of an entity in this call." },
    kind: { type: "string", enum: KINDS, description: "Its kind." },
  },
  required: ["temp_id", "kind"],
  additionalProperties: false,
} as const;

const PROJECT = {
  type: "object",
  properties: {
    name: { ...LABEL, description: "Name." },
    type_key: {
      ...PROJECT_TYPE,
      example: "project.business.launch",
      description:
        "project.realm.domain[.variant]; realm is creative, technical, business, service, education or personal.",
    },
    description: DESCRIPTION,
    state_key: { ...PROJECT_STATE, default: PROJECT_STATE_DEFAULT, description: "State." },
    start_at: { ...TIMESTAMP, description: "When it starts." },
    end_at: { ...TIMESTAMP, description: "When it is to end." },
    props: {
      ...PROPS,
      properties: {
        facets: {
          type: "object",
          properties: FACET_PROPERTIES,
          additionalProperties: false,
          description: "What sort of project it is.",
        },
      },
      description: "Further details, facets among them.",
    },
  },
  required: ["name", "type_key"],
  additionalProperties: false,
  description: "The project itself.",
} as const;

const ENTITY = {
  type: "object",
  properties: {
    temp_id: { ...TEMP_ID, description: "Name of your choice, once per call." },
    kind: { type: "string", enum: KINDS, description: "Kind; it decides which of the columns apply." },
    title: { ...LABEL, description: "Label of task, document, milestone, risk." },
    name: { ...LABEL, description: "Label of goal, plan, metric." },
    text: { ...LABEL, description: "Label of requirement." },
    uri: { type: "string", minLength: 1, maxLength: URI_MAX, description: "Label of source: its address." },
    description: { ...DESCRIPTION, description: "All but requirement and metric." },
    type_key: {
      type: "string",
      pattern: "^[a-z]+(?:\\.[a-z0-9_]+)+$",
      maxLength: LABEL_MAX,
      description: "All but source; begins with the kind. Absent: its default.",
    },
    state_key: {
      type: "string",
      maxLength: 40,
      description: "task, goal, plan, document, milestone, risk: a state of that kind. Absent: its first.",
    },
    priority: { ...PRIORITY, description: "task, goal, requirement: 1 is the highest, 5 the lowest." },
    start_at: { ...TIMESTAMP, description: "task." },
    due_at: { ...TIMESTAMP, description: "task; milestone, which needs it." },
    start_date: { ...TIMESTAMP, description: "plan." },
    end_date: { ...TIMESTAMP, description: "plan." },
    target_date: { ...TIMESTAMP, description: "goal." },
    measurement_criteria: { type: "string", maxLength: DESCRIPTION_MAX, description: "goal." },
    plan: { ...PLAN_BODY, description: "plan: its body, in Markdown." },
    content: { ...CONTENT, description: "document, risk: body, in Markdown." },
    impact: { ...IMPACT, description: "risk; absent: medium." },
    probability: { type: "number", minimum: 0, maximum: 1, description: "risk." },
    mitigation_strategy: { type: "string", maxLength: DESCRIPTION_MAX, description: "risk." },
    owner: { type: "string", maxLength: LABEL_MAX, description: "risk." },
    unit: { type: "string", maxLength: LABEL_MAX, description: "metric." },
    definition: { type: "string", maxLength: DESCRIPTION_MAX, description: "metric." },
    target_value: { type: "number", description: "metric." },
    snapshot_uri: { type: "string", maxLength: URI_MAX, description: "source: address of a copy." },
    props: PROPS,
  },
  required: ["temp_id", "kind"],
  additionalProperties: false,
} as const;

const RELATIONSHIP = {
  anyOf: [
    { type: "array", items: REF, minItems: 2, maxItems: 2, description: "Parent or source first." },
    {
      type: "object",
      properties: {
        from: { ...TEMP_ID, description: "temp_id of the parent or source." },
        to: { ...TEMP_ID, description: "temp_id of the other end." },
        rel: { type: "string", minLength: 1, maxLength: 60, description: "Absent: the usual one of the pair." },
        intent: { type: "string", enum: INTENTS, description: "Containment makes the first end the parent." },
      },
      required: ["from", "to"],
      additionalProperties: false,
    },
  ],
} as const;

const CONTEXT_DOCUMENT = {
  type: "object",
  properties: {
    title: { ...LABEL, description: "Title." },
    content: CONTENT,
    type_key: { ...DOCUMENT_TYPE, default: CONTEXT_DOCUMENT_TYPE_DEFAULT, description: "document.family[.variant]." },
    state_key: { ...DOCUMENT_STATE, default: DOCUMENT_STATE_DEFAULT, description: "State." },
    props: PROPS,
  },
  required: ["title", "content"],
  additionalProperties: false,
  description: "What the project is about; first document of its tree.",
} as const;

const CLARIFICATION = {
  type: "object",
  properties: {
    key: { ...TEMP_ID, description: "Name of the answer." },
    question: { type: "string", minLength: 1, maxLength: 500, description: "The question." },
    required: { type: "boolean", description: "Whether to stop until it is answered." },
    choices: { type: "array", items: { type: "string", maxLength: LABEL_MAX }, description: "Answers to offer." },
    help_text: { type: "string", maxLength: 500, description: "Why it is asked." },
  },
  required: ["key", "question", "required"],
  additionalProperties: false,
} as const;

const META = {
  type: "object",
  properties: {
    model: { type: "string", maxLength: LABEL_MAX, description: "Who inferred this." },
    confidence: { type: "number", minimum: 0, maximum: 1, description: "How sure it is." },
    suggested_facets: {
      type: "object",
      properties: FACET_PROPERTIES,
      additionalProperties: false,
      description: "Facets to propose rather than set.",
    },
  },
  additionalProperties: false,
  description: "Where the call comes from; kept in props.meta.",
} as const;

export const CREATE_PROJECT_TOOL = {
  type: "function",
  function: {
    name: "create_onto_project",
    description: CREATE_PROJECT,
    parameters: {
      type: "object",
      properties: {
        project: PROJECT,
        entities: { type: "array", items: ENTITY, description: "First entities; may be empty." },
        relationships: { type: "array", items: RELATIONSHIP, description: "Links between entities; may be empty." },
        context_document: CONTEXT_DOCUMENT,
        clarifications: { type: "array", items: CLARIFICATION, description: "Questions to the user, one at most." },
        meta: META,
      },
      required: ["project", "entities", "relationships"],
      additionalProperties: false,
    },
  },
} as const satisfies ChatToolDefinition;
