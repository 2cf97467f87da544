/**
 * Mutated snippets through the functions that read and rewrite code, and through all of `run`.
 *
 * @module-tag full
 */

import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import { rewrite } from "../../../runtime/run/languages/python/rewrite.js";
import { unwrapPython } from "../../../runtime/run/languages/python/unwrap.js";
import { bareNames, type Names } from "../../../runtime/run/names.js";
import { expandSnippet } from "../../../runtime/run/snippets.js";
import { runs, SCALE } from "../../support/random.js";
import { runDemo } from "../../support/run/run-demo.js";
import { mutations } from "./mutations.js";

const NAMES: Names = {
  aliases: new Map([["ws", "demo.search"]]),
  packs: new Set(["demo"]),
  bare: bareNames([{ path: "demo.search" }, { path: "demo.bounce" }]),
};

/** Whether each text compiles in real Python, and its string literals without those with fields. */
const READER = `
import ast, io, json, sys, tokenize, warnings
warnings.simplefilter("ignore")
def read(code):
    try:
        tree = ast.parse(code)
    except Exception:
        return None
    # The parser takes a starred expression as a statement, which the compiler refuses.
    if any(isinstance(node, ast.Expr) and isinstance(node.value, ast.Starred) for node in ast.walk(tree)):
        return None
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    return [t.string for t in tokens if t.type == tokenize.STRING and "f" not in t.string.split(t.string[-1])[0].lower()]
json.dump([read(code) for code in json.load(sys.stdin)], sys.stdout)
`;

function stringsOf(codes: readonly string[]): readonly (readonly string[] | null)[] {
  const options = { input: JSON.stringify(codes), encoding: "utf8", maxBuffer: 1e9 } as const;
  const { stdout, stderr, status } = spawnSync("python3", ["-c", READER], options);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

const lines = (text: string): number => text.split("\n").length;

test("text in, text out: nothing throws, lines stay, string literals stay", {
  tags: "full",
  timeout: 600_000,
}, async () => {
  const { seed, numRuns } = runs(20_000);
  const sources: string[] = [];
  const results: string[] = [];
  for (const command of fc.sample(mutations, { seed, numRuns })) {
    const unwrapped = unwrapPython(command);
    if (unwrapped.kind === "fault") continue;
    expect(command).toContain(unwrapped.code.trim());
    const expanded = await expandSnippet(unwrapped.code, new Map(), runSettingsOf({}));
    if (expanded.kind === "fault") continue;
    const { source, code } = rewrite(expanded.code, NAMES);
    expect(lines(code)).toBe(lines(source));
    // What a name of a newer Python does to an older one is not compared: the source has to compile as it is.
    sources.push(source);
    results.push(code);
  }
  const [before, after] = [stringsOf(sources), stringsOf(results)];
  const changed = sources.filter((_, i) => before[i] && JSON.stringify(before[i]) !== JSON.stringify(after[i]));
  expect(changed).toEqual([]);
  expect(after.filter((one) => one !== null).length).toBeGreaterThan(numRuns / 20);
});

const { server } = runDemo();

test("through the server: always one text, and it answers afterwards", async () => {
  const { seed, numRuns } = runs(SCALE < 1 ? 300 : 1000);
  for (const command of fc.sample(mutations, { seed, numRuns })) {
    const { content } = await server().client.callTool({ name: "run", arguments: { command } }, { timeout: 60_000 });
    expect(content, command).toMatchObject([{ type: "text", text: expect.any(String) }]);
  }
  const { content } = await server().client.callTool({ name: "run", arguments: { command: "1+1" } });
  expect(content).toMatchObject([{ text: "2" }]);
}, 1_200_000);
