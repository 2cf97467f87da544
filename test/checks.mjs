// What `npm test` does before the tests: builds, and checks what a tool can check without running it. The commands are those of the
// scripts in package.json; what does not need the result of another runs beside it. Prints a line for each, and all output of one that fails.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const partsOf = (script) => scripts[script].split(" && ");
/** With several checkers, which tsc runs by default, each checks again what others share: almost twice the processor time. */
const withOneChecker = (command) => command.replace(/(^|&& )tsc(?= |$)/g, "$1tsc --checkers 1");

/** Each stage begins when the one before it has ended: publint and `check` read dist/. */
const STAGES = [
  [scripts.build, ...partsOf("typecheck")],
  [...partsOf("lint"), scripts.check],
];

/** Runs a command line; gives whether it ended well. */
function isFine(command) {
  const began = performance.now();
  const child = spawn(withOneChecker(command), { shell: true, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      const shown = command.split(" && ").at(-1);
      console.log(code === 0 ? `ok    ${shown} (${seconds} s)` : `FAIL  ${command} (exit ${code})\n${output}`);
      resolve(code === 0);
    });
  });
}

for (const stage of STAGES) {
  const results = await Promise.all(stage.map(isFine));
  if (results.includes(false)) process.exit(1);
}
