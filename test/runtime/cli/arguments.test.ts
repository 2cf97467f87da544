/** Arguments of `call` and `exec` as words of a command line, and calls as command lines. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { callCommand, parsedArguments, readArgumentWords } from "../../../runtime/cli/arguments.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import type { JsonObject, Parameter, Tool } from "../../../runtime/contract/registry.js";

const PROPERTIES: Readonly<Record<string, object>> = {
  title: { type: "string" },
  limit: { type: "integer" },
  project_id: { type: "string" },
  done: { type: "boolean" },
  props: { type: "object" },
  any: {},
};
const parameter = (name: string): Partial<Parameter> => ({ name, original: name, aliases: [] });
const TOOL = {
  parameters_schema: { type: "object", properties: PROPERTIES },
  parameters: Object.keys(PROPERTIES).map(parameter),
} as unknown as Tool;

test.each<[words: readonly string[], args: JsonObject]>([
  [["limit=5", "title=5"], { limit: 5, title: "5" }],
  [["limit=many"], { limit: "many" }],
  [["any=5", "props={}"], { any: 5, props: {} }],
  [["title=a=b:=c"], { title: "a=b:=c" }],
  [["title="], { title: "" }],
  [["title:=null", 'props:={"x":[1]}'], { title: null, props: { x: [1] } }],
  [["--limit", "5", "--title=x", "--done"], { limit: 5, title: "x", done: true }],
  [["--project-id", "p=1", "done=false"], { project_id: "p=1", done: false }],
  [["project-id=p"], { project_id: "p" }],
  [['{"limit":5}', "title=x"], { limit: 5, title: "x" }],
  [["unknown=1"], { unknown: 1 }],
])("%j are %j", async (words, args) => {
  expect(parsedArguments(TOOL, await readArgumentWords(words), undefined)).toEqual(args);
});

test.each([
  [["limit"], /limit is neither a flag nor its value: write NAME=VALUE/],
  [["limit=1", "--limit", "2"], /limit is given twice/],
  [["limit:=x"], /limit:= is no JSON/],
  [["[1]"], /\[1\] is neither/],
  [["{1}"], /\{1\} is no JSON/],
  [["=5"], /=5 is neither/],
  [["--title"], /--title has no value/],
] as const)("%j are refused", async (words, says) => {
  const given = await readArgumentWords(words);
  expect(() => parsedArguments(TOOL, given, undefined)).toThrow(says);
});

/** Words of a command line that quotes with single quotes. */
const wordsIn = (line: string): readonly string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'\\])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|\\(')/g, (_, plain: string | undefined, quote: string | undefined) => plain ?? quote ?? ""),
  );

test("a call as a command line is read as the same call", async () => {
  const odd = ["project-id", "a=b", "a:", "-x", "{", "__proto__", ""];
  const name = fc.oneof(fc.constantFrom(...Object.keys(PROPERTIES), ...odd), fc.string());
  const value = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom("@a", "-", "true", "null", "1", "'", "a\nb"));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, value), async (given) => {
      const args = readJson(JSON.stringify(given)) as JsonObject;
      const line = callCommand({ op: "shop.find", args }, TOOL, ["--stdio", "node 'a b'.js"]);
      const words = wordsIn(line);
      expect([words.slice(0, 3), words.slice(-2)]).toEqual([
        ["toolwright", "call", "shop.find"],
        ["--stdio", "node 'a b'.js"],
      ]);
      expect(parsedArguments(TOOL, await readArgumentWords(words.slice(3, -2)), undefined)).toEqual(args);
    }),
  );
});

test("a dry run and its key stay in the command line", () => {
  expect(callCommand({ op: "a.b", args: {}, dry_run: true, idempotency_key: "k 1" }, TOOL, [])).toBe(
    "toolwright call a.b --dry-run --idempotency-key 'k 1'",
  );
});
