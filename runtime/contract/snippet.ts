/** A snippet: named code with parameters that a project configures. */

/** A parameter: required unless it has a default or `required` is false. */
export interface SnippetParameter {
  readonly required?: boolean;
  /** Always text, as all values of snippets. */
  readonly default?: string;
  readonly type?: string;
  readonly description?: string;
  /** A value to show: `example`, else the first of `enum`. */
  readonly example?: string;
  /** The allowed values, if they are declared. */
  readonly choices?: readonly string[];
}

/** A snippet as it is configured. */
export interface Snippet {
  readonly description?: string;
  readonly parameters: ReadonlyMap<string, SnippetParameter>;
  readonly body: string;
}
