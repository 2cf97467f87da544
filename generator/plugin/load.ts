/** Loads the plugins of a project, and turns what they add into sources and emitters like the built-in ones. */

import type { Values } from "../../runtime/contract/json.js";
import type { DeclaredFeature, PluginCommand, PluginSetting } from "../../runtime/contract/plugin-feature.js";
import type { Shape } from "../../runtime/contract/settings/setting.js";
import type { Config } from "../config/config.js";
import { isBuiltIn, kindsOf, SOURCE_KINDS } from "../config/rules.js";
import { SOURCE_KEYS } from "../config/schema.js";
import type { Place, Report } from "../core/diagnostic.js";
import { checkShape, reportUnknown } from "../core/shape.js";
import type { Emitter } from "../emit/emitter.js";
import { EMITTERS } from "../emit/emitters.js";
import type { Source } from "../source/source.js";
import { pluginEmitter } from "./emitter.js";
import { PLUGIN_FORM, wrongSchema, wrongWith } from "./forms.js";
import { pluginSource } from "./source.js";
import { type Loaded, type PluginThread, reasonOf, startThread } from "./thread.js";

/** The module of a plugin, ready to be imported, or why it is not. */
export type PluginModule =
  | { readonly url: string }
  | { readonly missing: string }
  | { readonly fault: string; readonly place?: Place };

/** What loading plugins needs from outside. */
export interface PluginHost {
  /** Finds the module that an entry of `plugins` names; absent to use no plugins. */
  readonly plugin?: (specifier: string) => Promise<PluginModule>;
  /** Time limit for loading a plugin and for each of its calls, in milliseconds. */
  readonly pluginMs?: number;
  /** The plugins, if they run already; they are closed after the build. */
  readonly opened?: OpenedPlugins | undefined;
}

/** Plugins that run, each in its thread. */
export interface OpenedPlugins {
  readonly plugins: readonly Opened[];
  /** Whether none failed. */
  readonly isComplete: boolean;
  /** What those declare that are features. */
  readonly features: readonly DeclaredFeature[];
  readonly close: () => Promise<void>;
}

/** Kinds of sources and emitters of all plugins. */
export interface Plugins {
  readonly sources: ReadonlyMap<string, Source>;
  readonly emitters: readonly Emitter[];
  readonly features: readonly DeclaredFeature[];
  readonly close: () => Promise<void>;
}

interface Described {
  readonly name: string;
  readonly sources?: readonly { readonly kind: string; readonly options?: Shape }[];
  readonly emitters?: readonly { readonly name: string; readonly options?: Shape }[];
  readonly settings?: readonly PluginSetting[];
  readonly serve?: string;
  readonly commands?: Readonly<Record<string, Omit<PluginCommand, "run">>>;
}

type Opened = Loaded & { readonly described: Described };

/** Loads all plugins, and checks the options that the configuration gives them. */
export async function loadPlugins(config: Config, host: PluginHost, report: Report): Promise<Plugins> {
  const opened = host.opened ?? (await openPlugins(config.plugins ?? [], config.place, host, report));
  const { plugins, isComplete, features, close } = opened;
  return { ...collect(plugins, config, isComplete), features, close };
}

/**
 * Starts plugins, and asks each for its description.
 *
 * @param placeOf place of a value of `toolwright.yaml`
 */
export async function openPlugins(
  specifiers: readonly string[],
  placeOf: Config["place"],
  { plugin: find, pluginMs }: PluginHost,
  report: Report,
): Promise<OpenedPlugins> {
  if (!find) return { plugins: [], isComplete: true, features: [], close: async () => {} };
  const threads: PluginThread[] = [];
  const open = async (specifier: string, i: number): Promise<readonly Opened[]> => {
    const place = placeOf("plugins", i);
    const found = await find(specifier);
    if (!("url" in found)) {
      if ("missing" in found) report.add("plugin-missing", place, { plugin: specifier, reason: found.missing });
      else
        report.add("plugin-failed", found.place ?? place, {
          plugin: specifier,
          doing: "its code",
          reason: reasonOf(found.fault),
        });
      return [];
    }
    const thread = startThread(pluginMs);
    threads.push(thread);
    const described = await describe(found.url, { specifier, thread, place, report });
    return described ? [{ specifier, thread, place, report, described }] : [];
  };
  const plugins: Opened[] = [];
  for (const [i, specifier] of specifiers.entries()) plugins.push(...(await open(specifier, i)));
  return {
    plugins,
    isComplete: plugins.length === specifiers.length,
    features: plugins.filter(({ described }) => isFeature(described)).map(declaredIn),
    close: async () => void (await Promise.all(threads.map((one) => one.close()))),
  };
}

const isFeature = ({ settings, serve, commands }: Described): boolean =>
  [settings, serve, commands].some((one) => one !== undefined);

const declaredIn = ({ specifier: plugin, described }: Opened): DeclaredFeature => {
  const { name, settings, serve, commands } = described;
  const known = Object.entries(commands ?? {}).map(([word, { operands, about }]) => [word, { operands, about }]);
  return {
    ...{ name, plugin, serves: serve !== undefined },
    ...(settings ? { settings } : {}),
    ...(commands ? { commands: Object.fromEntries(known) } : {}),
  };
};

/** Imports a plugin, and checks its form. */
async function describe(url: string, { specifier, thread, place, report }: Loaded): Promise<Described | undefined> {
  try {
    const plugin = await thread.send({ url });
    const wrong = wrongWith(plugin, PLUGIN_FORM) ?? wrongNames(plugin as Described);
    if (wrong === undefined) return plugin as Described;
    report.add("plugin-invalid", place, { plugin: specifier, what: "the default export", fact: wrong });
  } catch (error) {
    report.add("plugin-failed", place, { plugin: specifier, doing: "being loaded", reason: reasonOf(error) });
  }
  return undefined;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;
/** Names with dots between them; `*` is every name. */
const KEY = /^(?:[a-z][a-z0-9_-]*|\*)(?:\.(?:[a-z][a-z0-9_-]*|\*)){0,19}$/;

const OPERANDS = /^(?:(?:<[a-z-]+>|\[[a-z-]+\])(?: |$))*(?:[<[][a-z-]+\.\.\.[>\]])?$/;

function wrongNames(described: Described): string | undefined {
  const { name: own, sources = [], emitters = [], settings = [], commands = {} } = described;
  const kinds = [...sources.map(({ kind }) => kind), ...emitters.map(({ name }) => name)];
  const names = isFeature(described) ? [own, ...kinds, ...Object.keys(commands)] : kinds;
  const wrong = names.find((one) => !NAME.test(one));
  if (wrong !== undefined)
    return `${JSON.stringify(wrong.slice(0, 60))} must be a lower-case letter, then up to 63 lower-case letters, digits and hyphens`;
  const schemas = [...sources, ...emitters].flatMap(({ options }) => (options === undefined ? [] : [options]));
  const operands = Object.values(commands).find((one) => !OPERANDS.test(one.operands ?? ""))?.operands;
  if (operands !== undefined)
    return `the operands ${JSON.stringify(operands.slice(0, 60))} must be <name>, [name] or [names...], with blanks between them`;
  return [...schemas.map((one) => wrongSchema(one)), ...settings.map(wrongSetting)].find((one) => one !== undefined);
}

function wrongSetting({ key, schema, preset }: PluginSetting): string | undefined {
  if (!KEY.test(key))
    return `the key ${JSON.stringify(key.slice(0, 60))} must be names of lower-case letters, digits, hyphens and underscores, with dots between them`;
  const wrong = wrongSchema(schema, `the schema of ${key}`, 1);
  if (wrong !== undefined || preset === undefined) return wrong;
  const unfit = wrongWith(preset, schema);
  return unfit === undefined ? undefined : `in the preset of ${key}, ${unfit}`;
}

/** One kind of source or emitter that a plugin adds. */
interface Addition {
  readonly list: keyof Shapes;
  readonly name: string;
  readonly options: Shape;
  readonly add: () => void;
}

/** Schemas of options by kind of source, and by emitter. */
interface Shapes {
  readonly sources: Map<string, Shape>;
  readonly emitters: Map<string, Shape>;
}

const WHAT = { sources: "the kind of source", emitters: "the emitter" } as const;

/** What the plugins add, without names that are taken, and the check of their options. */
function collect(opened: readonly Opened[], config: Config, complete: boolean): Pick<Plugins, "sources" | "emitters"> {
  const taken = takenNames();
  const sources = new Map<string, Source>();
  const emitters: Emitter[] = [];
  const shapes: Shapes = { sources: new Map(), emitters: new Map() };
  for (const one of opened)
    for (const { list, name, options, add } of additionsOf(one, sources, emitters)) {
      const first = taken[list].get(name);
      if (first !== undefined)
        one.report.add("plugin-collision", one.place, { plugin: one.specifier, what: `${WHAT[list]} ${name}`, first });
      else {
        taken[list].set(name, one.specifier);
        shapes[list].set(name, options);
        add();
      }
    }
  const [first] = opened;
  if (complete && first) checkOptions(config, shapes, first.report);
  // A source is not called with wrong options.
  const isIdle = first?.report.failed === true;
  return { sources: isIdle ? new Map([...sources.keys()].map((kind) => [kind, IDLE])) : sources, emitters };
}

/** Names of the package's own sources and emitters, and keys of an entry of `sources` that cannot be kinds. */
const takenNames = () => ({
  sources: new Map(SOURCE_KEYS.map((one) => [one, "toolwright"])),
  emitters: new Map(EMITTERS.map(({ name }) => [name, "toolwright"])),
});

function additionsOf(one: Opened, sources: Map<string, Source>, emitters: Emitter[]): readonly Addition[] {
  const { described } = one;
  return [
    ...(described.sources ?? []).map(({ kind, options = NO_OPTIONS }, index): Addition => {
      return { list: "sources", name: kind, options, add: () => sources.set(kind, pluginSource(one, kind, index)) };
    }),
    ...(described.emitters ?? []).map(({ name, options = NO_OPTIONS }, index): Addition => {
      return { list: "emitters", name, options, add: () => emitters.push(pluginEmitter(one, name, index)) };
    }),
  ];
}

const IDLE: Source = { readAll: async () => [] };
const NO_OPTIONS: Shape = { type: "object", properties: {}, additionalProperties: false };

/** Checks kinds and options of the configuration against what the plugins add. */
function checkOptions(config: Config, { sources, emitters }: Shapes, report: Report): void {
  const checking = { place: config.place, report };
  for (const [i, entry] of config.sources.entries()) {
    const [{ kind } = { kind: "" }] = kindsOf(entry);
    if (isBuiltIn(kind)) continue;
    const shape = sources.get(kind);
    if (shape) checkShape(entry.options ?? {}, shape, ["sources", i, "options"], checking);
    else reportUnknown(kind, [...SOURCE_KINDS, ...sources.keys()], ["sources", i], checking);
  }
  const options: Values = config.emitters ?? {};
  for (const name of Object.keys(options).filter((one) => !emitters.has(one)))
    reportUnknown(name, [...emitters.keys()], ["emitters"], checking);
  for (const [name, shape] of emitters)
    checkShape(Object.hasOwn(options, name) ? options[name] : {}, shape, ["emitters", name], checking);
}
