/** The get ops of single entities. */

import type { DocumentArgs, ProjectArgs } from "./args.js";
import { countsOf } from "./counts.js";
import { pathOfDocument } from "./documents.js";
import { linksOf } from "./links.js";
import type { EdgeKind } from "./model.js";
import { type Shown, showRow } from "./render.js";
import { getProject, getRow, type Work } from "./store.js";
import type { Step } from "./tree-store.js";

/** The get op of a kind, with links. */
export const getOf =
  <K extends EdgeKind, A extends object>(
    kind: K,
    idOf: (args: A) => string,
  ): Work<A, Readonly<Record<K, Shown>> & { readonly links: object }> =>
  async (store, args) => {
    const row = await getRow(store, kind, idOf(args));
    const links = await linksOf(store, row.id);
    return { [kind]: showRow(kind, row), links } as Readonly<Record<K, Shown>> & { readonly links: object };
  };

/** `onto.project.get`: with counts of live entities per kind. */
export const getProjectDetails: Work<ProjectArgs, { project: Shown; counts: object }> = async (store, args) => {
  const project = await getProject(store, args.project_id);
  return { project: showRow("project", project), counts: await countsOf(store, project.id) };
};

/** `onto.document.get`: with content and the path in the tree. */
export const getDocument: Work<DocumentArgs, { document: Shown; path: readonly Step[] }> = async (store, args) => {
  const document = await getRow(store, "document", args.document_id);
  return { document: showRow("document", document), path: await pathOfDocument(store, document) };
};
