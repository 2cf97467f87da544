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
  const { SyntaxKind } = ts;
  const text = file.text;
  const changes: TextChange[] = [];
  const modifiers = new Set<Compiler.SyntaxKind>(TYPE_MODIFIERS.map((name) => SyntaxKind[name]));
  const blank = (start: number, end: number, put?: string): void => {
    if (end > start) changes.push({ start, end, ...(put === undefined ? {} : { text: put }) });
  };
  const startOf = (node: Compiler.Node): number => node.getStart(file);
  const no = (node: Compiler.Node, what: string, instead: string): void =>
    refuse({ start: startOf(node), what, instead });
  const tokenOf = (node: Compiler.Node, kind: Compiler.SyntaxKind): Compiler.Node | undefined =>
    node.getChildren(file).find((one) => one.kind === kind);
  /** A whole statement or member: a semicolon ends what stands before it. */
  const removeWhole = (node: Compiler.Node): void => {
    const start = startOf(node);
    blank(start, start + 1, ";");
    blank(start + 1, node.end);
  };
  /** `<T>` of a declaration or a call. */
  const removeAngles = (node: Compiler.Node, list: Compiler.NodeArray<Compiler.Node> | undefined): void => {
    if (!list) return;
    const close = node.getChildren(file).find((one) => one.kind === SyntaxKind.GreaterThanToken && one.pos >= list.end);
    const end = close?.end ?? list.end;
    if (text.slice(list.pos - 1, end).includes("\n") && ts.isArrowFunction(node))
      no(node, "type parameters over several lines", "write them on one line");
    blank(list.pos - 1, end);
  };
  /** `?`, `!` and `: T` behind a name. */
  const removeAnnotation = (node: {
    readonly name: Compiler.Node;
    readonly questionToken?: Compiler.Node | undefined;
    readonly exclamationToken?: Compiler.Node | undefined;
    readonly type?: Compiler.Node | undefined;
  }): void => {
    const end = node.type?.end ?? node.questionToken?.end ?? node.exclamationToken?.end;
    if (end !== undefined) blank(node.name.end, end);
  };
  const removeModifiers = (node: Compiler.Node): void => {
    const first = startOf(node);
    for (const one of modifiersOf(ts, node)) {
      const start = startOf(one);
      // What stands before a member might go on with its name.
      const put = start === first && ts.isClassElement(node) ? ";" : undefined;
      if (!modifiers.has(one.kind)) continue;
      if (put) blank(start, start + 1, put);
      blank(put ? start + 1 : start, one.end);
    }
  };
  const isDeclared = (node: Compiler.Node): boolean =>
    modifiersOf(ts, node).some(({ kind }) => kind === SyntaxKind.DeclareKeyword || kind === SyntaxKind.AbstractKeyword);
  /** What ends a statement without a semicolon needs one if another follows, which would go on with the value. */
  const endsStatement = (node: Compiler.Node): boolean => {
    let at: Compiler.Node | undefined = node.parent;
    for (; at && at.end === node.end; at = at.parent)
      if (ts.isStatement(at) || ts.isPropertyDeclaration(at)) return text[at.end - 1] !== ";" && !isLast(at);
    return false;
  };
  const isLast = ({ parent, end }: Compiler.Node): boolean =>
    (ts.isBlock(parent) || ts.isSourceFile(parent)) && parent.statements.at(-1)?.end === end;
  const removeReturnType = (node: Compiler.SignatureDeclaration): void => {
    if (!node.type) return;
    const close = tokenOf(node, SyntaxKind.CloseParenToken);
    const start = close ? close.end : node.parameters.end;
    const arrow = ts.isArrowFunction(node) ? node.equalsGreaterThanToken : undefined;
    if (close && arrow && text.slice(close.end, startOf(arrow)).includes("\n")) {
      // No line may end between the parameters and the arrow.
      blank(close.end - 1, node.type.end - 1);
      blank(node.type.end - 1, node.type.end, ")");
    } else blank(start, node.type.end);
  };
  const visitFunction = (node: Compiler.SignatureDeclaration): void => {
    removeAngles(node, node.typeParameters);
    removeReturnType(node);
    const [first, second] = node.parameters;
    if (first && ts.isIdentifier(first.name) && first.name.text === "this")
      blank(startOf(first), second ? startOf(second) : first.end);
  };
  const visitParameter = (node: Compiler.ParameterDeclaration): void => {
    if (modifiersOf(ts, node).length > 0) no(node, "a parameter property", "assign the value in the constructor");
    if (ts.isIdentifier(node.name) && node.name.text === "this") return;
    removeAnnotation(node);
  };
  const visitClass = (node: Compiler.ClassLikeDeclaration): void => {
    removeAngles(node, node.typeParameters);
    for (const clause of node.heritageClauses ?? [])
      if (clause.token === SyntaxKind.ImplementsKeyword) blank(startOf(clause), clause.end);
  };
  const onlyTypes = (node: Compiler.Node): boolean =>
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isIndexSignatureDeclaration(node) ||
    (ts.isStatement(node) && isDeclared(node) && !ts.isClassDeclaration(node)) ||
    (ts.isClassDeclaration(node) && text.slice(startOf(node), node.end).startsWith("declare")) ||
    (ts.isClassElement(node) && ts.isPropertyDeclaration(node) && isDeclared(node)) ||
    ((ts.isFunctionDeclaration(node) ||
      ts.isMethodDeclaration(node) ||
      ts.isConstructorDeclaration(node) ||
      ts.isAccessor(node)) &&
      node.body === undefined);
  const removeCast = (node: Compiler.AsExpression | Compiler.SatisfiesExpression): void => {
    const { end } = node.expression;
    const isEnd = endsStatement(node);
    if (isEnd) blank(end, end + 1, ";");
    blank(isEnd ? end + 1 : end, node.end);
  };
  const removeArguments = (node: { readonly typeArguments?: Compiler.NodeArray<Compiler.TypeNode> } & Compiler.Node) =>
    removeAngles(node, node.typeArguments);
  const rules = [
    rule(ts.isEnumDeclaration, (node) => no(node, "an enum", 'use an object: const Name = { A: "a" }')),
    rule(ts.isModuleDeclaration, (node) => no(node, "a namespace", "use an object")),
    rule(ts.isDecorator, (node) => no(node, "a decorator", "call the function yourself")),
    rule(ts.isTypeAssertionExpression, (node) => no(node, "<T>value", "write value as T")),
    rule(ts.isFunctionLike, visitFunction),
    rule(ts.isClassLike, visitClass),
    rule(ts.isClassLike, removeModifiers),
    rule(ts.isClassElement, removeModifiers),
    rule(ts.isParameter, visitParameter),
    rule(ts.isVariableDeclaration, removeAnnotation),
    rule(ts.isPropertyDeclaration, removeAnnotation),
    rule(ts.isMethodDeclaration, ({ name, questionToken }) => blank(name.end, questionToken?.end ?? name.end)),
    rule(ts.isAsExpression, removeCast),
    rule(ts.isSatisfiesExpression, removeCast),
    rule(ts.isNonNullExpression, (node) => blank(node.expression.end, node.end)),
    rule(ts.isCallExpression, removeArguments),
    rule(ts.isNewExpression, removeArguments),
    rule(ts.isTaggedTemplateExpression, removeArguments),
    rule(ts.isExpressionWithTypeArguments, removeArguments),
  ];
  const visit = (node: Compiler.Node): void => {
    if (onlyTypes(node)) {
      removeWhole(node);
      return;
    }
    for (const apply of rules) apply(node);
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) || ts.isExpressionWithTypeArguments(child)) visit(child);
    });
  };
  ts.forEachChild(file, visit);
  return changes;
}

/** What is done with nodes of one kind. */
const rule =
  <N extends Compiler.Node>(is: (node: Compiler.Node) => node is N, then: (node: N) => void) =>
  (node: Compiler.Node): void => {
    if (is(node)) then(node);
  };

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
