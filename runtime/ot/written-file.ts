/** What the ops that write a file within the working directory have in common. */

import { isAbsolute, relative, sep } from "node:path";
import type { HostContext } from "../shipped.js";
import { errorText } from "./info.js";

/** A reason that may be told. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
}

/** Whether a path lies below a folder; by the text of both. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The system's code of an error, `EACCES`. */
export const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** What a caller is told of a file that cannot be written; the call counts as failed. */
export const cannotWrite = (ctx: Pick<HostContext, "failedAs">, file: string, error: unknown): string =>
  errorText(ctx, "UNAVAILABLE", `Cannot write to '${file}': ${reasonOf(error)}`);

/** In words, or the system's code: its message would tell where the project lies. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedError) return error.message;
  const code = codeOf(error);
  return typeof code === "string" ? code : "an error";
}
