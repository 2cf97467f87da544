/** Snippets: named code with parameters that a project configures, and how an example call of one is printed. */

/** The file that declares them: `{ <name>: { description, language, params, body } }`. */
export const SNIPPETS_FILE = "definitions/snippets.yaml";

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
  /** As `run.languages` has it; absent: the first language. */
  readonly language?: string;
  readonly parameters: ReadonlyMap<string, SnippetParameter>;
  readonly body: string;
}

/** What a list says of a snippet. */
export const snippetSummary = ({ description, language }: Pick<Snippet, "description" | "language">): string =>
  `${description?.replace(/\s+/g, " ").trim() || "(no description)"}${language === undefined ? "" : ` (${language})`}`;

/** The parts of a parameter that an example call uses. */
export interface CalledParameter {
  readonly required?: boolean;
  readonly default?: unknown;
  /** A value to show. */
  readonly example?: string | undefined;
}

/** A call with every parameter that has no default: `$show id=<id>`. */
export function exampleSnippetCall(name: string, parameters: Iterable<readonly [string, CalledParameter]>): string {
  const needed = [...parameters].filter(([, one]) => one.default === undefined && one.required !== false);
  const pairs = needed.map(([key, { example }]) => ` ${key}=${quoted(example ?? `<${key}>`)}`);
  return `$${name}${pairs.join("")}`;
}

const quoted = (value: string): string =>
  /^[^\s="'\\]+$/.test(value) ? value : value.includes('"') ? `'${value}'` : `"${value}"`;
