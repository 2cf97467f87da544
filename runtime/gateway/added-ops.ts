/** Ops that features add to a project as it is opened, beside those that were generated. */

import type { Dispatch } from "../call/call.js";
import type { Project } from "../catalog/project.js";
import { byCodeUnit, digest } from "../contract/canonical.js";
import type { Bound } from "../contract/handler.js";
import type { HelpDocument } from "../contract/help.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import type { Pack, Tool } from "../contract/registry.js";
import type { DeclaringFeature } from "../contract/settings/feature-settings.js";
import type { WrittenConfig } from "../contract/settings/project-settings.js";
import type { Validator } from "../contract/validation.js";
import type { OpenLanguages } from "../run/languages/table.js";
import type { ToolLoader } from "../run/tool-loader.js";

/** An op that a feature adds. */
export interface AddedOp {
  readonly tool: Tool;
  readonly help: HelpDocument | undefined;
  readonly validator: Validator;
}

/** What handlers of added ops use of a gateway. They call other ops as their caller, through dispatch. */
export interface OpCalls {
  readonly dispatch: Pick<Dispatch, "dispatch" | "index">;
  readonly languages: OpenLanguages;
  readonly loader: ToolLoader;
}

/** Finds the handler of an op. */
type HandlerOf = (op: string) => Promise<Bound<never, unknown> | undefined>;

/** The ops that one feature adds. */
export interface AddedOps {
  /** By op. */
  readonly tools: ReadonlyMap<string, AddedOp>;
  /** Packs of these ops that the project does not have. */
  readonly packs: readonly Pack[];
  /** What a start warns of, a line each. */
  readonly warnings: readonly string[];
  /** Makes the handlers in one gateway. `calls` is a function, because its parts need the handlers themselves. */
  handlers(calls: () => OpCalls): HandlerOf;
}

/** Finds the ops that a feature adds to a project; undefined if there is nothing to say of them. */
export type OpsPart = (project: Project, config: WrittenConfig) => Promise<AddedOps | undefined>;

/** A feature that adds ops. */
export interface OpsFeature extends DeclaringFeature {
  /** Loads what finds them. */
  readonly ops?: () => Promise<OpsPart>;
}

/** A project with the ops that features have added. */
export interface ExtendedProject extends Project {
  /** By the name of the feature; these ops are in the registry. */
  readonly added?: ReadonlyMap<string, AddedOps>;
}

/** The ops of a project that were generated. */
export const generatedTools = ({ registry, added }: Pick<ExtendedProject, "registry" | "added">): readonly Tool[] =>
  added ? registry.tools.filter(({ op }) => ![...added.values()].some(({ tools }) => tools.has(op))) : registry.tools;

/** What a start warns of. */
export const addedWarnings = ({ added = new Map() }: Pick<ExtendedProject, "added">): readonly string[] =>
  [...added.values()].flatMap(({ warnings }) => warnings);

/** Adds the ops of all features to a project, in their order. */
export async function withFeatureOps<P extends ExtendedProject>(
  given: P,
  { features = [], config }: { readonly features?: readonly OpsFeature[]; readonly config: WrittenConfig },
): Promise<P> {
  let project = given;
  for (const { name, ops } of features) {
    const found = await (await ops?.())?.(project, config);
    if (found) project = withOps({ ...project, added: new Map(project.added).set(name, found) }, found);
  }
  return project;
}

/** Adds ops to a project; its registry version shows that they are included. */
function withOps<P extends ExtendedProject>(project: P, { tools: added, packs: own }: AddedOps): P {
  if (added.size === 0) return project;
  const { registry } = project;
  const ops = [...added.values()];
  const registry_version = `${registry.registry_version}+${overlayDigest(ops, own)}`;
  const tools = [...registry.tools, ...ops.map(({ tool }) => tool)].sort((a, b) => byCodeUnit(a.op, b.op));
  const packs = [...registry.packs, ...own].sort((a, b) => byCodeUnit(a.name, b.name));
  return {
    ...project,
    registry: { ...registry, registry_version, tools, packs },
    helpOf: (op) => added.get(op)?.help ?? project.helpOf(op),
    validators: memoizeAsync(async (pack) => {
      const known = registry.packs.some(({ name }) => name === pack) ? await project.validators(pack) : new Map();
      const more = ops.filter(({ tool }) => tool.group === pack);
      return new Map([...known, ...more.map(({ tool, validator }) => [tool.op, validator] as const)]);
    }),
  };
}

/** Digest of everything that help and exec show of added ops. */
const overlayDigest = (ops: readonly AddedOp[], packs: readonly Pack[]): string =>
  digest({ tools: ops.map(({ tool }) => [tool.op, tool.digest.op, tool.digest.docs]).sort(), packs }).slice(0, 12);

/** A project with the handlers of added ops, in one gateway. */
export function withAddedHandlers<P extends ExtendedProject>(project: P, calls: () => OpCalls): P {
  const { added } = project;
  if (!added) return project;
  const parts = [...added.values()].map(({ tools, handlers }) => ({ tools, handlerOf: handlers(calls) }));
  return {
    ...project,
    handler: async (op) => {
      const own = parts.find(({ tools }) => tools.has(op));
      return own ? own.handlerOf(op) : project.handler(op);
    },
  };
}
