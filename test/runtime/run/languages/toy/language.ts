/** A toy language: each line calls an op with the texts after it (`onto.task.get task_id=a`); the last answer is the value. */

import { formattedTree } from "../../../../../runtime/run/format.js";
import type * as of from "../../../../../runtime/run/languages/language.js";
import { treeOf } from "../../../../../runtime/run/value-tree.js";

const failure = (code: string, message: string): of.CallFailure => ({ code, message, details: null, exception: "No" });

const texts: of.LanguageTexts = {
  call: (op, args) => [op, ...Object.entries(args).map(([name, value]) => `${name}=${value}`)].join(" "),
  callLoop: ({ values, op, argument }) => values.map((value) => `${op} ${argument}=${value}`).join("\n"),
  value: async ({ value }, { depth, isOt }) => formattedTree(treeOf(value, depth, String), null, isOt),
  printed: String,
  placed: async (text) => ({ kind: "text", text }),
  argumentFault: (tool, { kind }) => failure("VALIDATION_ERROR", `${tool.op} has an argument that is ${kind}`),
  unsendable: (_, one) => one,
  failed: ({ tool, error }) => failure(error.code, `${tool.op} says: ${error.message}`),
  unknownPath: (path) => failure("NOT_FOUND", `nothing is called ${path.join(".")}`),
  failureText: ({ message }) => message,
  message: ({ message }) => message,
  hints: ({ message }, _, known) => known.hintsOf(message),
  isWorthChecking: () => false,
};

const argumentOf = ([name = "", text = ""]: string[]) => [name, /^\d+$/.test(text) ? Number(text) : text] as const;

async function run({ code, namespace, signal = new AbortController().signal }: of.RunRequest): Promise<of.RunOutcome> {
  const lines = code.split("\n");
  const stats = { engine: "toy", wallMs: 0, cpuMs: 0, hostCalls: lines.length, printedBytes: 0 };
  let value: of.Data = null;
  for (const [at, text] of lines.entries()) {
    const [op = "", ...given] = text.split(" ");
    const named = given.map((one) => argumentOf(one.split("=")));
    try {
      value = await namespace.call({ path: op.split("."), positional: [], named, line: at + 1, signal });
    } catch (error) {
      return { ok: false, kind: "runtime", name: "No", message: (error as Error).message, line: at + 1, stats };
    }
  }
  return { ok: true, outcome: "value", value, stats };
}

const programOf = (text: string): of.Program => {
  const code = text.replace(/^\s*`+toy\n|\n`+\s*$/g, "");
  const asked = { codeHash: () => code, forwards: () => false, calls: () => undefined };
  return { kind: "program", language: { name: "toy", texts }, code, source: code, ambiguous: new Map(), ...asked };
};

const nothing = async () => undefined;
const idle = { ready: nothing, close: nothing, warm: () => undefined, version: nothing, check: async () => [] };
const open: of.Language["open"] = () => ({
  ...idle,
  read: async (_, text) => programOf(text),
  engine: "toy",
  whyUnchecked: nothing,
  run,
});
export const TOY: of.Language = { name: "toy", texts, open };
