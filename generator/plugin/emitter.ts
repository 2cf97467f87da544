/** Writes files through an emitter of a plugin. */

import { type Emitter, LOCK_FILE, type VirtualFile } from "../emit/emitter.js";
import { FILES_FORM, wrongPath, wrongWith } from "./forms.js";
import { type Loaded, reasonOf } from "./thread.js";

/** The emitter; `index` is its place in the list of the plugin. */
export function pluginEmitter({ specifier, thread, place, report }: Loaded, name: string, index: number): Emitter {
  return {
    name,
    emit: async (registry, { config: { emitters = {} } }) => {
      const options = Object.hasOwn(emitters, name) ? emitters[name] : {};
      try {
        const input = JSON.stringify([registry, options]);
        const given = await thread.send({ list: "emitters", index, call: "emit", input });
        const wrong = wrongWith(given, FILES_FORM);
        if (wrong !== undefined) {
          report.add("plugin-invalid", place, {
            plugin: specifier,
            what: `the result of the emitter ${name}`,
            fact: wrong,
          });
          return [];
        }
        return (given as readonly VirtualFile[]).filter(({ path }) => {
          const reason = path.toLowerCase() === LOCK_FILE ? "toolwright writes it" : wrongPath(path);
          if (reason !== undefined)
            report.add("plugin-output", place, { plugin: specifier, emitter: name, path, reason });
          return reason === undefined;
        });
      } catch (error) {
        report.add("plugin-failed", place, {
          plugin: specifier,
          doing: `the emitter ${name}`,
          reason: reasonOf(error),
        });
        return [];
      }
    },
  };
}
