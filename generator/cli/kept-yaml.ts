/**
 * Keeps what YAML files hold, by the digest of their text: a start parses those that changed since the last one.
 * Parsing all of them is a tenth of a start.
 */

import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { writeAtomically } from "../../runtime/contract/atomic-write.js";
import { digestText } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { type ReadYaml, readYaml, type Values, type YamlFile } from "../core/yaml-file.js";

/** Path in the state directory. Its first line is the digest of the rest. */
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
  const path = join(home, YAML_CACHE);
  const known = keptIn(path, by);
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
      if (!isNew || !existsSync(home)) return;
      isNew = false;
      const body = JSON.stringify({ by, files: [...used] });
      try {
        await mkdir(dirname(path), { recursive: true });
        await writeAtomically(path, `${digestText(body)}\n${body}`, { mode: 0o600 });
      } catch {
        // The next start parses again.
      }
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

/** What is kept by digest; nothing if the file is missing, damaged, or of another program. */
function keptIn(path: string, by: string): ReadonlyMap<string, Kept> {
  try {
    const text = readFileSync(path, "utf8");
    const end = text.indexOf("\n");
    const body = text.slice(end + 1);
    if (text.slice(0, end) !== digestText(body)) return new Map();
    const value: unknown = JSON.parse(body);
    return isRecord(value) && value["by"] === by ? new Map(value["files"] as [string, Kept][]) : new Map();
  } catch {
    return new Map();
  }
}
