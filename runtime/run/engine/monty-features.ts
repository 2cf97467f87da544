/**
 * Data on the code that Monty runs like Python, by which the router decides before the start; in doubt it chooses
 * CPython.
 */

import type { Feature, SyntaxFacts } from "../syntax-facts.js";

/** Modules that Monty has and that behave as in Python. */
const MODULES: ReadonlySet<string> = new Set(["__future__", "asyncio", "json", "math", "typing"]);

/** Form of the name of a feature that is an import. */
const IMPORT = /^import ([\w]+)/;

/**
 * The first construct in the code that Monty lacks or interprets differently: any construct in the facts except
 * supported imports.
 */
export function firstLack(facts: SyntaxFacts): { readonly feature: string; readonly line: number } | undefined {
  const lack = facts.features.find(isLack);
  if (lack) return { feature: lack.name, line: lack.line };
  const module = facts.imports.find((name) => !MODULES.has(name));
  return module === undefined ? undefined : { feature: `import ${module}`, line: 1 };
}

const isLack = ({ name }: Feature): boolean => {
  const module = IMPORT.exec(name)?.[1];
  return module === undefined || !MODULES.has(module);
};
