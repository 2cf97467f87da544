/**
 * Removes types from a program. What is removed becomes blanks, so that each line and column stays where it was; where a statement
 * could then run on into the next, a semicolon stands in place of the first blank.
 */

import type { ts as Compiler } from "@ts-morph/common";

/** A change of the text: its range, and what stands there; without a text, blanks. */
export interface TextChange {
  readonly start: number;
  readonly end: number;
  readonly text?: string;
}

/** A part of the code that has no meaning without types, or that no engine here knows. */
export interface Refused {
  readonly start: number;
  readonly what: string;
  readonly instead: string;
}

/** Removed modifiers of classes and their members. */
const TYPE_MODIFIERS = [
  "AbstractKeyword",
  "DeclareKeyword",
  "OverrideKeyword",
  "PrivateKeyword",
  "ProtectedKeyword",
  "PublicKeyword",
  "ReadonlyKeyword",
] as const;

/** A tree whose types are removed, and what that makes of it. */
interface Stripped {
  readonly ts: typeof Compiler;
  readonly file: Compiler.SourceFile;
  readonly text: string;
  readonly changes: TextChange[];
  readonly refuse: (refused: Refused) => void;
}

/**
 * The changes that remove the types of a tree.
 *
 * @param ts - the compiler that made the tree
 * @param refuse - takes what cannot be removed, such as an enum
 */
export function typeChanges(
  ts: typeof Compiler,
  file: Compiler.SourceFile,
  refuse: (refused: Refused) => void,
): readonly TextChange[] {
  const tree: Stripped = { ts, file, text: file.text, changes: [], refuse };
  const rules = rulesOf(tree);
  const visit = (node: Compiler.Node): void => {
    if (isOnlyType(tree, node)) {
      removeWhole(tree, node);
      return;
    }
    for (const apply of rules) apply(node);
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) || ts.isExpressionWithTypeArguments(child)) visit(child);
    });
  };
  ts.forEachChild(file, visit);
  return tree.changes;
}

/** What is done with nodes, by their kinds. */
function rulesOf(tree: Stripped): readonly ((node: Compiler.Node) => void)[] {
  const { ts } = tree;
  const rule =
    <N extends Compiler.Node>(is: (node: Compiler.Node) => node is N, then: (tree: Stripped, node: N) => void) =>
    (node: Compiler.Node): void => {
      if (is(node)) then(tree, node);
    };
  const refused = (what: string, instead: string) => (_: Stripped, node: Compiler.Node) =>
    no(tree, node, what, instead);
  return [
    rule(ts.isEnumDeclaration, refused("an enum", 'use an object: const Name = { A: "a" }')),
    rule(ts.isModuleDeclaration, refused("a namespace", "use an object")),
    rule(ts.isDecorator, refused("a decorator", "call the function yourself")),
    rule(ts.isTypeAssertionExpression, refused("<T>value", "write value as T")),
    rule(ts.isFunctionLike, ofFunction),
    rule(ts.isClassLike, ofClass),
    rule(ts.isClassLike, removeModifiers),
    rule(ts.isClassElement, removeModifiers),
    rule(ts.isParameter, ofParameter),
    rule(ts.isVariableDeclaration, removeAnnotation),
    rule(ts.isPropertyDeclaration, removeAnnotation),
    rule(ts.isMethodDeclaration, (_, { name, questionToken }) => blank(tree, name.end, questionToken?.end ?? name.end)),
    rule(ts.isAsExpression, removeCast),
    rule(ts.isSatisfiesExpression, removeCast),
    rule(ts.isNonNullExpression, (_, node) => blank(tree, node.expression.end, node.end)),
    rule(ts.isCallExpression, removeArguments),
    rule(ts.isNewExpression, removeArguments),
    rule(ts.isTaggedTemplateExpression, removeArguments),
    rule(ts.isExpressionWithTypeArguments, removeArguments),
  ];
}

function blank({ changes }: Stripped, start: number, end: number, put?: string): void {
  if (end > start) changes.push({ start, end, ...(put === undefined ? {} : { text: put }) });
}

const startOf = ({ file }: Stripped, node: Compiler.Node): number => node.getStart(file);

const no = (tree: Stripped, node: Compiler.Node, what: string, instead: string): void =>
  tree.refuse({ start: startOf(tree, node), what, instead });

/** Whether a statement or a member is nothing without types. */
function isOnlyType({ ts, file, text }: Stripped, node: Compiler.Node): boolean {
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isIndexSignatureDeclaration(node))
    return true;
  // A class may have abstract members and a meaning all the same.
  if (ts.isClassDeclaration(node)) return text.slice(node.getStart(file), node.end).startsWith("declare");
  if ((ts.isStatement(node) || ts.isPropertyDeclaration(node)) && isDeclared(ts, node)) return true;
  const mayLackBody =
    ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isConstructorDeclaration(node);
  return (mayLackBody || ts.isAccessor(node)) && node.body === undefined;
}

const isDeclared = (ts: typeof Compiler, node: Compiler.Node): boolean =>
  modifiersOf(ts, node).some(
    ({ kind }) => kind === ts.SyntaxKind.DeclareKeyword || kind === ts.SyntaxKind.AbstractKeyword,
  );

/** Removes a whole statement or member: a semicolon ends what stands before it. */
function removeWhole(tree: Stripped, node: Compiler.Node): void {
  const start = startOf(tree, node);
  blank(tree, start, start + 1, ";");
  blank(tree, start + 1, node.end);
}

/** Removes `<T>` of a declaration or a call. */
function removeAngles(tree: Stripped, node: Compiler.Node, list: Compiler.NodeArray<Compiler.Node> | undefined): void {
  if (!list) return;
  const { ts, file, text } = tree;
  const isClose = (one: Compiler.Node): boolean => one.kind === ts.SyntaxKind.GreaterThanToken && one.pos >= list.end;
  const end = node.getChildren(file).find(isClose)?.end ?? list.end;
  if (text.slice(list.pos - 1, end).includes("\n") && ts.isArrowFunction(node))
    no(tree, node, "type parameters over several lines", "write them on one line");
  blank(tree, list.pos - 1, end);
}

const removeArguments = (
  tree: Stripped,
  node: { readonly typeArguments?: Compiler.NodeArray<Compiler.TypeNode> } & Compiler.Node,
): void => removeAngles(tree, node, node.typeArguments);

/** Removes `?`, `!` and `: T` behind a name. */
function removeAnnotation(
  tree: Stripped,
  node: {
    readonly name: Compiler.Node;
    readonly questionToken?: Compiler.Node | undefined;
    readonly exclamationToken?: Compiler.Node | undefined;
    readonly type?: Compiler.Node | undefined;
  },
): void {
  const end = node.type?.end ?? node.questionToken?.end ?? node.exclamationToken?.end;
  if (end !== undefined) blank(tree, node.name.end, end);
}

function removeModifiers(tree: Stripped, node: Compiler.Node): void {
  const { ts } = tree;
  const first = startOf(tree, node);
  for (const one of modifiersOf(ts, node)) {
    if (!TYPE_MODIFIERS.some((name) => ts.SyntaxKind[name] === one.kind)) continue;
    const start = startOf(tree, one);
    // What stands before a member might go on with its name.
    const isFirst = start === first && ts.isClassElement(node);
    if (isFirst) blank(tree, start, start + 1, ";");
    blank(tree, isFirst ? start + 1 : start, one.end);
  }
}

function removeReturnType(tree: Stripped, node: Compiler.SignatureDeclaration): void {
  if (!node.type) return;
  const { ts, file, text } = tree;
  const close = node.getChildren(file).find(({ kind }) => kind === ts.SyntaxKind.CloseParenToken);
  const start = close ? close.end : node.parameters.end;
  const arrow = ts.isArrowFunction(node) ? node.equalsGreaterThanToken : undefined;
  if (close && arrow && text.slice(close.end, startOf(tree, arrow)).includes("\n")) {
    // No line may end between the parameters and the arrow.
    blank(tree, close.end - 1, node.type.end - 1);
    blank(tree, node.type.end - 1, node.type.end, ")");
  } else blank(tree, start, node.type.end);
}

function ofFunction(tree: Stripped, node: Compiler.SignatureDeclaration): void {
  removeAngles(tree, node, node.typeParameters);
  removeReturnType(tree, node);
  const [first, second] = node.parameters;
  if (first && isThis(tree, first)) blank(tree, startOf(tree, first), second ? startOf(tree, second) : first.end);
}

function ofParameter(tree: Stripped, node: Compiler.ParameterDeclaration): void {
  if (modifiersOf(tree.ts, node).length > 0)
    no(tree, node, "a parameter property", "assign the value in the constructor");
  if (!isThis(tree, node)) removeAnnotation(tree, node);
}

const isThis = ({ ts }: Stripped, { name }: Compiler.ParameterDeclaration): boolean =>
  ts.isIdentifier(name) && name.text === "this";

function ofClass(tree: Stripped, node: Compiler.ClassLikeDeclaration): void {
  removeAngles(tree, node, node.typeParameters);
  for (const clause of node.heritageClauses ?? [])
    if (clause.token === tree.ts.SyntaxKind.ImplementsKeyword) blank(tree, startOf(tree, clause), clause.end);
}

function removeCast(tree: Stripped, node: Compiler.AsExpression | Compiler.SatisfiesExpression): void {
  const { end } = node.expression;
  const isEnd = endsStatement(tree, node);
  if (isEnd) blank(tree, end, end + 1, ";");
  blank(tree, isEnd ? end + 1 : end, node.end);
}

/** What ends a statement without a semicolon needs one if another follows, which would go on with the value. */
function endsStatement({ ts, text }: Stripped, node: Compiler.Node): boolean {
  const isLast = ({ parent, end }: Compiler.Node): boolean =>
    (ts.isBlock(parent) || ts.isSourceFile(parent)) && parent.statements.at(-1)?.end === end;
  for (let at = node.parent; at && at.end === node.end; at = at.parent)
    if (ts.isStatement(at) || ts.isPropertyDeclaration(at)) return text[at.end - 1] !== ";" && !isLast(at);
  return false;
}

const modifiersOf = (ts: typeof Compiler, node: Compiler.Node): readonly Compiler.Modifier[] =>
  ts.canHaveModifiers(node) ? (ts.getModifiers(node) ?? []) : [];

/** The text after its changes; inside a removed part, line breaks stay. */
export function changedText(text: string, changes: readonly TextChange[]): string {
  const sorted = [...changes].sort((one, other) => one.start - other.start || one.end - other.end);
  let made = "";
  let at = 0;
  for (const { start, end, text: put } of sorted) {
    if (start < at) continue;
    made += text.slice(at, start) + (put ?? text.slice(start, end).replace(/[^\r\n\u2028\u2029]/g, " "));
    at = end;
  }
  return made + text.slice(at);
}
