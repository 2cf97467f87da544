// Run by npm as the script `prepare`: makes the programs of dist/ where a checkout is installed into another project by its path, as a link.
// An `npm install` in the checkout itself builds nothing, since the launcher bundles what it needs.
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));
const { INIT_CWD: startedIn, npm_execpath: npm } = process.env;
if (startedIn !== undefined && npm !== undefined && realpathSync(startedIn) !== root) {
  // A script of an npm that runs another one keeps the first folder, so that this one is not told apart without it.
  const options = { cwd: root, stdio: "inherit", env: { ...process.env, INIT_CWD: root } };
  const run = (...args) => spawnSync(process.execPath, [npm, ...args], options).status ?? 1;
  const isInstalled = existsSync(join(root, "node_modules", "esbuild"));
  process.exitCode = (isInstalled ? 0 : run("ci")) || run("run", "--silent", "build");
}
