/**
 * Keeps what YAML files hold, by the digest of their text: a start parses those that changed since the last one.
 * Parsing all of them is a tenth of a start.
 */

import { isDeepStrictEqual } from "node:util";
import { digestText } from "../../runtime/contract/canonical.js";
import type { Values } from "../../runtime/contract/json.js";
import { type ReadYaml, readYaml, type YamlFile } from "../core/yaml-file.js";
import { cacheFile } from "./cache-file.js";

/** Path in the state directory. */
export const YAML_CACHE = "cache/yaml.json";

/** A file as it is kept; its path is not, since only the text decides. */
interface Kept {
  readonly values: Values;
  readonly places: readonly (readonly [key: string, line: number, column: number])[];
}

/** The files that one reading of a configuration needs. */
export interface KeptYaml {
  /** As `readYaml`; a text that is kept is not parsed. */
  readonly read: ReadYaml;
  /** Writes what was read, if anything was parsed and there is a state directory. Never rejects: without it, a start takes longer. */
  keep(): Promise<void>;
}

/**
 * Opens what is kept of a project.
 *
 * @param home its state directory, which need not exist
 * @param by version and place of the program: another one may read a text otherwise
 */
export function openKeptYaml(home: string, by: string): KeptYaml {
  const cache = cacheFile(home, YAML_CACHE, by);
  const known = cache.read<Kept>();
  const used = new Map<string, Kept>();
  let isNew = false;
  return {
    read: (file, text, report) => {
      const digest = digestText(text);
      const kept = used.get(digest) ?? known.get(digest);
      if (kept) {
        used.set(digest, kept);
        return fileOf(file, kept);
      }
      const made = readYaml(file, text, report);
      const parsed = made && keptOf(made);
      if (parsed) used.set(digest, parsed);
      isNew ||= parsed !== undefined;
      return made;
    },
    keep: async () => {
      if (!isNew) return;
      isNew = false;
      await cache.write(used);
    },
  };
}

const fileOf = (file: string, { values, places }: Kept): YamlFile => ({
  values,
  places: new Map(places.map(([key, line, column]) => [key, { file, line, column }])),
});

/** A file without its path; undefined if JSON cannot hold its values, such as `.nan`. */
function keptOf({ values, places }: YamlFile): Kept | undefined {
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(values)), values)) return undefined;
  return { values, places: [...places].map(([key, { line, column }]) => [key, line, column]) };
}
