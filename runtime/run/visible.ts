/** What programs of a caller may use, which help and prompts show too, before any program runs. */

import type { Dispatch } from "../call/call.js";
import type { Project } from "../catalog/project.js";
import { type RegistryView, withoutHiddenNames } from "../catalog/registry.js";
import type { Principal } from "../contract/handler.js";
import type { Snippet } from "../contract/snippet.js";
import { followAliases } from "./names.js";
import type { ResultStore } from "./results.js";
import { createToolLoader, type ToolLoader } from "./tool-loader.js";

/** The ops and snippets of a caller. */
export interface Visible {
  readonly loader: ToolLoader;
  /** The snippets that the caller may see. */
  snippets(principal: Principal): Promise<ReadonlyMap<string, Snippet>>;
}

/** What {@link visibleOf} works with. */
interface VisibleParts {
  readonly project: Project;
  readonly dispatch: Pick<Dispatch, "index">;
  readonly results: Pick<ResultStore, "clean">;
}

/** What programs may use, by caller. */
export const visibleOf = (parts: VisibleParts): Visible => ({
  loader: createToolLoader(parts.project.root, parts.dispatch.index, parts.project.settings),
  snippets: snippetsOf(parts, () => void parts.results.clean()),
});

/** Snippets without those that name an op the caller may not see. The file is read once per build. */
function snippetsOf({ project, dispatch: { index } }: VisibleParts, atFirst: () => void): Visible["snippets"] {
  let all: Promise<ReadonlyMap<string, Snippet>> | undefined;
  const followed = followAliases(project.settings.aliases);
  const aliases = followed.kind === "aliases" ? followed.aliases : project.settings.aliases;
  const named = { tools: index.registry.tools, aliases };
  const textOf = ({ body, description = "" }: Snippet): string => `${description}\n${body}`;
  const seen = new WeakMap<RegistryView, ReadonlyMap<string, Snippet>>();
  return async ({ grant }) => {
    if (!all) atFirst();
    all ??= project.snippets();
    const view = index.view(grant);
    const known = seen.get(view) ?? withoutHiddenNames(await all, textOf, named, view);
    seen.set(view, known);
    return known;
  };
}
