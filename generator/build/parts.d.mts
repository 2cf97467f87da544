/** Types of `parts.mjs`. */

import type { BuildResult } from "esbuild";

/** Writes a program as several CommonJS files; resolves to their names and texts. */
export function inParts(
  built: BuildResult,
  files: Readonly<Record<string, readonly string[]>>,
  head: string,
): Promise<readonly (readonly [name: string, text: string])[]>;
