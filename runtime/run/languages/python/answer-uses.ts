/**
 * Finds what a program takes the answer of a call for: which call a value at a line comes from, and what it has there. Reads
 * the code and the answers, never runs anything. It looks for one clear case and says nothing of others.
 */

import { mistyped, withoutPlural, wordsIn } from "../../../contract/typo.js";
import type { Names } from "../../names.js";
import { dictMembers, isValueList } from "../../written.js";
import type { AnsweredCall, Data, FailedRun, KnownKeys, ProgramCalls } from "../language.js";
import { isUncalled } from "./hints.js";
import { stringValue } from "./python-text.js";
import {
  appendTo,
  childrenOf,
  enclosingNode,
  isParseLimitError,
  isWithin,
  lineAt,
  lineStarts,
  type PyNode,
  type PyTree,
  parsePython,
  sourceText,
  withoutParentheses,
} from "./python-tree.js";
import { type ResolvedNames, resolveNames } from "./resolve-names.js";
import { readScopes } from "./scopes.js";

/** Time for reading the code, and the longest code, in characters: it is read between the calls of others. */
const READ_MS = 100;
const MAX_CODE_LENGTH = 20_000;

/** Reads code; undefined if it is too long, or does not parse in time. */
export function callingCode(source: string, names: Names): ProgramCalls | undefined {
  if (source.length > MAX_CODE_LENGTH) return undefined;
  try {
    const tree = parsePython(source, performance.now() + READ_MS);
    const resolved = resolveNames(tree, readScopes(tree), names);
    const code = { tree, starts: lineStarts(tree.code), bindings: bindingsIn(tree), ...resolved };
    return { lineOf: lineOfCalls(code), useOf: (...given) => useOf(code, ...given) };
  } catch (error) {
    if (isParseLimitError(error)) return undefined;
    throw error;
  }
}

interface Code extends ResolvedNames {
  readonly tree: PyTree;
  readonly starts: readonly number[];
  /** By name. */
  readonly bindings: ReadonlyMap<string, readonly Binding[]>;
}

/** What may be run more often than once, or not at all. */
const REPEATED: ReadonlySet<string> = new Set([
  ...["ForStatement", "WhileStatement", "IfStatement", "TryStatement", "MatchStatement", "ConditionalExpression"],
  ...["FunctionDefinition", "LambdaExpression", "ClassDefinition", "ArrayComprehensionExpression"],
  ...["ComprehensionExpression", "DictionaryComprehensionExpression", "SetComprehensionExpression"],
]);

function lineOfCalls({ tree, starts, pathOf }: Code): ProgramCalls["lineOf"] {
  const isRepeated = enclosingNode(tree, REPEATED);
  const sites = new Map<string, PyNode[]>();
  for (const node of tree.nodes) {
    const op = node.name === "CallExpression" && node.children[0] && pathOf(node.children[0])?.join(".");
    if (op) sites.set(op, [...(sites.get(op) ?? []), node]);
  }
  return (op, nth) => {
    const all = sites.get(op) ?? [];
    const site = all.length === 1 ? all[0] : all.some(isRepeated) ? undefined : all[nth];
    return site && lineAt(starts, site.from);
  };
}

/** A step from an answer to a part of it: a key, a place in a list, or any place in it. */
type Step = { readonly key: string } | { readonly at: number | undefined; readonly isLoop?: true };

/** Where a value comes from. */
interface Origin {
  readonly op: string;
  readonly steps: readonly Step[];
}

/** Levels of expressions and names that are followed: hostile code nests to any depth. */
const MAX_DEPTH = 20;

function originOf(code: Code, given: PyNode | undefined, depth = 0): Origin | undefined {
  if (!given || depth > MAX_DEPTH) return undefined;
  const node = withoutParentheses(given);
  const follow = (one: PyNode | undefined): Origin | undefined => originOf(code, one, depth + 1);
  if (node.name === "AwaitExpression") return follow(childrenOf(node)[1]);
  if (node.name === "VariableName") return originOfName(code, node, follow);
  if (node.name === "CallExpression") {
    const op = node.children[0] && code.pathOf(node.children[0])?.join(".");
    return op === undefined ? undefined : { op, steps: [] };
  }
  const index = node.name === "MemberExpression" ? indexOf(code, node) : undefined;
  const from = index && follow(node.children[0]);
  return from && index && { ...from, steps: index === "slice" ? from.steps : [...from.steps, index] };
}

/** The step of a subscript; undefined for a member with a dot. */
function indexOf({ tree }: Code, node: PyNode): Step | "slice" | undefined {
  const [, open, index, ...more] = childrenOf(node);
  if (open?.name !== "[" || !index) return undefined;
  if (index.name === ":" || more.some(({ name }) => name === ":")) return "slice";
  const key = index.name === "String" ? stringValue(sourceText(tree, index)) : undefined;
  if (key !== undefined) return { key };
  const place = sourceText(tree, index);
  return { at: /^-?\d{1,9}$/.test(place) ? Number(place) : undefined };
}

/** The value that a name has: of the loop around it, else of the last statement before it that gives it one. */
function originOfName(code: Code, node: PyNode, follow: (one: PyNode | undefined) => Origin | undefined) {
  const given = code.bindings.get(sourceText(code.tree, node)) ?? [];
  const inside = given.filter(({ by }) => by.name !== "AssignStatement" && isWithin(node, by));
  const found = inside.at(-1) ?? given.filter(({ by }) => by.from < node.from && !isWithin(node, by)).at(-1);
  if (!found) return undefined;
  const from = follow(found.value);
  return from && found.isLoop ? { ...from, steps: [...from.steps, { at: undefined, isLoop: true as const }] } : from;
}

interface Binding {
  readonly by: PyNode;
  readonly value: PyNode | undefined;
  readonly isLoop: boolean;
}

/** How statements, loops and comprehensions give names their values. */
function bindingsIn(tree: PyTree): ReadonlyMap<string, readonly Binding[]> {
  const found = new Map<string, Binding[]>();
  const bind = (name: PyNode | undefined, binding: Binding): void => {
    if (name?.name === "VariableName") appendTo(found, sourceText(tree, name), binding);
  };
  for (const node of tree.nodes) {
    const children = childrenOf(node);
    const isAssigned = node.name === "AssignStatement" || node.name === "NamedExpression";
    if (isAssigned && children.at(-2)?.name === "AssignOp")
      bind(children[0], { by: node, value: children.at(-1), isLoop: false });
    children.forEach(({ name }, at) => {
      if (name === "for" && children[at + 2]?.name === "in")
        bind(children[at + 1], { by: node, value: children[at + 3], isLoop: true });
    });
  }
  return found;
}

/** A value that an access reads, and the dict whose keys a loop gave in its place. */
interface Found {
  readonly value: Data;
  readonly steps: readonly Step[];
  readonly looped?: { readonly dict: Data; readonly steps: readonly Step[] };
}

/** Most accesses of a line, answers of an op and values of a list that are looked at. */
const MAX_LOOKED = 20;

/** The values that a step leads to. */
function stepped({ value, steps }: Found, step: Step): readonly Found[] {
  const next = [...steps, step];
  const to = (one: Data | undefined): readonly Found[] => (one === undefined ? [] : [{ value: one, steps: next }]);
  if ("key" in step) return to(dictMembers(value).find(([key]) => key === step.key)?.[1]);
  if (isValueList(value)) return step.at === undefined ? value.slice(0, MAX_LOOKED).flatMap(to) : to(value.at(step.at));
  if (!step.isLoop || !isDict(value)) return [];
  return dictMembers(value).map(([key]) => ({ value: key, steps: next, looped: { dict: value, steps } }));
}

const hasKey = (dict: Data, key: string | undefined): boolean => dictMembers(dict).some(([name]) => name === key);

const isDict = (value: Data): boolean =>
  typeof value === "object" && value !== null && "$" in value && value.$ === "dict";

/** What code asks a value for: a key, a place in a list, or a member with a dot. */
interface Access {
  readonly origin: Origin;
  /** The text of the value. */
  readonly text: string;
  readonly key?: string | undefined;
  readonly at?: number | undefined;
  readonly member?: string | undefined;
}

function accessesOn(code: Code, line: number): readonly Access[] {
  return code.tree.nodes.flatMap((node) => {
    if (node.name !== "MemberExpression" || lineAt(code.starts, node.from) !== line) return [];
    const [object] = node.children;
    const origin = originOf(code, object);
    return origin && object ? [{ origin, text: sourceText(code.tree, object), ...askedBy(code, node) }] : [];
  });
}

function askedBy(code: Code, node: PyNode): Pick<Access, "key" | "at" | "member"> {
  const index = indexOf(code, node);
  if (index === "slice") return {};
  if (index) return "key" in index ? { key: index.key } : { at: index.at };
  const property = childrenOf(node)[2];
  return { member: property && sourceText(code.tree, property) };
}

/** Longest text of an expression that is repeated. */
const MAX_TEXT_LENGTH = 60;

function useOf(code: Code, failed: FailedRun, calls: readonly AnsweredCall[], keysOf: KnownKeys): string | undefined {
  const { line } = failed;
  if (line === undefined || !FAILS.has(failed.name)) return undefined;
  for (const access of accessesOn(code, line).slice(0, MAX_LOOKED)) {
    const { op, steps } = access.origin;
    const answers = calls.flatMap((one) => (one.op === op && one.answer && "value" in one.answer ? [one.answer] : []));
    for (const { value } of answers.slice(-MAX_LOOKED).reverse()) {
      const start: readonly Found[] = [{ value, steps: [] }];
      const found = steps
        .reduce((all, step) => all.slice(0, MAX_LOOKED).flatMap((one) => stepped(one, step)), start)
        .find((one) => fails(one, access, failed));
      // A key that has the name of a method is meant, though it is read as the method.
      const meant = isUncalled(failed) ? { ...access, key: access.member, member: undefined } : access;
      if (found) return sayingOf(found, meant, { op, known: keysOf(op) });
    }
  }
  return undefined;
}

const FAILS: ReadonlySet<string> = new Set(["KeyError", "IndexError", "TypeError", "AttributeError"]);

/** Whether reading the value so raises the exception. */
function fails({ value, looped }: Found, { key, at, member }: Access, failed: FailedRun): boolean {
  const { name, message } = failed;
  if (isUncalled(failed)) return hasKey(value, member);
  if (name === "AttributeError") return member !== undefined && message.endsWith(`has no attribute '${member}'`);
  if (member !== undefined) return false;
  if (name === "KeyError") {
    const asked = key ?? (at === undefined ? stringValue(message) : undefined);
    return isDict(value) && !hasKey(value, asked);
  }
  if (name === "IndexError") return isValueList(value) && (at === undefined || value.at(at) === undefined);
  return looped !== undefined ? key !== undefined : value === null || (isValueList(value) && key !== undefined);
}

interface Told {
  readonly op: string;
  readonly known: ReadonlySet<string> | undefined;
}

/** What is said of a value that was read as something else, with what to write if that is clear. */
function sayingOf({ value, steps, looped }: Found, access: Access, told: Told): string | undefined {
  const read = looped ?? { dict: value, steps };
  const place = placeText(told.op, read.steps);
  const isWhole = read.steps.length === 0;
  if (value === null) return `${place} is None here`;
  if (isValueList(value)) return `${place} ${isWhole ? "answered" : "is"} a list of ${itemsText(value.length)}`;
  const keys = namedKeys(read.dict, told.known);
  // Of a key that is read with a dot, the next step says enough.
  if (keys.length === 0 || keys.includes(access.member ?? "")) return undefined;
  const more = keys.length > MAX_KEYS ? `, and ${keys.length - MAX_KEYS} more` : "";
  const saying = `${place} ${isWhole ? "answered" : "has"} the keys ${keys.slice(0, MAX_KEYS).join(", ")}${more}`;
  const meant = meantKey(read.dict, keys, looped ? undefined : (access.key ?? access.member));
  if (meant === undefined) return saying;
  if (looped) return `${saying}. A loop over it gives these keys: the items are in ${place}["${meant}"]`;
  return `${saying}. Write ${accessText(access, read.dict, meant)}`;
}

const itemsText = (count: number): string => `${count} ${count === 1 ? "item" : "items"}`;

/** What to write for an access: a place is one in the list under the key. A long expression is not repeated. */
function accessText({ text, at }: Access, dict: Data, key: string): string {
  const isRepeated = text.length <= MAX_TEXT_LENGTH && !text.includes("\n");
  const value = at === undefined ? undefined : dictMembers(dict).find(([name]) => name === key)?.[1];
  return `${isRepeated ? text : ""}["${key}"]${isValueList(value) ? `[${at}]` : ""}`;
}

/** A part of an answer as code: `onto.task.list()["items"][0]`. */
const placeText = (op: string, steps: readonly Step[]): string =>
  `${op}()${steps.map((step) => ("key" in step ? `["${step.key}"]` : `[${step.at ?? 0}]`)).join("")}`;

/** Most keys that a text names, and their form. */
const MAX_KEYS = 12;
const KEY = /^[A-Za-z_][\w-]{0,39}$/;

const namedKeys = (dict: Data, known: ReadonlySet<string> | undefined): readonly string[] =>
  dictMembers(dict).flatMap(([key]) => (KEY.test(key) && (known?.has(key) ?? true) ? [key] : []));

/** Keys under which answers have their list, whatever is in it. */
const LISTS: ReadonlySet<string> = new Set("items results data rows records entries values list".split(" "));

/** The key that was meant: one that the asked name is a form of, or the only list, if a list is asked for by another name. */
function meantKey(dict: Data, keys: readonly string[], asked: string | undefined): string | undefined {
  const near = asked === undefined ? undefined : likeKey(asked, keys);
  if (near !== undefined) return near;
  const lists = dictMembers(dict).flatMap(([key, value]) => (isValueList(value) && keys.includes(key) ? [key] : []));
  const [list] = lists.length === 1 ? lists : [];
  return asked === undefined || (list !== undefined && LISTS.has(list) && isListName(asked)) ? list : undefined;
}

/** The key that has the same words as the asked name, or differs from it by a typing error. */
function likeKey(asked: string, keys: readonly string[]): string | undefined {
  const form = (name: string): string => wordsIn(name).map(withoutPlural).join("");
  return keys.find((key) => key === asked) ?? keys.find((key) => form(key) === form(asked)) ?? mistyped(asked, keys);
}

/** Whether a name is one of a list: `results`, or a plural such as `tasks`. */
const isListName = (name: string): boolean => LISTS.has(name) || withoutPlural(name) !== name;
