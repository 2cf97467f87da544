/** The document tree as data: pure functions on `{ id, children }`. */

/** A document in the tree. A folder is one with children. */
export interface TreeNode {
  readonly id: string;
  readonly children: readonly TreeNode[];
}

/** The tree of a project; each change raises `version`. */
export interface Tree {
  readonly version: number;
  readonly root: readonly TreeNode[];
}

/** Position of a document: the ids of its ancestors, and its index among its siblings. */
export interface Place {
  readonly ancestors: readonly string[];
  readonly position: number;
  readonly node: TreeNode;
}

/** Finds a document; `undefined` if it is not in the tree. */
export function findPlace(
  nodes: readonly TreeNode[],
  id: string,
  ancestors: readonly string[] = [],
): Place | undefined {
  for (const [position, node] of nodes.entries()) {
    if (node.id === id) return { ancestors, position, node };
    const found = findPlace(node.children, id, [...ancestors, node.id]);
    if (found) return found;
  }
  return undefined;
}

/** The ids of a subtree, parents before children. */
export const idsOf = (nodes: readonly TreeNode[]): readonly string[] =>
  nodes.flatMap((node) => [node.id, ...idsOf(node.children)]);

/** Changes the children of `parent`, or the root for null. */
function within(
  nodes: readonly TreeNode[],
  parent: string | null,
  change: (siblings: readonly TreeNode[]) => readonly TreeNode[],
): readonly TreeNode[] {
  if (parent === null) return change(nodes);
  return nodes.map((node) =>
    node.id === parent
      ? { ...node, children: change(node.children) }
      : { ...node, children: within(node.children, parent, change) },
  );
}

/** Inserts a node under `parent`; the position is clamped to 0..siblings, and defaults to the end. */
export const insertNode = (
  nodes: readonly TreeNode[],
  parent: string | null,
  node: TreeNode,
  position = Number.POSITIVE_INFINITY,
): readonly TreeNode[] =>
  within(nodes, parent, (siblings) => {
    const at = Math.min(Math.max(0, position), siblings.length);
    return [...siblings.slice(0, at), node, ...siblings.slice(at)];
  });

/** Removes a node with its subtree. */
export const removeNode = (nodes: readonly TreeNode[], id: string): readonly TreeNode[] =>
  nodes.filter((node) => node.id !== id).map((node) => ({ ...node, children: removeNode(node.children, id) }));

/** Removes a node and moves its children to its place. */
export const liftChildren = (nodes: readonly TreeNode[], id: string): readonly TreeNode[] =>
  nodes.flatMap((node) => (node.id === id ? node.children : [{ ...node, children: liftChildren(node.children, id) }]));
