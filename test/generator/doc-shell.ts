/** Runs the commands of the documentation. */

import { spawn } from "node:child_process";
import { join } from "node:path";

/** Runs a line in a shell. A server is ended when it says that it listens. */
export function shell(line: string, cwd: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const path = `${join(cwd, "node_modules/.bin")}:${process.env["PATH"]}`;
  // What commands without a project keep there is not left in the cache of the user.
  const cache = /--stdio \w|tools\.ts/.test(line) ? { XDG_CACHE_HOME: join(cwd, ".cache") } : {};
  const env = { ...process.env, PATH: path, npm_config_offline: "true", GITHUB_TOKEN: undefined, ...cache };
  return new Promise((resolve, reject) => {
    const child = spawn("sh", ["-c", line.startsWith("toolwright serve") ? `exec ${line}` : line], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let isEnding = false;
    const hear = (text: string): void => {
      output += text;
      // A moment later, so that the server is ready to end by itself.
      if (/ serve /.test(line) && output.includes("listening on") && !isEnding)
        setTimeout(() => child.kill("SIGTERM"), 1_000);
      isEnding ||= output.includes("listening on");
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", hear);
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** Ids of keys in a text, in their order. */
export const keyIds = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(/\bkey ([a-z0-9]{10})\b/g)].map(([, id = ""]) => id)),
];
