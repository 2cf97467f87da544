/**
 * Argument types of the `onto.*` ops as the backend receives them: validated, with or without defaults. Nested objects
 * are typed `object` and parsed where they are used, to match the generated types.
 */

/** Bounds of a page. */
export interface PageArgs {
  readonly limit?: number;
  readonly offset?: number;
}
/** Filters of the list ops; each op has those that its kind has. */
export interface ListArgs extends PageArgs {
  readonly project_id?: string;
  readonly state_key?: string;
  readonly type_key?: string;
  readonly impact?: string;
}
/** A search over one kind. */
export interface SearchArgs extends ListArgs {
  readonly search: string;
}
/** A search over kinds. */
export interface OntologySearchArgs extends PageArgs {
  readonly query: string;
  readonly project_id?: string;
  readonly types?: readonly string[];
}

/** Ops on one project. */
export interface ProjectArgs {
  readonly project_id: string;
}
/** Ops on one task. */
export interface TaskArgs {
  readonly task_id: string;
}
/** Ops on one goal. */
export interface GoalArgs {
  readonly goal_id: string;
}
/** Ops on one plan. */
export interface PlanArgs {
  readonly plan_id: string;
}
/** Ops on one document. */
export interface DocumentArgs {
  readonly document_id: string;
}
/** Ops on one milestone. */
export interface MilestoneArgs {
  readonly milestone_id: string;
}
/** Ops on one risk. */
export interface RiskArgs {
  readonly risk_id: string;
}
/** Ops on one requirement. */
export interface RequirementArgs {
  readonly requirement_id: string;
}
/** Ops on one edge. */
export interface EdgeArgs {
  readonly edge_id: string;
}

/** `onto.task.docs.list`. */
export interface TaskDocsArgs extends TaskArgs, PageArgs {}
/** `onto.document.tree.get`. */
export interface TreeGetArgs extends ProjectArgs {
  readonly include_documents?: boolean;
  readonly include_content?: boolean;
}
/** `onto.document.path.get`. */
export interface PathGetArgs extends DocumentArgs {
  readonly project_id?: string;
}
/** `onto.document.tree.move`. */
export interface TreeMoveArgs extends ProjectArgs, DocumentArgs {
  readonly new_parent_id?: string | null;
  readonly new_position?: number;
  readonly expected_tree_version?: number;
}
/** `onto.entity.relationships.get`. */
export interface RelationshipsArgs {
  readonly entity_id: string;
  readonly direction?: "outgoing" | "incoming" | "both";
}
/** `onto.entity.links.get`. */
export interface LinksArgs {
  readonly entity_id: string;
  readonly entity_kind: string;
  readonly filter_kind?: string;
}

/** One end of an edge. */
export interface EndArgs {
  readonly kind: string;
  readonly id: string;
}
/** A link requested by a create or a reorganisation. */
export interface ConnectionArgs extends EndArgs {
  readonly intent?: "containment" | "semantic";
  readonly rel?: string;
}
/** Placement of a new task or plan. */
export interface PlacementArgs {
  readonly plan_id?: string;
  readonly goal_id?: string;
  readonly milestone_id?: string;
  readonly supporting_milestone_id?: string;
  readonly parent?: EndArgs;
  readonly parents?: readonly EndArgs[];
  readonly connections?: readonly ConnectionArgs[];
}
/** `onto.task.create`. */
export interface TaskCreateArgs extends Omit<PlacementArgs, "milestone_id"> {
  readonly project_id: string;
  readonly title: string;
  readonly description?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly priority?: number;
  readonly start_at?: string;
  readonly due_at?: string;
  readonly props?: object;
}
/** `onto.goal.create`. */
export interface GoalCreateArgs {
  readonly project_id: string;
  readonly name: string;
  readonly description?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly target_date?: string;
  readonly measurement_criteria?: string;
  readonly props?: object;
}
/** `onto.plan.create`. */
export interface PlanCreateArgs extends Pick<PlacementArgs, "goal_id" | "milestone_id" | "parent" | "parents"> {
  readonly project_id: string;
  readonly name: string;
  readonly description?: string;
  readonly plan?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly props?: object;
}
/** `onto.document.create`. */
export interface DocumentCreateArgs {
  readonly project_id: string;
  readonly title: string;
  readonly description: string;
  readonly content: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly parent_id?: string | null;
  readonly position?: number;
  readonly props?: object;
}
/** `onto.task.doc.create_or_attach`. */
export interface TaskDocArgs {
  readonly task_id: string;
  readonly document_id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly role?: string;
  readonly content?: string;
  readonly props?: object;
}
/** `onto.project.create`; its parts are read in `project-spec.ts`. */
export interface ProjectCreateArgs {
  readonly project: object;
  readonly entities: readonly object[];
  readonly relationships: readonly object[];
  readonly context_document?: object;
  readonly clarifications?: readonly object[];
  readonly meta?: object;
}

/** Arguments of every update. */
export interface UpdateArgs {
  readonly expected_version?: number;
  readonly update_strategy?: "replace" | "append";
  readonly description?: string;
  readonly props?: object;
}
/** `onto.task.update`. */
export interface TaskUpdateArgs extends TaskArgs, UpdateArgs {
  readonly title?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly priority?: number;
  readonly goal_id?: string | null;
  readonly supporting_milestone_id?: string | null;
  readonly start_at?: string | null;
  readonly due_at?: string | null;
}
/** `onto.project.update`. */
export interface ProjectUpdateArgs extends ProjectArgs, UpdateArgs {
  readonly name?: string;
  readonly state_key?: string;
}
/** `onto.goal.update`. */
export interface GoalUpdateArgs extends GoalArgs, UpdateArgs {
  readonly name?: string;
  readonly state_key?: string;
  readonly priority?: number;
  readonly target_date?: string | null;
  readonly measurement_criteria?: string;
}
/** `onto.plan.update`. */
export interface PlanUpdateArgs extends PlanArgs, UpdateArgs {
  readonly name?: string;
  readonly plan?: string;
  readonly start_date?: string | null;
  readonly end_date?: string | null;
  readonly state_key?: string;
}
/** `onto.document.update`. */
export interface DocumentUpdateArgs extends DocumentArgs, UpdateArgs {
  readonly title?: string;
  readonly type_key?: string;
  readonly state_key?: string;
  readonly content?: string;
}
/** `onto.milestone.update`. */
export interface MilestoneUpdateArgs extends MilestoneArgs, UpdateArgs {
  readonly title?: string;
  readonly due_at?: string | null;
  readonly state_key?: string;
}
/** `onto.risk.update`. */
export interface RiskUpdateArgs extends RiskArgs, UpdateArgs {
  readonly title?: string;
  readonly impact?: string;
  readonly probability?: number;
  readonly state_key?: string;
  readonly content?: string;
  readonly mitigation_strategy?: string;
  readonly owner?: string;
}
/** `onto.requirement.update`. */
export interface RequirementUpdateArgs extends RequirementArgs, UpdateArgs {
  readonly text?: string;
  readonly priority?: number;
  readonly type_key?: string;
}

/** `onto.edge.link`. */
export interface LinkArgs {
  readonly src_kind: string;
  readonly src_id: string;
  readonly dst_kind: string;
  readonly dst_id: string;
  readonly rel: string;
  readonly props?: object;
}
/** Options for a node in a reorganisation. */
export interface NodeOptions {
  readonly mode?: "replace" | "merge";
  readonly semantic_mode?: "replace_auto" | "merge" | "preserve";
  readonly allow_project_fallback?: boolean;
  readonly allow_multi_parent?: boolean;
}
/** A node with its requested connections. */
export interface NodeArgs extends EndArgs, NodeOptions {
  readonly connections: readonly ConnectionArgs[];
}
/** `onto.project.graph.reorganize`. */
export interface ReorganizeArgs extends ProjectArgs {
  readonly nodes: readonly NodeArgs[];
  readonly options?: NodeOptions;
  readonly dry_run?: boolean;
}
