/** Ops that find entities: lists and searches. */

import type { ChatToolDefinition } from "toolwright/codegen";
import { KINDS } from "./backend/model.js";
import {
  DOCUMENT_STATE,
  DOCUMENT_TYPE,
  GOAL_STATE,
  IMPACT,
  IN_PROJECT,
  LIMIT_20,
  LIMIT_30,
  LIMIT_50,
  MILESTONE_STATE,
  OFFSET,
  PLAN_STATE,
  PROJECT_STATE,
  PROJECT_TYPE,
  REQUIREMENT_TYPE,
  RISK_STATE,
  SEARCH,
  TASK_STATE,
  THE_TASK,
} from "./fields.js";
import { HITS, LIST_OF } from "./results.js";

export const FIND_TOOLS = [
  {
    type: "function",
    function: {
      name: "list_onto_tasks",
      description: "List tasks, newest change first. Items carry state, priority and due date, no bodies.",
      outputSchema: LIST_OF.task,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          state_key: { ...TASK_STATE, description: "Only tasks in this state." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_goals",
      description: "List goals, newest change first. Items carry state and target date, no bodies.",
      outputSchema: LIST_OF.goal,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          state_key: { ...GOAL_STATE, description: "Only goals in this state." },
          limit: LIMIT_30,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_documents",
      description:
        "List documents, newest change first. Items carry state and type, no content. Their order in the project is that of the document tree, which get_document_tree shows.",
      outputSchema: LIST_OF.document,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          type_key: { ...DOCUMENT_TYPE, description: "Only documents of this type." },
          state_key: { ...DOCUMENT_STATE, description: "Only documents in this state." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_milestones",
      description: "List milestones, next due date first. Milestones without a date follow, newest change first.",
      outputSchema: LIST_OF.milestone,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          state_key: { ...MILESTONE_STATE, description: "Only milestones in this state." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_risks",
      description: "List risks, newest change first. Items carry impact, probability and state.",
      outputSchema: LIST_OF.risk,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          state_key: { ...RISK_STATE, description: "Only risks in this state." },
          impact: { ...IMPACT, description: "Only risks of this impact." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_requirements",
      description: "List requirements, newest change first. Their label is `text`.",
      outputSchema: LIST_OF.requirement,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          type_key: { ...REQUIREMENT_TYPE, description: "Only requirements of this type." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_plans",
      description: "List plans, newest change first. Items carry state and dates, no bodies.",
      outputSchema: LIST_OF.plan,
      parameters: {
        type: "object",
        properties: {
          project_id: IN_PROJECT,
          state_key: { ...PLAN_STATE, description: "Only plans in this state." },
          limit: LIMIT_20,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_onto_projects",
      description:
        "List the projects you may see, newest change first. Items carry state, type and the number of open tasks.",
      outputSchema: LIST_OF.project,
      parameters: {
        type: "object",
        properties: {
          state_key: { ...PROJECT_STATE, description: "Only projects in this state." },
          type_key: { ...PROJECT_TYPE, description: "Only projects of this type." },
          limit: LIMIT_30,
          offset: OFFSET,
        },
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "list_task_documents",
      description:
        "List the documents attached to a task. Each item has the edge, the role of the document, and the document without its content.",
      parameters: {
        type: "object",
        properties: {
          task_id: THE_TASK,
          offset: OFFSET,
        },
        required: ["task_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "search_onto_tasks",
      description:
        "Search tasks by words in title and description. Hits come best first, with a snippet and a score; spelling may be off a little.",
      outputSchema: HITS,
      parameters: {
        type: "object",
        properties: {
          search: SEARCH,
          project_id: IN_PROJECT,
          state_key: { ...TASK_STATE, description: "Only tasks in this state." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        required: ["search"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "search_onto_projects",
      description:
        "Search projects by words in name and description. Hits come best first, with a snippet and a score.",
      outputSchema: HITS,
      parameters: {
        type: "object",
        properties: {
          search: SEARCH,
          state_key: { ...PROJECT_STATE, description: "Only projects in this state." },
          type_key: { ...PROJECT_TYPE, description: "Only projects of this type." },
          limit: LIMIT_30,
          offset: OFFSET,
        },
        required: ["search"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "search_onto_documents",
      description:
        "Search documents by words in title and text. Hits come best first, with a snippet around the first match. Archived documents appear only when state_key asks for them.",
      outputSchema: HITS,
      parameters: {
        type: "object",
        properties: {
          search: SEARCH,
          project_id: IN_PROJECT,
          type_key: { ...DOCUMENT_TYPE, description: "Only documents of this type." },
          state_key: { ...DOCUMENT_STATE, description: "Only documents in this state." },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        required: ["search"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "search_ontology",
      description:
        "Search all kinds of entities by words. Suits requests where the kind is open; the searches of one kind have more filters.",
      outputSchema: HITS,
      parameters: {
        type: "object",
        properties: {
          query: {
            ...SEARCH,
            "x-aliases": ["search", "q"],
          },
          project_id: IN_PROJECT,
          types: {
            type: "array",
            items: { type: "string", enum: KINDS },
            description: "Only these kinds.",
          },
          limit: LIMIT_50,
          offset: OFFSET,
        },
        required: ["query"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
