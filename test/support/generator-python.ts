/** Checks generated Python with Python itself: values go in and out as JSON, one process per batch. */

import { execFileSync } from "node:child_process";

/** Version of `python3`, or undefined without one: tests that need it say so and are skipped. */
export const pythonVersion: string | undefined = versionOf();

function versionOf(): string | undefined {
  try {
    return execFileSync("python3", ["--version"], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

/** Evaluates an expression over `value` with `ast`, `json` and what `before` defines; what it gives comes back as JSON. */
export function runPython(expression: string, value: unknown, before = ""): unknown {
  const program = `import ast, json, sys\n${before}\nvalue = json.load(sys.stdin)\njson.dump(${expression}, sys.stdout)`;
  const input = JSON.stringify(value);
  const env = { ...process.env, PYTHONUTF8: "1" };
  return JSON.parse(execFileSync("python3", ["-c", program], { input, env, encoding: "utf8", maxBuffer: 100_000_000 }));
}
