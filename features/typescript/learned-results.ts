/** Result types that calls have shown: their keys are known, and nothing of the values. What is said of them is advice. */

import { isDataLike } from "../../runtime/contract/data-keys.js";
import { isLocked } from "../../runtime/contract/known-result.js";
import { type NormalSchema, normalizeLearned } from "../../runtime/contract/normal-schema.js";
import type { LearnedResult, Tool } from "../../runtime/contract/registry.js";
import type { CodeFinding } from "../../runtime/run/languages/language.js";

type LearnedTool = Pick<Tool, "op" | "result_schema" | "learned_result">;

/** Prefix of these types, in declarations. */
const LEARNED_TYPE = "Learned$";
/** Levels of nested objects that get a type, and most characters for the results of one op. */
const MAX_DEPTH = 3;
const MAX_LENGTH = 2000;

/** The type of the results of an op. */
export interface LearnedType {
  /** Interfaces that it names. */
  readonly text: string;
  readonly type: string;
}

const typeName = (op: string): string => LEARNED_TYPE + op.replace(/\W/g, "$");

/** Types by what was learned: the text of an op is needed for each program. */
const known = new WeakMap<LearnedResult, LearnedType>();

/** The learned type of the results of an op; undefined if none is certain, or if one is declared. */
export function learnedType({
  op,
  result_schema: declared,
  learned_result: learned,
}: LearnedTool): LearnedType | undefined {
  if (declared || !isLocked(learned)) return undefined;
  const found = known.get(learned) ?? printed(op, normalizeLearned(learned.schema));
  known.set(learned, found);
  return found;
}

function printed(op: string, schema: NormalSchema): LearnedType {
  let best: LearnedType = { text: "", type: "any" };
  for (let depth = 1; depth <= MAX_DEPTH; depth++) {
    const texts: string[] = [];
    const type = keysOf(schema, { stem: typeName(op), depth, texts });
    const text = texts.join("");
    if (text.length > MAX_LENGTH) break;
    best = { text, type };
  }
  return best;
}

interface Printing {
  readonly stem: string;
  readonly depth: number;
  readonly texts: string[];
}

/** A type with the keys of its objects; lists and objects are always there, so that no advice doubts it. */
function keysOf(schema: NormalSchema, { stem, depth, texts }: Printing): string {
  const below = (one: NormalSchema, deeper = depth): string => keysOf(one, { stem, depth: deeper, texts });
  if (schema.kind === "array") return `${below(schema.items)}[]`;
  if (schema.kind === "union") {
    const [only, ...others] = schema.members.filter(({ kind }) => kind !== "null");
    return only && others.length === 0 ? below(only) : "any";
  }
  if (schema.kind !== "object") return "any";
  if (schema.values) return `Record<string, ${below(schema.values)}>`;
  if (schema.properties.length === 0 || schema.extra || depth === 0) return "any";
  const members = schema.properties.map(({ name, schema: of }) => {
    const type = below(of, depth - 1);
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${type === "any" ? "?" : ""}: ${type};`;
  });
  const name = `${stem}$$${texts.length + 1}`;
  texts.push(`interface ${name} { ${members.join(" ")} }\n`);
  return name;
}

const UNKNOWN_KEY = /^Property '(.+?)' does not exist on type '(Learned\$[\w$]+)'\.?(?: Did you mean '(.+?)'\?)?$/s;

/** Whether code sets the member that a finding about an absent one names. */
export function isAssigned(message: string, source: string): boolean {
  const [, key = ""] = /^Property '(.+?)' does not exist/s.exec(message) ?? [];
  return new RegExp(String.raw`\.${key.replace(/\W/g, "\\$&")}\s*(?:\?\?|\|\||&&|[-+*/%])?=(?!=)`).test(source);
}

/**
 * What the check says of learned types, in the words of their ops: an unknown key. Anything else rests on values that nobody
 * has promised.
 */
export function learnedAdvice(
  finding: CodeFinding,
  source: string,
  ops: readonly LearnedTool[],
): CodeFinding | undefined {
  if (!finding.message.includes(LEARNED_TYPE)) return finding;
  const [, key = "", type = "", meant] = UNKNOWN_KEY.exec(finding.message) ?? [];
  const tool = ops.find(({ op }) => type.startsWith(`${typeName(op)}$$`));
  // Keys that look like data are not known by name, and a program may set one of its own.
  if (!tool?.learned_result || isDataLike(key) || isAssigned(finding.message, source)) return undefined;
  const { pinned, calls } = tool.learned_result;
  const basis = pinned ? "its type is written by a person" : `${calls} calls seen so far`;
  const near = meant === undefined ? "" : `; did you mean '${meant}'?`;
  const message = `results of ${tool.op}() have no known key '${key}' (${basis})${near}`;
  return { line: finding.line, message, is_learned: true };
}
