/** The texts of `util.buildos.overview` and `util.buildos.usage_guide`. Data only. */

/** A titled text in sections. */
export interface Guide {
  readonly title: string;
  readonly sections: readonly { readonly heading: string; readonly text: string }[];
}

/** What the workspace is and contains. */
export const OVERVIEW: Guide = {
  title: "BuildOS: a project workspace for people and agents",
  sections: [
    {
      heading: "What it is",
      text: "BuildOS keeps what a project is made of, and how the parts hang together, in one place that people and agents read and change through the same ops. What an agent writes stays: it can be found, linked and corrected later.",
    },
    {
      heading: "What a project holds",
      text: "A project has goals (outcomes), milestones (dated points on the way), plans (ordered work), tasks (actions for a person), documents (texts in Markdown), risks, requirements, metrics and sources. Each entity belongs to exactly one project, by its project_id.",
    },
    {
      heading: "How things hang together",
      text: "Edges join entities of a project. Containment says what holds what: a plan has tasks, a goal has milestones; an entity has one parent. Semantic edges say what relates: a task supports a goal, depends on another task, mitigates a risk, is documented in a document. An edge is stored once and read from both ends.",
    },
    {
      heading: "Documents",
      text: "Documents form one tree per project. A folder is a document with children. A document attached to a task hangs on its task and need not be in the tree.",
    },
    {
      heading: "States, types and history",
      text: "Each kind has its states, the first being the default; a type_key such as task.research or document.spec says what sort it is. Each change raises the entity's version and is logged with who made it. Deleting hides: the row and its edges leave lists, search, tree and graph.",
    },
    {
      heading: "What it does not do",
      text: "It sends no messages, does no work by itself and guesses nothing: an op that lacks an id fails and names the op that finds it.",
    },
  ],
};

/** How to use it. */
export const USAGE_GUIDE: Guide = {
  title: "BuildOS: how to work with it",
  sections: [
    {
      heading: "Look before you write",
      text: "Search first: onto.task.search, onto.document.search, or onto.search over all kinds. Create only what is not there. A create answers with `similar` when a close title exists; if one of them is meant, update it and delete the new one.",
    },
    {
      heading: "Find your way",
      text: "onto.project.list gives the projects, onto.project.get one with counts, onto.project.graph.get its entities and edges. onto.entity.links.get shows what an entity is linked to. Ids come from these answers; never make one up.",
    },
    {
      heading: "Start a project",
      text: "onto.project.create takes the project, first entities with temp_ids of your choice, and relationships between them, all in one call. Start small: what the user stated. If nothing sensible can be inferred, send one clarification with required=true; nothing is written then.",
    },
    {
      heading: "Change things",
      text: "Updates change what is given and leave the rest. update_strategy=append adds text after a blank line: content of a document, description elsewhere. expected_version makes sure that you change what you read; a CONFLICT says what changed since. null clears a field that may be empty.",
    },
    {
      heading: "Documents and their tree",
      text: "onto.document.create places a document under parent_id, or at the end of the root. To move one: onto.document.search for its id, onto.document.tree.get with include_documents=true for the folder's id, then onto.document.tree.move. Notes for one task: onto.task.doc.create_or_attach.",
    },
    {
      heading: "Links",
      text: "onto.edge.link joins two entities; ordinary words for a relation are understood, and linking twice changes nothing. Several links at once: onto.project.graph.reorganize, which plans first (dry_run=true) and applies with dry_run=false.",
    },
    {
      heading: "When a call fails",
      text: "The error names each argument that is wrong, the value expected and often the one you meant; corrected_call is a skeleton to copy. NOT_FOUND means that the id is wrong, deleted, or outside your access. Read the op's help before a third try.",
    },
  ],
};
