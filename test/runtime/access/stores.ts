/** The stores for tests of keys: the file, and rows in each database. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Keys, openKeys } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { NO_RETENTION, type Retention } from "../../../runtime/state/retention.js";
import { DATABASES } from "../state/databases.js";

/** A fresh place for keys; each opening is a server of its own. */
export interface KeyPlace {
  readonly root: string;
  /** What its servers and the command line take for `state`. */
  readonly url: string;
  readonly state: State;
  open(options?: {
    readonly clock?: () => number;
    readonly projects?: readonly string[];
    readonly retention?: Retention;
  }): Keys;
  remove(): Promise<void>;
}

/** One store to test on. */
export interface TestStore {
  readonly name: string;
  readonly skip: boolean;
  place(): Promise<KeyPlace>;
}

async function placeOf(
  at: { readonly root: string; readonly url: string },
  rows: boolean,
  remove: () => Promise<void>,
) {
  const state = await openState(at);
  const opened: Keys[] = [];
  return {
    ...at,
    state,
    open: ({ clock = Date.now, projects = [], retention = NO_RETENTION }: Parameters<KeyPlace["open"]>[0] = {}) => {
      const given = { root: at.root, url: rows ? "postgres://rows" : "", state: async () => state, log: silentLog };
      const keys = openKeys({ ...given, projectExists: async (id) => projects.includes(id), clock, retention });
      opened.push(keys);
      return keys;
    },
    async remove() {
      for (const keys of opened) await keys.close();
      await state.close();
      await remove();
    },
  };
}

/** A place whose keys are in `.onetool/keys`. */
export async function filePlace(): Promise<KeyPlace> {
  const root = await mkdtemp(join(tmpdir(), "toolwright-keys-"));
  return placeOf({ root, url: "" }, false, () => rm(root, { recursive: true, force: true }));
}

/** All of them. */
export const STORES: readonly TestStore[] = [
  { name: "the file", skip: false, place: filePlace },
  ...DATABASES.map(({ name, skip, place }) => ({
    name: `rows in ${name}`,
    skip,
    place: async () => {
      const at = await place();
      return placeOf(at, true, at.remove);
    },
  })),
];
