/** Ops that read the ontology: lists and searches are in find.ts. */

import type { ChatToolDefinition } from "toolwright/codegen";
import { DIRECTIONS, KINDS } from "./backend/model.js";
import {
  PROJECT_ID,
  THE_DOCUMENT,
  THE_ENTITY,
  THE_GOAL,
  THE_MILESTONE,
  THE_PLAN,
  THE_PROJECT,
  THE_REQUIREMENT,
  THE_RISK,
  THE_TASK,
} from "./fields.js";
import { FIND_TOOLS } from "./find.js";

export const ONTOLOGY_READ_TOOLS = [
  ...FIND_TOOLS,
  {
    type: "function",
    function: {
      name: "get_onto_project_details",
      description: "Get a project with counts per kind.",
      parameters: {
        type: "object",
        properties: {
          project_id: THE_PROJECT,
        },
        required: ["project_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_project_graph",
      description:
        "Get all live entities and edges of a project. Bodies are left out, and each kind stops at 500 entities.",
      parameters: {
        type: "object",
        properties: {
          project_id: THE_PROJECT,
        },
        required: ["project_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_task_details",
      description: "Get a task with its links.",
      parameters: {
        type: "object",
        properties: {
          task_id: THE_TASK,
        },
        required: ["task_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_goal_details",
      description: "Get a goal with its links.",
      parameters: {
        type: "object",
        properties: {
          goal_id: THE_GOAL,
        },
        required: ["goal_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_plan_details",
      description: "Get a plan with its body and links.",
      parameters: {
        type: "object",
        properties: {
          plan_id: THE_PLAN,
        },
        required: ["plan_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_document_details",
      description: "Get a document with its content and path.",
      parameters: {
        type: "object",
        properties: {
          document_id: THE_DOCUMENT,
        },
        required: ["document_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_milestone_details",
      description: "Get a milestone with its links.",
      parameters: {
        type: "object",
        properties: {
          milestone_id: THE_MILESTONE,
        },
        required: ["milestone_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_risk_details",
      description: "Get a risk with its links.",
      parameters: {
        type: "object",
        properties: {
          risk_id: THE_RISK,
        },
        required: ["risk_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_onto_requirement_details",
      description: "Get a requirement with its links.",
      parameters: {
        type: "object",
        properties: {
          requirement_id: THE_REQUIREMENT,
        },
        required: ["requirement_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_document_tree",
      description:
        "Get the document tree of a project. The structure holds ids only; include_documents adds titles and states, and the documents that hang nowhere. A folder is a document with children.",
      parameters: {
        type: "object",
        properties: {
          project_id: THE_PROJECT,
          include_documents: {
            type: "boolean",
            default: false,
            description: "Add titles, types and states, and documents outside the tree.",
          },
          include_content: {
            type: "boolean",
            default: false,
            description: "Add bodies; goes with include_documents.",
          },
        },
        required: ["project_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_document_path",
      description: "Get the path from the tree root to a document. An unplaced document has an empty path.",
      parameters: {
        type: "object",
        properties: {
          document_id: THE_DOCUMENT,
          project_id: { ...PROJECT_ID, description: "Project the document must be in." },
        },
        required: ["document_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_entity_relationships",
      description:
        "Get the edges of an entity, by direction. Each edge has its rel and the kind, id and label of the other end.",
      parameters: {
        type: "object",
        properties: {
          entity_id: THE_ENTITY,
          direction: {
            type: "string",
            enum: DIRECTIONS,
            default: "both",
            description: "Edges that leave the entity, reach it, or both.",
          },
        },
        required: ["entity_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "get_linked_entities",
      description:
        "Get the entities linked to one, grouped by kind. Each has its edge, rel and direction; counts come with the groups.",
      parameters: {
        type: "object",
        properties: {
          entity_id: THE_ENTITY,
          entity_kind: { type: "string", enum: KINDS, description: "Kind of that entity." },
          filter_kind: {
            type: "string",
            enum: [...KINDS, "all"],
            default: "all",
            description: "Only linked entities of this kind.",
          },
        },
        required: ["entity_id", "entity_kind"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
