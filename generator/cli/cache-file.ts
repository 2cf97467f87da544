/** Files of the state directory that a later run can do without: JSON, with the digest of the rest in the first line. */

import { existsSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeAtomically } from "../../runtime/contract/atomic-write.js";
import { digestText } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";

/** A cache file. */
export interface CacheFile {
  /** The entries that are kept, by digest; none if the file is missing, damaged, or of another program. */
  read<T>(): ReadonlyMap<string, T>;
  /** Replaces the entries if there is a state directory. Never rejects: without a cache, the next run takes longer. */
  write(entries: Iterable<readonly [string, unknown]>): Promise<void>;
}

/**
 * A cache file of a project.
 *
 * @param home its state directory, which need not exist
 * @param path of the file in the state directory
 * @param by version and place of the program: another one may make something else of the same text
 */
export function cacheFile(home: string, path: string, by: string): CacheFile {
  const file = join(home, path);
  return {
    read<T>() {
      try {
        const text = readFileSync(file, "utf8");
        const end = text.indexOf("\n");
        const body = text.slice(end + 1);
        if (text.slice(0, end) !== digestText(body)) return new Map();
        const value: unknown = JSON.parse(body);
        return isRecord(value) && value["by"] === by ? new Map(value["entries"] as [string, T][]) : new Map();
      } catch {
        return new Map();
      }
    },
    async write(entries) {
      if (!existsSync(home)) return;
      const body = JSON.stringify({ by, entries: [...entries] });
      try {
        await mkdir(dirname(file), { recursive: true });
        await writeAtomically(file, `${digestText(body)}\n${body}`, { mode: 0o600 });
      } catch {
        // The next run makes it again.
      }
    },
  };
}
