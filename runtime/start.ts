/** How the command line starts the runtime: what it hands over, and the project that comes of it. */

import { parse } from "yaml";
import type { Registry } from "./codegen.js";
import { type BuildExtension, loadExtensions } from "./extensions/load.js";
import { isObject } from "./json.js";
import { openProject, readProject } from "./project.js";
import { secretsOf } from "./secrets.js";
import {
  type Overrides,
  type Project,
  type Prompts,
  type RuntimeConfig,
  type Settings,
  settingsOf,
} from "./settings.js";
import type { ShippedModules } from "./shipped.js";
import { UsageError } from "./usage-error.js";

/** What the command line hands over: where, the configuration as read, and how to print. */
export interface Start {
  readonly root: string;
  readonly version: string;
  readonly config: RuntimeConfig;
  readonly overrides: Overrides;
  /** Text of `prompts.yaml`, if there is one. */
  readonly prompts: string | undefined;
  /** Builds the tools of one extension file; that is the generator's part. */
  readonly buildExtension: BuildExtension;
  /** Definition files that changed since the last `generate`. */
  readonly stale: () => readonly string[];
  readonly shipped: ShippedModules;
  /**
   * Reads the configuration again.
   *
   * @throws UsageError with the place and the reason of every fault
   */
  readonly again: () => Promise<Start>;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: (style: "red" | "yellow" | "green" | "dim" | "bold", text: string) => string;
}

/**
 * Opens the project of a start, its extension tools included.
 *
 * @throws UsageError when `generated/` is missing, or a variable that the configuration names is not set
 */
export async function openStart(start: Start): Promise<Project> {
  const data = await readProject(start.root);
  const settings = settingsOrRefuse(start, data.registry);
  const { root, version, config, shipped } = start;
  return loadExtensions(openProject({ ...data, root, version, config, settings, shipped }), start.buildExtension);
}

/**
 * Settings of a start.
 *
 * @throws UsageError naming every variable that is not set
 */
export function settingsOrRefuse(
  { root, config, prompts, overrides }: Pick<Start, "root" | "config" | "prompts" | "overrides">,
  registry: Registry,
): Settings {
  const { settings, missing } = settingsOf(config, registry, promptsOf(prompts), overrides, variablesOf(root));
  if (missing.length === 0) return settings;
  const names = [...new Set(missing)].join(", ");
  throw new UsageError(
    `toolwright.yaml names ${names}, which neither the environment nor .onetool/secrets.yaml sets: set them, or give a default as \${NAME:-default}`,
  );
}

/** Values of `${VAR}`; a secrets file that must not be read ends the command, since nobody has called yet. */
export function variablesOf(root: string): (name: string) => string | undefined {
  const lookup = secretsOf(root);
  return (name) => {
    try {
      return lookup(name);
    } catch (error) {
      throw new UsageError(error instanceof Error ? error.message : String(error));
    }
  };
}

function promptsOf(prompts: string | undefined): Prompts {
  const value: unknown = prompts === undefined ? {} : parse(prompts);
  const { instructions, packs } = isObject(value) ? value : {};
  const texts = Object.entries(isObject(packs) ? packs : {}).flatMap(([pack, text]) =>
    typeof text === "string" && text.trim() !== "" ? [[pack, text.trim()] as const] : [],
  );
  return {
    instructions: typeof instructions === "string" ? instructions.trim() : "",
    packInstructions: new Map(texts),
  };
}
