/** Records in `.onetool/` that a PostgreSQL database held data, so that an emptied database is reported. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { STATE_DIRECTORY, stateDirectory } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { UsageError } from "../contract/usage-error.js";

const TEXT =
  "The PostgreSQL database of this project holds data. Because this file is here, toolwright reports it when its tables are gone.\n";

/** The record of one database. */
export interface PostgresMark {
  /** @throws UsageError if the database held data */
  requireNew(): void;
  /** Records that the database holds data, if `.onetool/` is writable. */
  set(): Promise<void>;
}

/** The record of a database; every database, and every schema, has its own. */
export function postgresMark(root: string, url: string): PostgresMark {
  const name = `state.used.${identityOf(url)}`;
  const file = join(root, STATE_DIRECTORY, name);
  return {
    requireNew() {
      if (!existsSync(file)) return;
      const remedy = `restore it from a copy; to begin anew without its data, remove ${STATE_DIRECTORY}/${name}`;
      throw new UsageError(`the PostgreSQL database of the state has no tables, although it held data: ${remedy}`);
    },
    async set() {
      if (existsSync(file)) return;
      // If there is no place to write, there is no record, and the database works all the same.
      await stateDirectory(root)
        .then(() => writeAtomically(file, TEXT, { mode: 0o600 }))
        .catch(() => undefined);
    },
  };
}

/** Identifies a database, independent of the user that connects to it. */
function identityOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  const parts = [host, pathname, ...["host", "port", "options"].map((name) => searchParams.get(name))];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}
