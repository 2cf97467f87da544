/** Locates the worker that renders snippets of TypeScript. */

import { programPath } from "../../runtime/run/engine/program.js";

/** Its path. */
export const snippetProgram = (): Promise<string> =>
  programPath("typescript-snippet-worker", "../../../features/typescript");
