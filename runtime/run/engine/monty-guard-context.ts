/** The context in which checks of code for Monty are written. */
import type { Edit } from "../edits.js";
import type { PyNode, PyTree } from "../python-tree.js";

/** Context of the checks of a tree. */
export interface Guards {
  readonly tree: PyTree;
  readonly free: ReadonlySet<PyNode>;
  readonly isTool: (node: PyNode) => boolean;
  readonly wrap: Wrap;
  readonly opening: Edit[];
  /** Outer ones before inner ones. */
  readonly closing: Edit[];
  readonly mayAwait: (node: PyNode) => boolean;
  /** The builtin exceptions that the code raises itself. */
  readonly raised: () => string;
}

export type Wrap = (node: PyNode, check: string) => void;
