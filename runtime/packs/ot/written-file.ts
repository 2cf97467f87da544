/** Helpers of the ops that write a file within the working directory. */

import { isAbsolute, relative, sep } from "node:path";
import { codeOf } from "../../contract/thrown.js";
import type { HostContext } from "../host.js";
import { errorText } from "./info.js";

/** A reason that callers may see. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** Whether a path is below a folder, compared as text. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The text for a file that cannot be written; counts the call as failed. */
export const cannotWrite = (ctx: Pick<HostContext, "failedAs">, file: string, error: unknown): string =>
  errorText(ctx, "UNAVAILABLE", `Cannot write to '${file}': ${reasonOf(error)}`);

/** The reason, or the system's code, such as `EACCES`: its message would reveal where the project is. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  const code = codeOf(error);
  return typeof code === "string" ? code : "an error";
}
