/** Prints an example call of a snippet, for `ot.help` and the documentation site. */

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
