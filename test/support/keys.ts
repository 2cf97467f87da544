/** Changes the keys of a root by the command line, while a server may use them. */

import { type Keys, openKeys } from "../../runtime/access/keys.js";

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/** Keys in `.onetool/keys` of a root; every project that a scope names is there. */
export const keysOf = (root: string): Keys =>
  openKeys({
    root,
    url: "",
    state: () => Promise.reject(new Error("no state in this test")),
    projectExists: async () => true,
    log: silent,
  });

/** One key of each kind of grant, by its name. */
export async function keysOfEveryGrant(root: string) {
  const keys = keysOf(root);
  const make = async (scope: string) => {
    const { key, record } = await keys.create({ name: scope, scope }, "local");
    return { key, id: record.key_id };
  };
  return {
    keys,
    admin: await make("admin"),
    write: await make("write"),
    read: await make("read"),
    project: await make("project:proj_one"),
    projectRead: await make("project:proj_one:ro"),
  };
}
