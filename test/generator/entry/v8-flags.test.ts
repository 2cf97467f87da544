/** Settings of V8: this version knows them, and a server has V8's own back once it has started. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { CHECKOUT } from "../../support/project.js";

const FLAGS = pathToFileURL(join(CHECKOUT, "generator/entry/v8-flags.mjs")).href;
/** MB of the space for new objects after a million of them, of which a tenth lasts, at once and a while later. */
const PROGRAM = `
import { getHeapSpaceStatistics } from "node:v8";
import { setV8Flags } from ${JSON.stringify(FLAGS)};
const kept = [];
function size() {
  for (let i = 0; i < 1e6; i++) kept[i % 1e5] = { i, text: [i, i] };
  return Math.round(getHeapSpaceStatistics().find((one) => one.space_name === "new_space").space_size / 2 ** 20);
}
setV8Flags(process.argv[1], 1);
const first = size();
setTimeout(() => console.log(JSON.stringify([first, size()])), 50);
`;

/** What the program prints for a command. Fails where V8 prints anything, as it does for a flag that it does not know. */
function sizes(command: string): readonly [atOnce: number, later: number] {
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", PROGRAM, command], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

test("a server that starts keeps the space for new objects small, and lets it grow afterwards", () => {
  const [atOnce, later] = sizes("serve");
  expect(atOnce).toBeLessThan(4);
  expect(later).toBeGreaterThan(8);
});

test("the space for new objects grows at once for a build", () => {
  expect(sizes("generate")[0]).toBeGreaterThan(8);
});
