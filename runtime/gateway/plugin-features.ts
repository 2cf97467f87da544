/** Features of plugins in a gateway: they are loaded within a time limit, and get neither keys nor secrets. */

import { hookOf } from "../call/call-hook.js";
import type { Logger } from "../contract/handler.js";
import type { DeclaredFeature, PluginContext, PluginFeature, PluginServePart } from "../contract/plugin-feature.js";
import { declaringFeature, featureLabel } from "../contract/settings/feature-settings.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import { inTime } from "../state/deadline.js";
import type { ServePart, ServingFeature } from "./features.js";

/** Time limits in milliseconds: for loading what a feature does in a server, and for closing it. */
interface PluginLimits {
  readonly serveMs: number;
  readonly closeMs: number;
}
/** The limits of every feature. */
export const PLUGIN_LIMITS: PluginLimits = { serveMs: 5000, closeMs: 2000 };

/**
 * A feature of a plugin. Its module is imported once: a change of its code counts after a restart.
 *
 * @param load imports the module that an entry of `plugins` names, and gives its default export
 */
export function pluginFeature(
  declared: DeclaredFeature,
  load: (plugin: string) => Promise<unknown>,
  limits = PLUGIN_LIMITS,
): ServingFeature {
  const feature = declaringFeature(declared);
  const label = featureLabel(feature);
  const loadServe = async (): Promise<ServePart> => {
    const { serve } = ((await load(declared.plugin)) ?? {}) as Partial<PluginFeature>;
    if (typeof serve !== "function") throw new Error('it has no `serve`: run "toolwright generate"');
    const part = await serve();
    if (typeof part !== "function") throw new Error("`serve` gives no function");
    return servePart(label, part as PluginServePart<unknown>, limits);
  };
  let loading: Promise<ServePart> | undefined;
  const serve = (): Promise<ServePart> => {
    loading ??= inTime(loadServe(), limits.serveMs, tooLate("`serve`", limits.serveMs)).catch((error: unknown) => {
      throw unserved(label, error);
    });
    return loading;
  };
  return { ...feature, ...(declared.serves ? { serve } : {}) };
}

const tooLate = (what: string, ms: number) => (): Error => new Error(`${what} did not end within ${ms / 1000} s`);

const unserved = (label: string, error: unknown): UsageError =>
  isUsageError(error)
    ? error
    : new UsageError(`${label} cannot be served: ${messageOf(error)}; correct it, or take it out of \`plugins\``);

const servePart =
  (label: string, part: PluginServePart<unknown>, { closeMs }: PluginLimits): ServePart =>
  ({ own, log, clock }) => {
    try {
      const context: PluginContext = { config: own, log, clock };
      const serving = part(context);
      const { around, close } = serving ?? {};
      return {
        ...(around ? { hook: hookOf(label, around.bind(serving)) } : {}),
        ...(close ? { close: () => closing(label, close.bind(serving), closeMs, log) } : {}),
      };
    } catch (error) {
      throw unserved(label, error);
    }
  };

/** Closes a feature; a fault is logged. */
const closing = (label: string, close: () => Promise<void> | void, ms: number, log: Logger): Promise<void> =>
  inTime((async () => close())(), ms, tooLate("`close`", ms)).catch((error: unknown) =>
    log.error(`${label} was not closed`, { error: messageOf(error) }),
  );
