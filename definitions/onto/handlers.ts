/** The handlers of the ontology ops: each op and the function of the reference backend that does its work. */

import type { OntoHandlers } from "../../generated/handlers.js";
import type * as Args from "./backend/args.js";
import { createDocument, createGoal, createPlan, createTask } from "./backend/create.js";
import { getPath, getTree, moveDocument } from "./backend/documents.js";
import { getDocument, getOf, getProjectDetails } from "./backend/get.js";
import { getGraph } from "./backend/graph.js";
import { linkEntities, unlinkEdge } from "./backend/link.js";
import { getLinks, getRelationships } from "./backend/links.js";
import { listOf, listProjects } from "./backend/list.js";
import { createProject } from "./backend/project-create.js";
import { OBJECTS } from "./backend/project-of.js";
import { deleteDocument, deleteGoal, deletePlan, deleteTask } from "./backend/remove.js";
import { planReorganize, reorganize } from "./backend/reorganize.js";
import { searchAll, searchOf } from "./backend/search.js";
import { binder } from "./backend/store.js";
import { attachDocument, listTaskDocs } from "./backend/task-docs.js";
import { updateOf } from "./backend/update.js";
import { TABLES } from "./tables.js";

/** The tables of the pack. */
export const tables = TABLES;

/** How the project of an object is found. */
export const storedObjects = OBJECTS;

const { reads, writes } = binder();

/** The handlers by op. */
export const handlers = {
  "onto.document.create": writes(createDocument),
  "onto.document.delete": writes(deleteDocument),
  "onto.document.get": reads(getDocument),
  "onto.document.list": reads(listOf("document")),
  "onto.document.path.get": reads(getPath),
  "onto.document.search": reads(searchOf("document")),
  "onto.document.tree.get": reads(getTree),
  "onto.document.tree.move": writes(moveDocument),
  "onto.document.update": writes(updateOf("document", (args: Args.DocumentUpdateArgs) => args.document_id)),
  "onto.edge.link": writes(linkEntities),
  "onto.edge.unlink": writes(unlinkEdge),
  "onto.entity.links.get": reads(getLinks),
  "onto.entity.relationships.get": reads(getRelationships),
  "onto.goal.create": writes(createGoal),
  "onto.goal.delete": writes(deleteGoal),
  "onto.goal.get": reads(getOf("goal", (args: Args.GoalArgs) => args.goal_id)),
  "onto.goal.list": reads(listOf("goal")),
  "onto.goal.update": writes(updateOf("goal", (args: Args.GoalUpdateArgs) => args.goal_id)),
  "onto.milestone.get": reads(getOf("milestone", (args: Args.MilestoneArgs) => args.milestone_id)),
  "onto.milestone.list": reads(listOf("milestone")),
  "onto.milestone.update": writes(updateOf("milestone", (args: Args.MilestoneUpdateArgs) => args.milestone_id)),
  "onto.plan.create": writes(createPlan),
  "onto.plan.delete": writes(deletePlan),
  "onto.plan.get": reads(getOf("plan", (args: Args.PlanArgs) => args.plan_id)),
  "onto.plan.list": reads(listOf("plan")),
  "onto.plan.update": writes(updateOf("plan", (args: Args.PlanUpdateArgs) => args.plan_id)),
  "onto.project.create": writes(createProject),
  "onto.project.get": reads(getProjectDetails),
  "onto.project.graph.get": reads(getGraph),
  "onto.project.graph.reorganize": writes(reorganize, planReorganize),
  "onto.project.list": reads(listProjects),
  "onto.project.search": reads(searchOf("project")),
  "onto.project.update": writes(updateOf("project", (args: Args.ProjectUpdateArgs) => args.project_id)),
  "onto.requirement.get": reads(getOf("requirement", (args: Args.RequirementArgs) => args.requirement_id)),
  "onto.requirement.list": reads(listOf("requirement")),
  "onto.requirement.update": writes(updateOf("requirement", (args: Args.RequirementUpdateArgs) => args.requirement_id)),
  "onto.risk.get": reads(getOf("risk", (args: Args.RiskArgs) => args.risk_id)),
  "onto.risk.list": reads(listOf("risk")),
  "onto.risk.update": writes(updateOf("risk", (args: Args.RiskUpdateArgs) => args.risk_id)),
  "onto.search": reads(searchAll),
  "onto.task.create": writes(createTask),
  "onto.task.delete": writes(deleteTask),
  "onto.task.doc.create_or_attach": writes(attachDocument),
  "onto.task.docs.list": reads(listTaskDocs),
  "onto.task.get": reads(getOf("task", (args: Args.TaskArgs) => args.task_id)),
  "onto.task.list": reads(listOf("task")),
  "onto.task.search": reads(searchOf("task")),
  "onto.task.update": writes(updateOf("task", (args: Args.TaskUpdateArgs) => args.task_id)),
} satisfies OntoHandlers;
