/** Ops that change the ontology: creates and updates come from files of their own. */

import type { ChatToolDefinition } from "toolwright/codegen";
import { EDGE_KINDS, INTENTS, MODES, NODE_KINDS, SEMANTIC_MODES } from "./backend/model.js";
import { CREATE_TOOLS } from "./create.js";
import {
  DOCUMENT_ID,
  ENTITY_ID,
  NODE_ID,
  PROJECT_ID,
  PROPS,
  THE_DOCUMENT,
  THE_EDGE,
  THE_GOAL,
  THE_PLAN,
  THE_PROJECT,
  THE_TASK,
} from "./fields.js";
import { CREATE_PROJECT_TOOL } from "./project.js";
import { UPDATE_TOOLS } from "./update.js";

const DELETE_TASK = `Delete a task.

Delete a task when:
- The user asks for it
- It is a mistake or a duplicate

Do not delete:
- Finished work; set state_key to done

If several tasks fit, ask which one is meant. Its links are hidden with it.`;

const LINK = `Link two entities of one project.

Read an edge from src to dst: task supports_goal goal, plan has_task task. Other words for a relation are understood, an unknown one becomes the usual relation of the pair, and linking twice changes nothing.

Relations:
- supports_goal: task or plan to goal
- targets_milestone: task or plan to milestone
- depends_on: task, plan or milestone to one of these
- requires, addresses: task or plan to requirement
- mitigates: task to risk; addresses: plan to risk
- blocks: task or risk to task, plan or milestone
- threatens: risk to task, plan, goal, milestone or requirement
- documented_in: task, plan, goal, milestone or risk to document
- has_task, has_plan, has_milestone, has_risk: parent to child
- references, relates_to: any two

Do not link:
- An entity to its project; project_id says that already
- A document to its folder; onto.document.tree.move places it`;

const REORGANIZE = `Rewire the connections of entities in a project.

Each node lists the connections it is to have. Mode replace makes them exactly these, merge adds them. A dry run is the default: it returns the plan and changes nothing.

Use when:
- The user asks to restructure a project
- Several links change together; for a single one link or unlink is enough

Do not:
- Apply with dry_run=false before the plan was seen and is wanted
- Leave out a connection that is to stay, in mode replace
- Name documents or the project; documents move within the tree

Parents:
- If no parent is left, the entity stays in the project without one`;

const CONNECTION = {
  type: "object",
  properties: {
    kind: { type: "string", enum: NODE_KINDS, description: "Kind of the other end." },
    id: { ...NODE_ID, description: "The other end." },
    intent: { type: "string", enum: INTENTS, description: "Containment makes the other end the parent." },
    rel: { type: "string", minLength: 1, maxLength: 60, description: "Relation; absent, the usual one of the pair." },
  },
  required: ["kind", "id"],
  additionalProperties: false,
} as const;
const MODE = { type: "string", enum: MODES, description: "Make connections exactly these, or add these." } as const;
const SEMANTIC_MODE = {
  type: "string",
  enum: SEMANTIC_MODES,
  description: "Semantic links: replace the usual ones, add, or leave.",
} as const;
const PROJECT_FALLBACK = { type: "boolean", description: "A node may end without a parent." } as const;
const MULTI_PARENT = { type: "boolean", description: "A node may have several parents." } as const;
/** Defaults stand on `options` alone: on a node they would hide what `options` says. */
const NODE = {
  type: "object",
  properties: {
    id: { ...NODE_ID, description: "The entity." },
    kind: { type: "string", enum: NODE_KINDS, description: "Its kind." },
    connections: { type: "array", items: CONNECTION, description: "What it is to be connected to." },
    mode: MODE,
    semantic_mode: SEMANTIC_MODE,
    allow_project_fallback: PROJECT_FALLBACK,
    allow_multi_parent: MULTI_PARENT,
  },
  required: ["id", "kind", "connections"],
  additionalProperties: false,
} as const;

export const ONTOLOGY_WRITE_TOOLS = [
  ...CREATE_TOOLS,
  CREATE_PROJECT_TOOL,
  ...UPDATE_TOOLS,
  {
    type: "function",
    function: {
      name: "delete_onto_task",
      description: DELETE_TASK,
      parameters: {
        type: "object",
        properties: { task_id: THE_TASK },
        required: ["task_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "delete_onto_document",
      description: "Delete a document; its children move up to its place. Links to it are hidden.",
      parameters: {
        type: "object",
        properties: { document_id: THE_DOCUMENT },
        required: ["document_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "delete_onto_goal",
      description: "Delete a goal. The result names the entities that pointed to it; they stay.",
      parameters: {
        type: "object",
        properties: { goal_id: THE_GOAL },
        required: ["goal_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "delete_onto_plan",
      description: "Delete a plan. Its tasks stay in the project; the result names them.",
      parameters: {
        type: "object",
        properties: { plan_id: THE_PLAN },
        required: ["plan_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "link_onto_entities",
      description: LINK,
      parameters: {
        type: "object",
        "x-endpoints": { from: ["src_kind", "src_id"], to: ["dst_kind", "dst_id"] },
        properties: {
          src_kind: { type: "string", enum: EDGE_KINDS, example: "task", description: "Kind of the first end." },
          src_id: { ...ENTITY_ID, description: "First end." },
          dst_kind: { type: "string", enum: EDGE_KINDS, example: "goal", description: "Kind of the second end." },
          dst_id: { ...ENTITY_ID, description: "Second end." },
          rel: {
            type: "string",
            minLength: 1,
            maxLength: 60,
            example: "supports_goal",
            "x-aliases": ["relationship"],
            description: "Relation, read from src to dst.",
          },
          props: { ...PROPS, description: "Details of the edge." },
        },
        required: ["src_kind", "src_id", "dst_kind", "dst_id", "rel"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "unlink_onto_edge",
      description: "Remove an edge. The entities stay; the result is the edge as it was.",
      parameters: {
        type: "object",
        properties: { edge_id: THE_EDGE },
        required: ["edge_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "reorganize_onto_project_graph",
      description: REORGANIZE,
      parameters: {
        type: "object",
        properties: {
          project_id: THE_PROJECT,
          nodes: {
            type: "array",
            minItems: 1,
            items: NODE,
            example: [{ id: "<task_id>", kind: "task", connections: [{ kind: "plan", id: "<plan_id>" }] }],
            description: "Entities and the connections they are to have; each entity once.",
          },
          options: {
            type: "object",
            properties: {
              mode: { ...MODE, default: "replace" },
              semantic_mode: SEMANTIC_MODE,
              allow_project_fallback: { ...PROJECT_FALLBACK, default: true },
              allow_multi_parent: { ...MULTI_PARENT, default: false },
            },
            additionalProperties: false,
            description: "What holds for nodes that say nothing themselves.",
          },
          dry_run: { type: "boolean", default: true, description: "Return the plan; false applies it." },
        },
        required: ["project_id", "nodes"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "move_document_in_tree",
      description: "Move a document with its children. Other documents keep their order.",
      parameters: {
        type: "object",
        properties: {
          project_id: { ...PROJECT_ID, description: "Project of the tree." },
          document_id: THE_DOCUMENT,
          new_parent_id: { ...DOCUMENT_ID, type: ["string", "null"], description: "Document to go under; null: root." },
          new_position: {
            type: "integer",
            minimum: 0,
            default: 0,
            description: "Place among the new siblings; 0 is the first.",
          },
          expected_tree_version: {
            type: "integer",
            minimum: 0,
            description: "tree_version you read; another one is a CONFLICT.",
          },
        },
        required: ["project_id", "document_id"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
