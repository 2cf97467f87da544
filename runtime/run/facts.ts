/** Facts of a piece of Python that the router and the type check decide by: read off the tree, never by running it. */

/** A construct that an engine may lack, and the line it stands on (of the rewritten code, from 1). */
export interface Feature {
  /** `class`, `decorator`, `import numpy`, `tool as a value`: one word or two, as an error would name it. */
  readonly name: string;
  readonly line: number;
}

/** What a tree says. */
export interface SyntaxFacts {
  /** Whether the parser found no fault; where it did, the engine's own parser decides. */
  readonly parsed: boolean;
  /** Every construct of the router's table that the code holds, in the order of the text. */
  readonly features: readonly Feature[];
  /** Modules that are imported, by their first segment. */
  readonly imports: readonly string[];
  /** Names that the code itself binds anywhere. */
  readonly bound: ReadonlySet<string>;
  /** Whether the value that is captured last is directly a call, and of which dotted path. */
  readonly lastCall?: readonly string[];
  /** The rewritten code with Monty's checks in it, made when it is wanted. */
  readonly checked?: () => string;
}
