/** The commands of features of plugins. They run with the rights of the process, which `trust: local` permits. */

import type { DeclaredFeature, PluginFeature } from "../runtime/contract/plugin-feature.js";
import {
  declaringFeature,
  featureLabel,
  filledWith,
  ownConfig,
} from "../runtime/contract/settings/feature-settings.js";
import { say } from "../runtime/contract/terminal.js";
import { UsageError } from "../runtime/contract/usage-error.js";
import { isFeatureOf } from "../runtime/gateway/features.js";
import type { CommandPart, FeatureCommand } from "./feature.js";

/** What runs a command: its context, and its operands. */
type Run = (context: object, ...operands: readonly unknown[]) => Promise<number>;

/**
 * The commands that a feature of a plugin declares.
 *
 * @param load imports the module that an entry of `plugins` names, and gives its default export
 */
export function pluginCommands(declared: DeclaredFeature, load: (plugin: string) => Promise<unknown>): CommandPart {
  const feature = declaringFeature(declared);
  const commands = Object.entries(declared.commands ?? {}).map(([word, { operands, about }]) => {
    const name = `${declared.name} ${word}`;
    const command: FeatureCommand = {
      ...{ after: "", usage: operands === undefined ? word : `${word} ${operands}`, about, examples: [name] },
      async run({ start }, ...given) {
        const { config, root, features = [] } = await start();
        if (!isFeatureOf(feature, config))
          throw new UsageError(
            `\`plugins\` does not name ${featureLabel(feature)} any more: run "toolwright generate"`,
          );
        if (config.trust !== "local")
          throw new UsageError(
            `${name} is a command of ${featureLabel(feature)}, and runs only with trust: local: set it if you trust its code`,
          );
        const { commands: loaded = {} } = ((await load(declared.plugin)) ?? {}) as Partial<PluginFeature>;
        const run = loaded[word]?.run as Run | undefined;
        if (!run) throw new UsageError(`${featureLabel(feature)} has no command ${word}: run "toolwright generate"`);
        const own = ownConfig(feature, filledWith(features, config));
        // The flags and the command stand behind the operands.
        return run({ root, config: own, out: say }, ...given.slice(0, -2));
      },
    };
    return [name, command] as const;
  });
  return { commands: Object.fromEntries(commands) };
}
