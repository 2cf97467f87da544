/** The interface of a generated project, as the runtime reads it. */

import type { Settings } from "../config/settings.js";
import type { Bound } from "../contract/handler.js";
import type { HelpDocument } from "../contract/help.js";
import type { Registry } from "../contract/registry.js";
import type { ToolIndex } from "../contract/search/search-file.js";
import type { Snippet } from "../contract/snippet.js";
import type { Validator } from "../contract/validation.js";

/** A generated project: data is loaded at once, code on first use. */
export interface Project {
  /** The folder that contains `definitions/` and `generated/`. */
  readonly root: string;
  readonly registry: Registry;
  /** The help document of an op. */
  helpOf(op: string): HelpDocument | undefined;
  /** The index of its tools, read once; default: tools are indexed when they are searched. */
  toolIndex?(): ToolIndex;
  readonly settings: Settings;
  /** Version of the package that serves the project. */
  readonly version: string;
  /** Snippets by name. */
  snippets(): Promise<ReadonlyMap<string, Snippet>>;
  /** Validators of one pack, by op; imported on the pack's first call. */
  validators(pack: string): Promise<ReadonlyMap<string, Validator>>;
  /** The handler of an op, whose module is imported on first use; undefined if no `handlers` file is configured. */
  handler(op: string): Promise<Bound<never, unknown> | undefined>;
}
