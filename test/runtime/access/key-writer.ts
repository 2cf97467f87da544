/**
 * A process for tests of the key file. Arguments: root, mode, count.
 *
 * `write`: makes keys and revokes every second one at once; prints the ids of the remaining keys, then of the revoked
 * ones. `die`: makes keys, and dies by SIGKILL when the new file is written and about to replace the old one.
 */

import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const [, , root = "", mode = "", count = "0"] = process.argv;
if (mode === "die") {
  promises.rename = async () => void process.kill(process.pid, "SIGKILL");
  syncBuiltinESMExports();
}
const { openKeys } = await import("../../../runtime/access/keys.js");
const { silentLog } = await import("../../../runtime/config/log.js");
const state = () => Promise.reject(new Error("there is no database"));
const keys = openKeys({ root, url: "", state, projectExists: async () => false, log: silentLog });
const stay: string[] = [];
const gone: string[] = [];
for (let i = 0; i < Number(count); i++) {
  const { record } = await keys.create({ name: String(process.pid), scope: "read" }, "local");
  if (i % 2 === 0) stay.push(record.key_id);
  else gone.push(...(await keys.revoke(record.key_id)));
}
process.stdout.write(JSON.stringify({ stay, gone }));
