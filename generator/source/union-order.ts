/** Orders the members of a union as written: the type checker orders them by first use, which other files may change. */

import { ts } from "@ts-morph/common";
import { byCodeUnit } from "../../runtime/contract/canonical.js";

/** Members of a union in the order of its text; members that the text does not name come last, by name. */
export function unionOrder(
  type: ts.UnionType,
  node: ts.TypeNode | undefined,
  checker: ts.TypeChecker,
): readonly ts.Type[] {
  const ranks = new Map<ts.Type, number>();
  rank(node, checker, ranks, new Set());
  for (const declaration of type.aliasSymbol?.declarations ?? [])
    if (ts.isTypeAliasDeclaration(declaration)) rank(declaration.type, checker, ranks, new Set());
  const positionOf = (one: ts.Type): number => ranks.get(one) ?? enumPosition(one);
  return [...type.types].sort((a, b) => {
    const [left, right] = [positionOf(a), positionOf(b)];
    return left === right ? byCodeUnit(checker.typeToString(a), checker.typeToString(b)) : left - right;
  });
}

function rank(
  node: ts.TypeNode | undefined,
  checker: ts.TypeChecker,
  ranks: Map<ts.Type, number>,
  seen: Set<ts.Node>,
): void {
  if (!node || seen.has(node)) return;
  seen.add(node);
  if (ts.isParenthesizedTypeNode(node)) {
    rank(node.type, checker, ranks, seen);
    return;
  }
  if (ts.isUnionTypeNode(node)) {
    for (const member of node.types) rank(member, checker, ranks, seen);
    return;
  }
  const type = checker.getTypeFromTypeNode(node);
  if (!type.isUnion()) {
    if (!ranks.has(type)) ranks.set(type, ranks.size);
    return;
  }
  for (const declaration of aliasOf(node, checker)?.declarations ?? [])
    if (ts.isTypeAliasDeclaration(declaration)) rank(declaration.type, checker, ranks, seen);
}

function aliasOf(node: ts.TypeNode, checker: ts.TypeChecker): ts.Symbol | undefined {
  const symbol = ts.isTypeReferenceNode(node) ? checker.getSymbolAtLocation(node.typeName) : undefined;
  return symbol && (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Position of an enum member in its declaration, after all members with a rank. */
function enumPosition(type: ts.Type): number {
  const declaration = type.symbol?.valueDeclaration;
  return declaration && ts.isEnumMember(declaration) ? 1e6 + declaration.pos : 1e12;
}
