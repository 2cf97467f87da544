/** Ops that create entities. `create_onto_project` has a file of its own. */

import type { ChatToolDefinition } from "toolwright/codegen";
import {
  DOCUMENT_STATE_DEFAULT,
  DOCUMENT_TYPE_DEFAULT,
  EDGE_KINDS,
  GOAL_STATE_DEFAULT,
  GOAL_TYPE_DEFAULT,
  INTENTS,
  LABEL_MAX,
  PLAN_PARENTS,
  PLAN_STATE_DEFAULT,
  PLAN_TYPE_DEFAULT,
  PRIORITY_DEFAULT,
  TASK_PARENTS,
  TASK_STATE_DEFAULT,
  TASK_TYPE_DEFAULT,
} from "./backend/model.js";
import {
  CONTENT,
  CRITERIA,
  DESCRIPTION,
  DOCUMENT_ID,
  DOCUMENT_STATE,
  DOCUMENT_TYPE,
  ENTITY_ID,
  FOR_PROJECT,
  GOAL_ID,
  GOAL_NAME,
  GOAL_STATE,
  GOAL_TYPE,
  MILESTONE_ID,
  PLAN_BODY,
  PLAN_ID,
  PLAN_NAME,
  PLAN_STATE,
  PLAN_TYPE,
  PRIORITY,
  PROPS,
  TASK_STATE,
  TASK_TITLE,
  TASK_TYPE,
  THE_TASK,
  TIMESTAMP,
  TITLE,
} from "./fields.js";

const CREATE_TASK = `Create a task in a project.

Create a task when:
- The user explicitly asks to add, track or be reminded of something
- A person must act: call, decide, sign, buy, attend
- The work happens outside this conversation
- The user builds a plan and wants its steps tracked

Do not create a task for:
- Anything you can do now, in this conversation
- Research or analysis that is to be answered here
- Work that you would record and close at once
- Looking organised
- Ideas that the user is only exploring

To clarify:
- Link goal, plan or milestone only when its id is known
- When unclear, ask one question or go on without creating a task

Search the tasks of the project first: a similar one may exist. Similar titles come back with the result.`;

const CREATE_DOCUMENT = `Create a document and place it in the tree.

Create a document when:
- The user wants a text kept in the project
- Notes, findings or a specification outlive this conversation

Do not create a document for:
- A text that an existing document holds; update that one
- An answer that is only meant for this conversation
- Something to be done; that is a task

Placement:
- If parent_id is absent or null, the document goes to the root
- If it belongs to one task, onto.task.doc.create_or_attach attaches it as well

A folder is a document with children, and its content may be short.`;

const CREATE_TASK_DOCUMENT = `Attach a document to a task, new or existing.

Use one of two ways:
- Give document_id to attach a document that exists
- Give title and description to create a document and attach it; onto.document.tree.move then places it in the tree

Do not:
- Give document_id together with title or description
- Create a second document for a text that the task already has

Attaching the same document again changes nothing.`;

const TASK_PARENT = {
  type: "object",
  properties: {
    kind: { type: "string", enum: TASK_PARENTS, description: "Kind of the parent." },
    id: { ...ENTITY_ID, description: "The parent." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
} as const;
const PLAN_PARENT = {
  type: "object",
  properties: {
    kind: { type: "string", enum: PLAN_PARENTS, description: "Kind of the parent." },
    id: { ...ENTITY_ID, description: "The parent." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
} as const;
const CONNECTION = {
  type: "object",
  properties: {
    kind: { type: "string", enum: EDGE_KINDS, description: "Kind of the other end." },
    id: { ...ENTITY_ID, description: "The other end." },
    intent: { type: "string", enum: INTENTS, description: "Containment makes the other end the parent." },
    rel: { type: "string", minLength: 1, maxLength: 60, description: "Relation; absent, the usual one of the pair." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
} as const;

export const CREATE_TOOLS = [
  {
    type: "function",
    function: {
      name: "create_onto_task",
      description: CREATE_TASK,
      parameters: {
        type: "object",
        properties: {
          project_id: FOR_PROJECT,
          title: TASK_TITLE,
          description: DESCRIPTION,
          type_key: { ...TASK_TYPE, default: TASK_TYPE_DEFAULT, description: "Mode of work: task.mode[.special]." },
          state_key: { ...TASK_STATE, default: TASK_STATE_DEFAULT, description: "State." },
          priority: { ...PRIORITY, default: PRIORITY_DEFAULT },
          plan_id: { ...PLAN_ID, description: "Plan that holds it." },
          goal_id: { ...GOAL_ID, description: "Goal it supports." },
          supporting_milestone_id: { ...MILESTONE_ID, description: "Milestone it works towards." },
          parent: { ...TASK_PARENT, description: "What holds it." },
          parents: { type: "array", items: TASK_PARENT, description: "Several parents; the first is the main one." },
          connections: { type: "array", items: CONNECTION, description: "Further links." },
          start_at: { ...TIMESTAMP, description: "When work starts." },
          due_at: { ...TIMESTAMP, description: "When it is due." },
          props: PROPS,
        },
        required: ["project_id", "title"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "create_onto_goal",
      description: "Create a goal: an outcome the project is to reach. Tasks and plans link to it with supports_goal.",
      parameters: {
        type: "object",
        properties: {
          project_id: FOR_PROJECT,
          name: GOAL_NAME,
          description: DESCRIPTION,
          type_key: { ...GOAL_TYPE, default: GOAL_TYPE_DEFAULT, description: "goal.family[.variant]." },
          state_key: { ...GOAL_STATE, default: GOAL_STATE_DEFAULT, description: "State." },
          target_date: { ...TIMESTAMP, description: "When it is to be reached." },
          measurement_criteria: CRITERIA,
          props: PROPS,
        },
        required: ["project_id", "name"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "create_onto_plan",
      description: "Create a plan: an ordered piece of work that holds tasks. Its steps are tasks with its plan_id.",
      parameters: {
        type: "object",
        properties: {
          project_id: FOR_PROJECT,
          name: PLAN_NAME,
          description: DESCRIPTION,
          plan: PLAN_BODY,
          type_key: { ...PLAN_TYPE, default: PLAN_TYPE_DEFAULT, description: "plan.family[.variant]." },
          state_key: { ...PLAN_STATE, default: PLAN_STATE_DEFAULT, description: "State." },
          goal_id: { ...GOAL_ID, description: "Goal it supports." },
          milestone_id: { ...MILESTONE_ID, description: "Milestone it works towards." },
          parent: { ...PLAN_PARENT, description: "What holds it." },
          parents: { type: "array", items: PLAN_PARENT, description: "Several parents; the first is the main one." },
          props: PROPS,
        },
        required: ["project_id", "name"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "create_onto_document",
      description: CREATE_DOCUMENT,
      parameters: {
        type: "object",
        properties: {
          project_id: FOR_PROJECT,
          title: TITLE,
          description: { ...DESCRIPTION, description: "What it is about, in a sentence or two." },
          content: CONTENT,
          type_key: { ...DOCUMENT_TYPE, default: DOCUMENT_TYPE_DEFAULT, description: "document.family[.variant]." },
          state_key: { ...DOCUMENT_STATE, default: DOCUMENT_STATE_DEFAULT, description: "State." },
          parent_id: { ...DOCUMENT_ID, type: ["string", "null"], description: "Document it goes under; null: root." },
          position: { type: "integer", minimum: 0, description: "Place among its siblings; absent: the end." },
          props: PROPS,
        },
        required: ["project_id", "title", "description", "content"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "create_task_document",
      description: CREATE_TASK_DOCUMENT,
      parameters: {
        type: "object",
        properties: {
          task_id: THE_TASK,
          document_id: { ...DOCUMENT_ID, "x-aliases": ["doc_id"], description: "Document to attach." },
          title: { ...TITLE, description: "Title of the new document." },
          description: { ...DESCRIPTION, description: "What the new document is about." },
          type_key: { ...DOCUMENT_TYPE, default: DOCUMENT_TYPE_DEFAULT, description: "Type of the new document." },
          state_key: { ...DOCUMENT_STATE, default: DOCUMENT_STATE_DEFAULT, description: "State of the new document." },
          role: { type: "string", maxLength: LABEL_MAX, description: "What it is to the task: brief, result, notes." },
          content: { ...CONTENT, description: "Body of the new document, in Markdown." },
          props: { ...PROPS, description: "Further fields of the new document." },
        },
        required: ["task_id"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
