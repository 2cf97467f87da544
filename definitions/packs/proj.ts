/** The shipped pack `proj`: the paths of the projects in `toolwright.yaml`. In Python, `proj.<name>` is such a path too. */

import { fail } from "toolwright/codegen";
import type { HostContext as Context } from "../../runtime/packs/host.js";

export const pack = { summary: "Paths of the configured projects." };

/** A configured project. */
interface Project {
  name: string;
  /** Absolute. */
  path: string;
}

/** Which project. */
interface ProjectName {
  /**
   * name of a project in toolwright.yaml
   * @pattern \S
   */
  name: string;
}

/**
 * The path of a project. Nothing is read from it.
 *
 * @kind read
 */
export async function path({ name }: ProjectName, { host }: Context): Promise<string> {
  const found = host.projects.get(name);
  if (found !== undefined) return found;
  const names = [...host.projects.keys()].sort().join(", ");
  return fail(
    "NOT_FOUND",
    `no project '${name}'. Projects: ${names || "none; add them under projects in toolwright.yaml"}`,
  );
}

/**
 * Lists the configured projects with their paths.
 *
 * @kind read
 */
export async function list({ host }: Context): Promise<Project[]> {
  return [...host.projects].sort().map(([name, path]) => ({ name, path }));
}
