/** The corpus over `run` and over tools of single ops: what of a malformed call a program or a typed tool can say. */

import type { JsonObject, JsonValue } from "toolwright/codegen";
import { readLenient } from "../../runtime/call/corrections/lenient-json.js";
import { childrenOf, parsePython, sourceText } from "../../runtime/run/languages/python/python-tree.js";
import type { Known } from "./corpus.js";
import { isSame, judge, type Verdict } from "./judge.js";
import { isObject } from "./model.js";
import type { Observer, Told } from "./observed.js";

/** A call that has an op and arguments only. */
interface Plain {
  readonly op: string;
  readonly args: JsonObject;
}

function plainCall({ sent }: Known): Plain | undefined {
  if (!isObject(sent)) return undefined;
  const { op, args, ...rest } = sent;
  return typeof op === "string" && isObject(args) && Object.keys(rest).length === 0 ? { op, args } : undefined;
}

/** The verdict on a malformed call in a program; undefined if no program can contain it. */
export async function judgeProgram(observer: Observer, known: Known): Promise<Verdict | undefined> {
  const call = plainCall(known);
  if (!call || !/^[\p{L}_][\w.]*$/u.test(call.op)) return undefined;
  const told = await observer.program(call.op, call.args);
  if (told.effect) return isSame(told.effect, known.effect) ? "repaired" : "different";
  const copied = offered(told, call);
  if (copied) {
    const { effect } = await observer.program(copied.op, copied.args);
    if (effect) return isSame(effect, known.effect) ? "offered" : "different";
  }
  return /Signature: |Available: |Did you mean|Tools: |Packs: |must be|Next: use/.test(told.text)
    ? "refused"
    : "dead end";
}

/** The call that a text offers, as a reader copies it. */
function offered({ text }: Told, call: Plain): Plain | undefined {
  const [, meant] = /^Did you mean: (.*)$/m.exec(text) ?? [];
  if (meant?.includes("(")) return parsed(meant);
  if (meant !== undefined) return meant.includes(",") ? undefined : { ...call, op: meant };
  const [, name, keyword] = /keyword argument '(.*?)' \(did you mean '(\w+)'\?\)/.exec(text) ?? [];
  if (name === undefined || keyword === undefined) return undefined;
  const entries = Object.entries(call.args).map(([one, value]) => [one === name ? keyword : one, value] as const);
  return { ...call, args: Object.fromEntries(entries) as JsonObject };
}

/** `onto.task.list(limit=5)` as a call. */
function parsed(code: string): Plain {
  const tree = parsePython(code);
  const list = tree.nodes.find(({ name }) => name === "ArgList");
  const parts = list ? childrenOf(list) : [];
  const args = parts.flatMap((part, at) => {
    const value = parts[at + 2];
    if (part.name !== "VariableName" || parts[at + 1]?.name !== "AssignOp" || !value) return [];
    const [read] = readLenient(`[${sourceText(tree, value)}]`) as readonly JsonValue[];
    return [[sourceText(tree, part), read] as const];
  });
  return { op: code.slice(0, code.indexOf("(")), args: Object.fromEntries(args) as JsonObject };
}

/** The verdict on a malformed call of the op's own tool; undefined if there is no such call. */
export async function judgeHot(observer: Observer, known: Known): Promise<Verdict | undefined> {
  const call = plainCall(known);
  if (!call || call.op !== known.meant.op) return undefined;
  return judge(observer, await observer.hot(call.op, call.args), known.effect);
}
