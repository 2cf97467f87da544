/** The ten commonest mistakes of requests, in five spellings each: they do what was meant, or write nothing and say what to do. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fail } from "../../../runtime/contract/handler.js";
import type { JsonObject } from "../../../runtime/contract/registry.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { temporaryFolder } from "../../support/project.js";
import { RUNS_SLOW } from "../../support/random.js";
import { fixture, handler, principal } from "./fixture.js";

const TASK = "task_00000001";
/** A way to ask the gateway. */
type Entry = "dispatch" | "batch" | "run" | "help";

/** What a request is to lead to: `done` as it was meant, or a refusal whose text leads on. */
type Outcome = "done" | RegExp;

/** A mistake: where it is made, its requests for an op with arguments, and what they lead to. */
type Mistake = readonly [
  name: string,
  entry: Entry,
  requests: (op: string, args: JsonObject) => readonly unknown[],
  outcome: Outcome,
];

/** The keyword arguments of a program. */
const keywords = (args: JsonObject): string =>
  Object.entries(args)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(", ");
const named =
  (...names: readonly string[]) =>
  (make: (name: string) => unknown): readonly unknown[] =>
    names.map(make);
const commands = (...codes: readonly string[]): readonly unknown[] => codes.map((command) => ({ command }));

const MISTAKES: readonly Mistake[] = [
  [
    "another name for args",
    "dispatch",
    (op, args) => named("arguments", "params", "input", "parameters", "tool_input")((name) => ({ op, [name]: args })),
    "done",
  ],
  [
    "another name for op",
    "dispatch",
    (op, args) => named("tool", "name", "function", "tool_name", "operation")((name) => ({ [name]: op, args })),
    "done",
  ],
  [
    "arguments beside the op",
    "dispatch",
    (op, args) => named("op", "tool", "name", "function", "operation")((name) => ({ [name]: op, ...args })),
    "done",
  ],
  [
    "another name for the entries of a batch",
    "batch",
    (op, args) =>
      named("calls", "operations", "requests", "entries", "commands")((name) => ({ [name]: [{ op, args }] })),
    "done",
  ],
  [
    "another name for the command",
    "run",
    (op, args) =>
      named("code", "script", "python", "program", "source")((name) => ({ [name]: `${op}(${keywords(args)})` })),
    "done",
  ],
  [
    "another name for the path of help",
    "help",
    (op) => named("query", "q", "search", "text", "topic")((name) => ({ [name]: op })),
    /"type":"op"|"corrected_call":\{"path":"onto\.task\.[\w.]+"\}/,
  ],
  [
    "JavaScript",
    "run",
    (op, args) => {
      const call = `${op}(${JSON.stringify(args)})`;
      return commands(
        `const r = await ${call};`,
        `let r = ${call};\nconsole.log(r)`,
        `var r = ${call}; r`,
        `${call}.then(r => r)`,
        `(async () => { return await ${call}; })()`,
      );
    },
    /JavaScript/,
  ],
  [
    "a key that the answer has not",
    "run",
    (op, args) => {
      const call = `r = ${op}(${keywords(args)})\n`;
      return commands(...['r["tasks"]', 'r["data"]', 'r["items"][0]', "r.tasks", 'r["dnoe"]'].map((use) => call + use));
    },
    /answered the keys? done|results are dicts/,
  ],
  [
    "an id that does not fit its pattern",
    "dispatch",
    (op, args) =>
      ["00000001", "TASK-1", "task 00000001", "task:00000001", "project_00000001"].map((task_id) => ({
        op,
        args: { ...args, task_id },
      })),
    /task_id is not a task id.*"suggestions":\["onto\.task\.list"/,
  ],
  [
    "an id of nothing",
    "dispatch",
    (op, args) =>
      ["1", "x", "none", "unknown", "deleted"].map((id) => ({ op, args: { ...args, task_id: `task_${id}` } })),
    /NOT_FOUND.*list/,
  ],
];

const CALLS: readonly (readonly [kind: string, op: string, args: JsonObject])[] = [
  ["a read", "onto.task.docs.list", { task_id: TASK }],
  ["a write", "onto.task.update", { task_id: TASK, title: "  As sent ", update_strategy: "replace" }],
];

let state: State;
beforeAll(async () => {
  state = await openState({ url: "", root: temporaryFolder(afterAll) });
  afterAll(state.close);
});

describe.each(CALLS)("%s, sent with a common mistake,", (_, op, args) => {
  test.each(MISTAKES)("with %s", async (name, entry, requests, outcome) => {
    const sent = requests(op, args);
    expect(sent).toHaveLength(5);
    // A program takes a moment: the slow run has all spellings of these.
    for (const request of entry === "run" && !RUNS_SLOW ? sent.slice(0, 1) : sent) {
      const calls: JsonObject[] = [];
      const called = handler(async (given) => {
        if (given["task_id"] !== TASK) fail("NOT_FOUND", "There is no such task: list the tasks.");
        calls.push(given);
        return { done: op };
      });
      const { gateway } = fixture({ handlers: { [op]: called as never }, options: { openState: async () => state } });
      const answer = JSON.stringify(await (gateway[entry] as (...given: unknown[]) => unknown)(request, principal()));
      const shown = `${name}: ${JSON.stringify(request)}: ${answer}`;
      // No call has another value than was meant.
      for (const one of calls) expect(one, shown).toEqual(args);
      if (outcome !== "done") expect(answer, shown).toMatch(outcome);
      else expect(calls, shown).toHaveLength(1);
    }
  });
});
