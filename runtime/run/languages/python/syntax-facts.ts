/** Facts about a piece of Python: read from the tree, never by running it. */

/** Facts read from a tree. */
export interface SyntaxFacts {
  /** Names that the code itself binds anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Dotted path of the call, if the value captured last is directly a call. */
  readonly lastCall?: readonly string[];
}
