/** How the command line starts the runtime: what it hands over, and the project that comes of it. */

import { parse, parseDocument } from "yaml";
import type { Registry } from "./codegen.js";
import { withDefaults } from "./contract/config-defaults.js";
import { messageOf } from "./contract/message-of.js";
import { type BuildExtension, loadExtensions } from "./extensions/load.js";
import { isObject } from "./json.js";
import { openProject, type ProjectData, readProject } from "./project.js";
import { secretsOf } from "./secrets.js";
import {
  expandVariables,
  type Overrides,
  type Project,
  type Prompts,
  placeOf,
  type RuntimeConfig,
  type Settings,
  settingsOf,
  stateUrl,
  withOverrides,
} from "./settings.js";
import type { ShippedModules } from "./shipped.js";
import type { LockParts } from "./upstream/lock.js";
import type { Pool, Upstreams } from "./upstream/upstreams.js";
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
  /** What is wrong with the aliases, snippets and prompts that go with a registry, a line each; none where all is well. */
  readonly faults: (registry: Registry) => Promise<readonly string[]>;
  /** Tools as a build makes them of one snapshot, and what changed between two lists of tools: for the lock on live servers. */
  readonly lock: Pick<LockParts, "toolsFromSnapshot" | "compareTools">;
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

/** Connections to upstream servers, where a project before this one may have some. */
export type PoolOf = () => Promise<Pool>;

/**
 * Opens the project of a start, its extension tools included, and looks at what its aliases, snippets and prompts say.
 *
 * @throws UsageError as {@link openUnchecked}, and for faults of these
 */
export async function openStart(start: Start, poolOf?: PoolOf): Promise<Project> {
  const data = await readProject(start.root);
  const settings = settingsOrRefuse(start, data.registry);
  const found = await start.faults(data.registry);
  if (found.length === 0) return open(start, data, settings, poolOf);
  const isStale = start.stale().length > 0;
  const hint = isStale ? '\ngenerated/ is older than definitions/: if an op is new, run "toolwright generate"' : "";
  throw new UsageError(`what definitions/ declares does not fit together:\n${found.join("\n")}${hint}`);
}

/**
 * Opens the project of a start, its extension tools included.
 *
 * @throws UsageError when `generated/` is missing, or a variable that the configuration names is not set
 */
export async function openUnchecked(start: Start): Promise<Project> {
  const data = await readProject(start.root);
  return open(start, data, settingsOrRefuse(start, data.registry));
}

async function open(start: Start, data: ProjectData, settings: Settings, poolOf?: PoolOf): Promise<Project> {
  const { root, version, config, shipped } = start;
  const upstreams = await openUpstreams(start, data.registry, poolOf);
  const project = openProject({ ...data, root, version, config, settings, shipped, upstreams });
  return loadExtensions(project, start.buildExtension);
}

/** The servers of a start, none of them started; undefined where none is configured. */
async function openUpstreams(
  { root, version, config, lock }: Start,
  registry: Registry,
  poolOf: PoolOf | undefined,
): Promise<Upstreams | undefined> {
  const { servers = {} } = config;
  if (Object.keys(servers).length === 0) return undefined;
  const [{ createPool, createUpstreams }, { createLock }] = await Promise.all([
    import("./upstream/upstreams.js"),
    import("./upstream/lock.js"),
  ]);
  const pool = poolOf ? await poolOf() : createPool({ root, version });
  return createUpstreams({ servers, secret: secretsOf(root), lock: createLock({ root, registry, ...lock }), pool });
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
  const names = [...new Set(missing.map(({ name }) => name))].join(", ");
  const places = missing.flatMap(({ path }) => (config.place ? [placeOf(config.place, ...path)] : []));
  throw new UsageError(
    `toolwright.yaml: missing variables: ${names}; set them in the environment or in .onetool/secrets.yaml, or give a default as \${NAME:-default}${places.length === 0 ? "" : ` (named at ${[...new Set(places)].join(", ")})`}`,
  );
}

/**
 * Where the state is, of a project that need not be built.
 *
 * @throws UsageError for a variable that is not set, and for what is no address of a database
 */
export function stateUrlOf({ root, config, overrides }: Pick<Start, "root" | "config" | "overrides">): string {
  const missing: string[] = [];
  const url = expandVariables(withDefaults(withOverrides(config, overrides)).state, variablesOf(root), missing);
  if (missing.length === 0) return stateUrl(url);
  throw new UsageError(
    `toolwright.yaml: state names ${missing.join(", ")}, which is not set; set it in the environment or in .onetool/secrets.yaml`,
  );
}

/** Values of `${VAR}`; a secrets file that must not be read ends the command, since nobody has called yet. */
export function variablesOf(root: string): (name: string) => string | undefined {
  const lookup = secretsOf(root);
  return (name) => {
    try {
      return lookup(name);
    } catch (error) {
      throw new UsageError(messageOf(error));
    }
  };
}

/** What of the file can be used; {@link Start.faults} says what is wrong with the rest. */
function promptsOf(prompts = ""): Prompts {
  const value: unknown = parseDocument(prompts, { logLevel: "error" }).errors.length === 0 ? parse(prompts) : {};
  const { instructions, packs, tools } = isObject(value) ? value : {};
  const texts = Object.entries(isObject(packs) ? packs : {}).flatMap(([pack, text]) =>
    typeof text === "string" && text.trim() !== "" ? [[pack, text.trim()] as const] : [],
  );
  return {
    instructions: typeof instructions === "string" ? instructions.trim() : "",
    packInstructions: new Map(texts),
    toolExamples: new Map(Object.entries(isObject(tools) ? tools : {}).map(([op, one]) => [op, examplesIn(one)])),
  };
}

const examplesIn = (entry: unknown): readonly string[] => {
  const examples = isObject(entry) ? entry["examples"] : undefined;
  return Array.isArray(examples) ? examples.filter((one) => typeof one === "string") : [];
};
