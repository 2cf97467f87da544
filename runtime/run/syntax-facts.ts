/**
 * Facts about a piece of Python on which the router and the type check depend: read from the tree, never by running
 * it.
 */

/** A construct that an engine may lack, and its line (in the rewritten code, from 1). */
export interface Feature {
  /** `class`, `decorator`, `import numpy`, `tool as a value`: a short name for error messages. */
  readonly name: string;
  readonly line: number;
}

/** Facts read from a tree. */
export interface SyntaxFacts {
  /** Whether the parser found no fault; if it found one, the engine's own parser decides. */
  readonly parsed: boolean;
  /** All constructs of the router's table in the code, in the order of the text. */
  readonly features: readonly Feature[];
  /** Imported modules, by their first segment. */
  readonly imports: readonly string[];
  /** Names that the code itself binds anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Dotted path of the call, if the value captured last is directly a call. */
  readonly lastCall?: readonly string[];
  /** The rewritten code with Monty's checks, made on demand. */
  readonly checked?: () => string;
}
