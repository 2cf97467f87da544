/** Ops that update entities. Every one takes `expected_version`. */

import type { ChatToolDefinition } from "toolwright/codegen";
import { DESCRIPTION_MAX, LABEL_MAX } from "./backend/model.js";
import {
  CONTENT,
  CRITERIA,
  DESCRIPTION,
  DOCUMENT_STATE,
  DOCUMENT_TYPE,
  EXPECTED_VERSION,
  FACET_PROPERTIES,
  GOAL_ID,
  GOAL_NAME,
  GOAL_STATE,
  IMPACT,
  LABEL,
  MILESTONE_ID,
  MILESTONE_STATE,
  PLAN_BODY,
  PLAN_NAME,
  PLAN_STATE,
  PRIORITY,
  PROJECT_NAME,
  PROJECT_STATE,
  PROPS,
  REQUIREMENT_TYPE,
  RISK_STATE,
  STRATEGY,
  TASK_STATE,
  TASK_TITLE,
  TASK_TYPE,
  THE_DOCUMENT,
  THE_GOAL,
  THE_MILESTONE,
  THE_PLAN,
  THE_PROJECT,
  THE_REQUIREMENT,
  THE_RISK,
  THE_TASK,
  TIMESTAMP_OR_NULL,
  TITLE,
} from "./fields.js";

export const UPDATE_TOOLS = [
  {
    type: "function",
    function: {
      name: "update_onto_task",
      description:
        "Change fields of a task. What is left out stays. update_strategy=append adds the description to the one there is, after a blank line. A new goal_id or supporting_milestone_id takes the place of the old link; null removes it.",
      parameters: {
        type: "object",
        properties: {
          task_id: THE_TASK,
          title: TASK_TITLE,
          description: DESCRIPTION,
          update_strategy: STRATEGY,
          type_key: { ...TASK_TYPE, description: "Mode of work: task.mode[.special]." },
          state_key: { ...TASK_STATE, description: "State." },
          priority: PRIORITY,
          goal_id: { ...GOAL_ID, type: ["string", "null"], description: "Goal it supports; null: none." },
          supporting_milestone_id: {
            ...MILESTONE_ID,
            type: ["string", "null"],
            description: "Milestone it works towards; null: none.",
          },
          start_at: { ...TIMESTAMP_OR_NULL, description: "When work starts; null: open." },
          due_at: { ...TIMESTAMP_OR_NULL, description: "When it is due; null: open." },
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["task_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_project",
      description:
        "Change fields of a project. What is left out stays. props.facets holds context, scale and stage, and is replaced as a whole.",
      parameters: {
        type: "object",
        properties: {
          project_id: THE_PROJECT,
          name: PROJECT_NAME,
          description: DESCRIPTION,
          update_strategy: STRATEGY,
          state_key: { ...PROJECT_STATE, description: "State." },
          props: {
            ...PROPS,
            properties: {
              facets: {
                type: ["object", "null"],
                properties: FACET_PROPERTIES,
                additionalProperties: false,
                description: "What sort of project it is.",
              },
            },
          },
          expected_version: EXPECTED_VERSION,
        },
        required: ["project_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_goal",
      description: "Change fields of a goal. What is left out stays.",
      parameters: {
        type: "object",
        properties: {
          goal_id: THE_GOAL,
          name: GOAL_NAME,
          description: DESCRIPTION,
          update_strategy: STRATEGY,
          state_key: { ...GOAL_STATE, description: "State." },
          priority: PRIORITY,
          target_date: { ...TIMESTAMP_OR_NULL, description: "When it is to be reached; null: open." },
          measurement_criteria: CRITERIA,
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["goal_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_plan",
      description:
        "Change fields of a plan. What is left out stays. update_strategy concerns the description; the body in `plan` is replaced.",
      parameters: {
        type: "object",
        properties: {
          plan_id: THE_PLAN,
          name: PLAN_NAME,
          description: DESCRIPTION,
          plan: PLAN_BODY,
          update_strategy: STRATEGY,
          start_date: { ...TIMESTAMP_OR_NULL, description: "When it starts; null: open." },
          end_date: { ...TIMESTAMP_OR_NULL, description: "When it ends; null: open." },
          state_key: { ...PLAN_STATE, description: "State." },
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["plan_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_document",
      description:
        "Change a document or add to its content. What is left out stays. update_strategy=append adds content after a blank line, so that a long text need not be sent again; replace puts the new text in the place of all of it.",
      parameters: {
        type: "object",
        properties: {
          document_id: THE_DOCUMENT,
          title: TITLE,
          type_key: { ...DOCUMENT_TYPE, description: "document.family[.variant]." },
          state_key: { ...DOCUMENT_STATE, description: "State." },
          content: CONTENT,
          description: DESCRIPTION,
          update_strategy: { ...STRATEGY, description: "Replace the content, or append to it after a blank line." },
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["document_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_milestone",
      description: "Change fields of a milestone. What is left out stays.",
      parameters: {
        type: "object",
        properties: {
          milestone_id: THE_MILESTONE,
          title: TITLE,
          due_at: { ...TIMESTAMP_OR_NULL, description: "When it is due; null: open." },
          state_key: { ...MILESTONE_STATE, description: "State." },
          description: DESCRIPTION,
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["milestone_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_risk",
      description: "Change fields of a risk. What is left out stays.",
      parameters: {
        type: "object",
        properties: {
          risk_id: THE_RISK,
          title: TITLE,
          impact: { ...IMPACT, description: "How bad it would be." },
          probability: { type: "number", minimum: 0, maximum: 1, description: "How likely it is." },
          state_key: { ...RISK_STATE, description: "State." },
          content: CONTENT,
          description: DESCRIPTION,
          mitigation_strategy: { type: "string", maxLength: DESCRIPTION_MAX, description: "What is done against it." },
          owner: { type: "string", maxLength: LABEL_MAX, description: "Who watches it." },
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["risk_id"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "update_onto_requirement",
      description: "Change fields of a requirement. What is left out stays.",
      parameters: {
        type: "object",
        properties: {
          requirement_id: THE_REQUIREMENT,
          text: { ...LABEL, "x-aliases": ["title", "name"], description: "The requirement, in one sentence." },
          priority: PRIORITY,
          type_key: { ...REQUIREMENT_TYPE, description: "requirement.family[.variant]." },
          props: PROPS,
          expected_version: EXPECTED_VERSION,
        },
        required: ["requirement_id"],
        additionalProperties: false,
      },
    },
  },
] as const satisfies readonly ChatToolDefinition[];
