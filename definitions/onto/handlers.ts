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

const bound = binder();

/** The handlers by op. */
export const handlers = {
  "onto.document.create": bound(createDocument),
  "onto.document.delete": bound(deleteDocument),
  "onto.document.get": bound(getDocument),
  "onto.document.list": bound(listOf("document")),
  "onto.document.path.get": bound(getPath),
  "onto.document.search": bound(searchOf("document")),
  "onto.document.tree.get": bound(getTree),
  "onto.document.tree.move": bound(moveDocument),
  "onto.document.update": bound(updateOf("document", (args: Args.DocumentUpdateArgs) => args.document_id)),
  "onto.edge.link": bound(linkEntities),
  "onto.edge.unlink": bound(unlinkEdge),
  "onto.entity.links.get": bound(getLinks),
  "onto.entity.relationships.get": bound(getRelationships),
  "onto.goal.create": bound(createGoal),
  "onto.goal.delete": bound(deleteGoal),
  "onto.goal.get": bound(getOf("goal", (args: Args.GoalArgs) => args.goal_id)),
  "onto.goal.list": bound(listOf("goal")),
  "onto.goal.update": bound(updateOf("goal", (args: Args.GoalUpdateArgs) => args.goal_id)),
  "onto.milestone.get": bound(getOf("milestone", (args: Args.MilestoneArgs) => args.milestone_id)),
  "onto.milestone.list": bound(listOf("milestone")),
  "onto.milestone.update": bound(updateOf("milestone", (args: Args.MilestoneUpdateArgs) => args.milestone_id)),
  "onto.plan.create": bound(createPlan),
  "onto.plan.delete": bound(deletePlan),
  "onto.plan.get": bound(getOf("plan", (args: Args.PlanArgs) => args.plan_id)),
  "onto.plan.list": bound(listOf("plan")),
  "onto.plan.update": bound(updateOf("plan", (args: Args.PlanUpdateArgs) => args.plan_id)),
  "onto.project.create": bound(createProject),
  "onto.project.get": bound(getProjectDetails),
  "onto.project.graph.get": bound(getGraph),
  "onto.project.graph.reorganize": bound(reorganize, planReorganize),
  "onto.project.list": bound(listProjects),
  "onto.project.search": bound(searchOf("project")),
  "onto.project.update": bound(updateOf("project", (args: Args.ProjectUpdateArgs) => args.project_id)),
  "onto.requirement.get": bound(getOf("requirement", (args: Args.RequirementArgs) => args.requirement_id)),
  "onto.requirement.list": bound(listOf("requirement")),
  "onto.requirement.update": bound(updateOf("requirement", (args: Args.RequirementUpdateArgs) => args.requirement_id)),
  "onto.risk.get": bound(getOf("risk", (args: Args.RiskArgs) => args.risk_id)),
  "onto.risk.list": bound(listOf("risk")),
  "onto.risk.update": bound(updateOf("risk", (args: Args.RiskUpdateArgs) => args.risk_id)),
  "onto.search": bound(searchAll),
  "onto.task.create": bound(createTask),
  "onto.task.delete": bound(deleteTask),
  "onto.task.doc.create_or_attach": bound(attachDocument),
  "onto.task.docs.list": bound(listTaskDocs),
  "onto.task.get": bound(getOf("task", (args: Args.TaskArgs) => args.task_id)),
  "onto.task.list": bound(listOf("task")),
  "onto.task.search": bound(searchOf("task")),
  "onto.task.update": bound(updateOf("task", (args: Args.TaskUpdateArgs) => args.task_id)),
} satisfies OntoHandlers;
