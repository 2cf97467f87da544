// Fails where package-lock.json no longer has the packages of the last commit, at their versions. Optional packages are left
// out: npm adds and drops those of other platforms with what the registry serves.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** The lines `path version integrity` of the packages in a lock that every platform installs. */
function required(lock) {
  const entries = Object.entries(JSON.parse(lock).packages).filter(([, entry]) => !entry.optional);
  return entries.map(([path, { version, integrity }]) => `${path} ${version} ${integrity}`);
}

const committed = required(
  execFileSync("git", ["show", "HEAD:package-lock.json"], { encoding: "utf8", maxBuffer: 1e8 }),
);
const installed = required(readFileSync("package-lock.json", "utf8"));
const changed = [
  ...committed.filter((line) => !installed.includes(line)).map((line) => `- ${line}`),
  ...installed.filter((line) => !committed.includes(line)).map((line) => `+ ${line}`),
];
for (const line of changed) process.stderr.write(`${line}\n`);
process.exit(changed.length === 0 ? 0 : 1);
