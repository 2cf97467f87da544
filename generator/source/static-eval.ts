/**
 * Evaluates TypeScript without running it: literals, `const` references across files, spreads, `as`/`satisfies`, string `+`,
 * member access and `[..].join()`. Anything else is `unsupported-expression` at its file, line and column.
 */

import { ts } from "@ts-morph/common";
import type { Place, Report } from "../core/diagnostic.js";
import { staticMembers } from "./bound-names.js";
import { nodePlace, withoutAssertions } from "./parsed-file.js";
import {
  type BoundDeclaration,
  type ImportBinding,
  type Module,
  type Modules,
  parsedModules,
  WHOLE_MODULE,
} from "./static-modules.js";

/** Marks a value that could not be read; the reason has been reported. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/** Values of exported consts of static modules, with the place of every object and array in them. */
export interface StaticModules {
  readonly modules: Modules;
  /** Value of an export: plain data, or {@link UNREADABLE}. */
  valueOf(file: string, name: string): unknown;
  /** The same, and of a function what it returns. */
  resultOf(file: string, name: string): unknown;
  /** Place of an object or array from {@link valueOf}, or of one of its members. */
  placeOf(value: object, member?: string): Place | undefined;
  /** Place of the declaration of an export. */
  declaredAt(file: string, name: string): Place;
}

interface Spot {
  readonly node: ts.Node;
  readonly source: ts.SourceFile;
}

interface State {
  readonly report: Report;
  readonly modules: Modules;
  readonly values: Map<string, unknown>;
  readonly places: WeakMap<object, Place>;
  /** Where the members of an object or array are written. */
  readonly members: WeakMap<object, ReadonlyMap<string, Spot>>;
  readonly open: Set<string>;
  /** Functions whose result is being read. */
  readonly calls: Set<ts.Node>;
  /** What to do where code cannot be read, behind what can. */
  readonly remedy: (() => string) | undefined;
}

/** Opens static modules; `read` takes paths relative to the root. `remedy` ends the diagnostics of code that cannot be read. */
export function staticModules(
  read: (file: string) => string | undefined,
  report: Report,
  remedy?: () => string,
): StaticModules {
  const state: State = {
    report,
    modules: parsedModules(read, report),
    values: new Map(),
    places: new WeakMap(),
    members: new WeakMap(),
    open: new Set(),
    calls: new Set(),
    remedy,
  };
  return {
    modules: state.modules,
    valueOf: (file, name) => exported(state, file, name),
    placeOf: (value, member) => {
      if (member === undefined) return state.places.get(value);
      const spot = state.members.get(value)?.get(member);
      return spot && nodePlace(spot.source, spot.node);
    },
    declaredAt: (file, name) => {
      const declared = state.modules.declarationOf(file, name);
      return declared ? nodePlace(declared.module.source, declared.node) : { file, line: 1, column: 1 };
    },
    resultOf: (file, name) => {
      const found = state.modules.initializerOf(file, name);
      if (!found || !ts.isFunctionLike(found.node)) return exported(state, file, name);
      return readReturned(state, found.node, found.module, name);
    },
  };
}

function exported(state: State, file: string, name: string, via: readonly string[] = []): unknown {
  const { modules } = state;
  const module = modules.moduleOf(file);
  const binding = modules.bindingOf(file, name);
  if (!module || !binding || !modules.moduleOf(binding.file, binding.from)) return UNREADABLE;
  const here = `${file}#${name}`;
  if (via.includes(here)) return unsupported(state, module.source, module, `${name}, which is exported in a circle,`);
  const next = [...via, here];
  return binding.file === file
    ? local(state, file, binding.name, next)
    : exported(state, binding.file, binding.name, next);
}

/** Value of a const or an import of a file; {@link UNREADABLE} without such a binding. */
function local(state: State, file: string, name: string, via: readonly string[] = []): unknown {
  const module = state.modules.moduleOf(file);
  const imported = module?.imports.get(name);
  if (imported) return exported(state, imported.file, imported.name, via);
  const node = module?.consts.get(name);
  if (!module || !node) return UNREADABLE;
  const key = `${file}#${name}`;
  if (state.values.has(key)) return state.values.get(key);
  if (state.open.has(key)) return unsupported(state, node, module, `${name} refers to itself and`);
  const [change] = module.changes.get(name) ?? [];
  if (change) {
    const value = unsupported(state, change.node, module, `a change of ${name} by \`${change.by}\``);
    state.values.set(key, value);
    return value;
  }
  state.open.add(key);
  const value = valueOfBound(state, node, module, name);
  state.open.delete(key);
  state.values.set(key, value);
  return value;
}

/** The value that a name stands for. */
function valueOfBound(state: State, node: BoundDeclaration, module: Module, name: string): unknown {
  if (ts.isExpression(node)) return evaluate(state, node, module);
  const members = staticMembers(node);
  if (members) return evaluate(state, members, module);
  return unsupported(state, node, module, `the ${ts.isClassDeclaration(node) ? "class" : "function"} ${name}`);
}

function unsupported(state: State, node: ts.Node, module: Module, what: string): typeof UNREADABLE {
  state.report.add("unsupported-expression", nodePlace(module.source, node), { what, remedy: state.remedy?.() });
  return UNREADABLE;
}

type Evaluate = (state: State, node: never, module: Module) => unknown;

const inner: Evaluate = (state, node: { readonly expression: ts.Expression } & ts.Node, module) =>
  evaluate(state, node.expression, module);
const textOf: Evaluate = (_state, node: ts.LiteralLikeNode) => node.text;

/** The reader of each supported kind of expression. */
const READERS: ReadonlyMap<ts.SyntaxKind, Evaluate> = new Map<ts.SyntaxKind, Evaluate>([
  [ts.SyntaxKind.StringLiteral, textOf],
  [ts.SyntaxKind.NoSubstitutionTemplateLiteral, textOf],
  [ts.SyntaxKind.NumericLiteral, (_state, node: ts.NumericLiteral) => Number(node.text)],
  [ts.SyntaxKind.TrueKeyword, () => true],
  [ts.SyntaxKind.FalseKeyword, () => false],
  [ts.SyntaxKind.NullKeyword, () => null],
  [ts.SyntaxKind.ParenthesizedExpression, inner],
  [ts.SyntaxKind.AsExpression, inner],
  [ts.SyntaxKind.SatisfiesExpression, inner],
  [ts.SyntaxKind.TypeAssertionExpression, inner],
  [ts.SyntaxKind.NonNullExpression, inner],
  [ts.SyntaxKind.TemplateExpression, readTemplate],
  [ts.SyntaxKind.PrefixUnaryExpression, readSign],
  [ts.SyntaxKind.BinaryExpression, readSum],
  [ts.SyntaxKind.ArrayLiteralExpression, readArray],
  [ts.SyntaxKind.ObjectLiteralExpression, readObject],
  [ts.SyntaxKind.Identifier, readIdentifier],
  [ts.SyntaxKind.PropertyAccessExpression, readMember],
  [ts.SyntaxKind.ElementAccessExpression, readMember],
  [ts.SyntaxKind.CallExpression, readCall],
]);

function evaluate(state: State, node: ts.Expression, module: Module): unknown {
  const reader = READERS.get(node.kind);
  if (!reader) return unsupported(state, node, module, describe(node));
  const value = reader(state, node as never, module);
  if (typeof value === "object" && value !== null && !state.places.has(value))
    state.places.set(value, nodePlace(module.source, node));
  return value;
}

const describe = (node: ts.Node): string =>
  `${/^[aeiou]/i.test(ts.SyntaxKind[node.kind]) ? "an" : "a"} ${ts.SyntaxKind[node.kind].replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()}`;

function readTemplate(state: State, node: ts.TemplateExpression, module: Module): unknown {
  let text = node.head.text;
  for (const span of node.templateSpans) {
    const value = evaluate(state, span.expression, module);
    if (value === UNREADABLE) return UNREADABLE;
    if (typeof value !== "string" && typeof value !== "number")
      return unsupported(state, span.expression, module, "a template part that is neither text nor number");
    text += `${value}${span.literal.text}`;
  }
  return text;
}

function readSign(state: State, node: ts.PrefixUnaryExpression, module: Module): unknown {
  const value = evaluate(state, node.operand, module);
  if (value === UNREADABLE) return UNREADABLE;
  if (typeof value === "number" && node.operator === ts.SyntaxKind.MinusToken) return -value;
  if (typeof value === "number" && node.operator === ts.SyntaxKind.PlusToken) return value;
  return unsupported(state, node, module, "this prefix operator");
}

function readSum(state: State, node: ts.BinaryExpression, module: Module): unknown {
  if (node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return unsupported(state, node, module, "this operator");
  const left = evaluate(state, node.left, module);
  const right = evaluate(state, node.right, module);
  if (left === UNREADABLE || right === UNREADABLE) return UNREADABLE;
  if (typeof left === "string" && (typeof right === "string" || typeof right === "number")) return `${left}${right}`;
  if (typeof left === "number" && typeof right === "string") return `${left}${right}`;
  if (typeof left === "number" && typeof right === "number") return left + right;
  return unsupported(state, node, module, "a + of anything but texts and numbers");
}

function readArray(state: State, node: ts.ArrayLiteralExpression, module: Module): unknown {
  const entries = node.elements.flatMap((element): readonly Entry[] => {
    const spot = { node: element, source: module.source };
    if (!ts.isSpreadElement(element)) return [["", readItem(state, element, module), spot]];
    const spread = evaluate(state, element.expression, module);
    if (Array.isArray(spread)) return entriesOf(state, spread, spot);
    if (spread === UNREADABLE) return [["", UNREADABLE, spot]];
    return [["", unsupported(state, element, module, "a spread of something that is no array"), spot]];
  });
  const items = entries.map(([, value]) => value);
  if (items.includes(UNREADABLE)) return UNREADABLE;
  state.members.set(items, new Map(entries.map(([, , spot], index) => [String(index), spot])));
  return items;
}

function readItem(state: State, node: ts.Expression, module: Module): unknown {
  const value = evaluate(state, node, module);
  return value === undefined
    ? unsupported(state, node, module, "undefined in a list, for which JSON has no form,")
    : value;
}

function readObject(state: State, node: ts.ObjectLiteralExpression, module: Module): unknown {
  const members = new Map<string, unknown>();
  const spots = new Map<string, Spot>();
  let readable = true;
  for (const property of node.properties) {
    const found = readProperty(state, property, module);
    if (found === UNREADABLE) readable = false;
    else
      for (const [key, value, spot] of found) {
        members.set(key, value);
        spots.set(key, spot);
      }
  }
  if (!readable) return UNREADABLE;
  const value = Object.fromEntries([...members].filter(([, member]) => member !== undefined));
  state.members.set(value, spots);
  return value;
}

/** A member with the place that it is written at. */
type Entry = readonly [key: string, value: unknown, spot: Spot];
type Entries = readonly Entry[];

/** The members of a value that is spread; those without a place of their own have that of the spread. */
const entriesOf = ({ members }: State, value: object, spot: Spot): Entries =>
  Object.entries(value).map(([key, member]) => [key, member, members.get(value)?.get(key) ?? spot]);

function readProperty(state: State, node: ts.ObjectLiteralElementLike, module: Module): Entries | typeof UNREADABLE {
  const spot = { node, source: module.source };
  if (ts.isSpreadAssignment(node)) {
    const spread = evaluate(state, node.expression, module);
    if (spread === UNREADABLE) return UNREADABLE;
    if (typeof spread === "object" && spread !== null && !Array.isArray(spread)) return entriesOf(state, spread, spot);
    return unsupported(state, node, module, "a spread of something that is no object");
  }
  if (ts.isShorthandPropertyAssignment(node))
    return entry(node.name.text, readIdentifier(state, node.name, module), spot);
  if (!ts.isPropertyAssignment(node)) return unsupported(state, node, module, "a method or accessor");
  const key = readKey(state, node.name, module);
  if (key === UNREADABLE) return UNREADABLE;
  return entry(key, evaluate(state, node.initializer, module), spot);
}

const entry = (key: string, value: unknown, spot: Spot): Entries | typeof UNREADABLE =>
  value === UNREADABLE ? UNREADABLE : [[key, value, spot]];

function readKey(state: State, name: ts.PropertyName, module: Module): string | typeof UNREADABLE {
  if (ts.isComputedPropertyName(name)) {
    const key = evaluate(state, name.expression, module);
    if (typeof key === "string" || typeof key === "number") return String(key);
    return key === UNREADABLE ? UNREADABLE : unsupported(state, name, module, "this computed property name");
  }
  if ("text" in name && name.text !== "__proto__") return name.text;
  return unsupported(state, name, module, "a property that sets the prototype");
}

function readIdentifier(state: State, node: ts.Identifier, module: Module): unknown {
  if (node.text === "undefined") return undefined;
  const known = module.consts.has(node.text) || module.imports.has(node.text);
  if (!known)
    return unsupported(state, node, module, `${node.text}, which is no const of this file or of one it imports,`);
  const imported = module.imports.get(node.text);
  return imported ? readImported(state, node, module, imported) : local(state, module.source.fileName, node.text);
}

/** The value of an export of another file. */
function readImported(state: State, node: ts.Expression, module: Module, { file, name, from }: ImportBinding): unknown {
  if (!state.modules.moduleOf(file, from)) return UNREADABLE;
  if (state.modules.bindingOf(file, name)) return exported(state, file, name);
  return unsupported(state, node, module, `${node.getText(module.source)}, which ${file} does not export as a const,`);
}

function readMember(
  state: State,
  node: ts.PropertyAccessExpression | ts.ElementAccessExpression,
  module: Module,
): unknown {
  const imported = ts.isIdentifier(node.expression) ? module.imports.get(node.expression.text) : undefined;
  if (imported?.name === WHOLE_MODULE && ts.isPropertyAccessExpression(node))
    return readImported(state, node, module, { ...imported, name: node.name.text });
  const object = evaluate(state, node.expression, module);
  const key = ts.isPropertyAccessExpression(node) ? node.name.text : evaluate(state, node.argumentExpression, module);
  if (object === UNREADABLE || key === UNREADABLE) return UNREADABLE;
  const readable =
    typeof object === "object" && object !== null && (typeof key === "string" || typeof key === "number");
  if (readable && Object.hasOwn(object, key)) return (object as Record<string | number, unknown>)[key];
  return unsupported(state, node, module, "a member that is not there");
}

function readCall(state: State, node: ts.CallExpression, module: Module): unknown {
  const { expression: callee, arguments: given } = node;
  const [first] = given;
  const freezes =
    ts.isPropertyAccessExpression(callee) && /^Object\.(?:freeze|seal)$/.test(callee.getText(module.source));
  if (freezes && first) return evaluate(state, first, module);
  if (ts.isIdentifier(callee)) return readCallOf(state, node, callee, module);
  if (ts.isPropertyAccessExpression(callee) && callee.name.text === "join" && given.length < 2)
    return readJoin(state, node, callee, module);
  const zod = /^z\b/.test(callee.getText(module.source));
  return unsupported(state, node, module, zod ? "a zod schema" : "a call");
}

/** The value of a call of a function of the project that takes nothing, or that returns what it takes. */
function readCallOf(state: State, node: ts.CallExpression, callee: ts.Identifier, module: Module): unknown {
  const bound = state.modules.boundTo(module.source.fileName, callee.text);
  const [argument, ...more] = node.arguments;
  const made = bound && ts.isFunctionLike(bound.node) ? bound.node : undefined;
  if (made && bound && !argument) return readReturned(state, made, bound.module, callee.text);
  const returned = made && returnedBy(made);
  const [parameter, ...others] = made?.parameters ?? [];
  const isIdentity =
    returned &&
    parameter &&
    ts.isIdentifier(parameter.name) &&
    withoutAssertions(returned).getText(bound?.module.source) === parameter.name.text;
  if (isIdentity && argument && more.length === 0 && others.length === 0) return evaluate(state, argument, module);
  return unsupported(state, node, module, `a call of ${callee.text}`);
}

/** What a function without parameters returns. */
function readReturned(state: State, node: ts.SignatureDeclaration, module: Module, name: string): unknown {
  const returned = node.parameters.length === 0 ? returnedBy(node) : undefined;
  if (!returned) return unsupported(state, node, module, `what the function ${name} returns`);
  if (state.calls.has(node)) return unsupported(state, node, module, `${name}, which calls itself,`);
  state.calls.add(node);
  const value = evaluate(state, returned, module);
  state.calls.delete(node);
  return value;
}

/** The expression that is all that a function does. */
function returnedBy(node: ts.SignatureDeclaration): ts.Expression | undefined {
  const body = "body" in node ? (node.body as ts.ConciseBody | undefined) : undefined;
  if (!body || !ts.isBlock(body)) return body;
  const [only, more] = body.statements;
  return only && !more && ts.isReturnStatement(only) ? only.expression : undefined;
}

function readJoin(state: State, node: ts.CallExpression, callee: ts.PropertyAccessExpression, module: Module): unknown {
  const [given] = node.arguments;
  const items = evaluate(state, callee.expression, module);
  const separator = given ? evaluate(state, given, module) : ",";
  if (items === UNREADABLE || separator === UNREADABLE) return UNREADABLE;
  const joinable = Array.isArray(items) && items.every((one) => typeof one === "string" || typeof one === "number");
  if (joinable && typeof separator === "string") return items.join(separator);
  return unsupported(state, node, module, "a join of anything but texts");
}
