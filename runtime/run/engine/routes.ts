/** What Monty runs faithfully, as data: the tree decides before the start; in doubt CPython. */

import type { Feature, SyntaxFacts } from "../facts.js";

/** Modules that Monty has and runs as Python does. */
const MODULES: ReadonlySet<string> = new Set(["__future__", "asyncio", "json", "math", "typing"]);

/** How a feature that is an import is named. */
const IMPORT = /^import ([\w]+)/;

/** The first thing in the code that Monty lacks, or takes otherwise than Python: every construct that the facts name, but imports that it has. */
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
