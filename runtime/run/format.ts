/** Builds the text of a result by `__format__`, as JSON, YAML or plain text, joined with the output of the code. Never fails. */

import type { Document, Pair, Scalar as ScalarNode, ScalarTag, ToStringOptions, YAMLMap, YAMLSeq } from "yaml";
import type { Data } from "./languages/language.js";
import { type Tree, treeJson } from "./value-tree.js";

/** The reply to code without a value and without output. */
const NO_VALUE = "OK: no return value";

type Writer = (tree: Tree) => string | Promise<string>;

const WRITERS: ReadonlyMap<string, Writer> = new Map<string, Writer>([
  ["json", (tree) => treeJson(tree)],
  ["json_h", (tree) => treeJson(tree, 2)],
  ["yml", (tree) => yamlOf(tree, "flow")],
  ["yml_h", (tree) => yamlOf(tree, "block")],
]);

/** The text of a value in the format that `__format__` asks for; a text is the same in every format. */
export async function formattedTree(tree: Tree, format: Data, isOt: boolean): Promise<string> {
  if (tree.kind === "text") return tree.text;
  if (format === null && isOt && tree.kind !== "literal") return yamlOf(tree, "ot");
  const write = typeof format === "string" ? WRITERS.get(format) : undefined;
  return write ? write(tree) : treeJson(tree);
}

/** A text without the newlines at its end. */
export function withoutNewlines(text: string): string {
  let end = text.length;
  while (text[end - 1] === "\n") end--;
  return text.slice(0, end);
}

/** The output without newlines at its end, then the text of the value on a line of its own. */
export function joinReply(printed: string, value: string | undefined): string {
  const output = withoutNewlines(printed);
  if (value === undefined) return output === "" ? NO_VALUE : output;
  return output === "" ? value : `${output}\n${value}`;
}

/** Layout of a tree. */
export type YamlStyle = "flow" | "block" | "ot";

/** Longest text that is parsed again to verify it. */
const MAX_VERIFIED_LENGTH = 1_000_000;

/** Levels of nesting on one line in the style of `ot`, and the width of a list of scalars on it. */
const FLOW_LEVELS = 2;
const FLOW_WIDTH = 120;

const LAYOUT: ToStringOptions = {
  lineWidth: 0,
  flowCollectionPadding: false,
  singleQuote: true,
  // No limit: a quoted text stays on its line.
  doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
};

type Yaml = typeof import("yaml");
type Node = ScalarNode | YAMLMap | YAMLSeq;

/**
 * YAML of a tree, without a newline at the end. If parsing it gives another value, the result is JSON, which is valid
 * YAML.
 */
export async function yamlOf(tree: Tree, style: YamlStyle): Promise<string> {
  const { default: yaml } = await import("yaml");
  try {
    const document: Document = new yaml.Document(null, { customTags: [literalTag], version: "1.2" });
    document.contents = nodeOf(yaml, tree, style, true) as unknown as typeof document.contents;
    const text = document.toString({ ...LAYOUT, indentSeq: style === "ot" }).replace(/\n$/, "");
    return text.length > MAX_VERIFIED_LENGTH || readsBack(yaml, text, tree) ? text : treeJson(tree);
  } catch {
    return treeJson(tree);
  }
}

/** Keeps numbers as written: `1.0` stays `1.0`. The value of such a scalar is the literal of the tree. */
const literalTag: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: /^(?!)/,
  identify: isLiteral,
  resolve: (text: string) => text,
  stringify: ({ value }) => (isLiteral(value) ? value.text : String(value)),
};

type Literal = Extract<Tree, { readonly kind: "literal" }>;

function isLiteral(value: unknown): value is Literal {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "literal";
}

function nodeOf(yaml: Yaml, tree: Tree, style: YamlStyle, isTop = false): Node {
  if (tree.kind === "literal") return new yaml.Scalar(tree);
  if (tree.kind === "text") return scalarOf(yaml, tree.text, style === "block");
  if (style === "ot" && isPages(tree)) return pagesOf(yaml, tree);
  const isFlow = style === "flow" || (style === "ot" && !isTop && levels(tree) <= FLOW_LEVELS);
  const below: YamlStyle = isFlow ? "flow" : style;
  const node = tree.kind === "list" ? new yaml.YAMLSeq() : new yaml.YAMLMap<Node, Node>();
  node.flow = isFlow || sizeOf(tree) === 0;
  if (tree.kind === "list") for (const item of tree.items) node.items.push(nodeOf(yaml, item, below) as never);
  else for (const [key, item] of tree.entries) node.items.push(pairOf(yaml, key, item, below) as never);
  return node;
}

type List = Extract<Tree, { readonly kind: "list" }>;

/**
 * Whether a text has several lines and can be written as a block: a block loses all but one of the newlines at its
 * end.
 */
const isBlock = (tree: Tree): boolean =>
  tree.kind === "text" && /[^\n]\n/.test(tree.text) && !/[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]|\n\n$/u.test(tree.text);

/** Whether a tree is a list of texts, at least one with several lines, such as pages of help. */
const isPages = (tree: Tree): tree is List =>
  tree.kind === "list" && tree.items.every(({ kind }) => kind === "text") && tree.items.some(isBlock);

/** Prints each text as a block below its dash. */
function pagesOf(yaml: Yaml, { items }: List): YAMLSeq {
  const node = new yaml.YAMLSeq();
  for (const item of items) {
    const scalar = nodeOf(yaml, item, "ot") as ScalarNode;
    if (isBlock(item)) scalar.type = "BLOCK_LITERAL";
    node.items.push(scalar as never);
  }
  return node;
}

function pairOf(yaml: Yaml, key: string, item: Tree, style: YamlStyle): Pair<Node, Node> {
  const isListed = style === "ot" && item.kind === "list" && !fitsKey(item);
  return new yaml.Pair<Node, Node>(scalarOf(yaml, key, false), nodeOf(yaml, item, style, isListed));
}

function scalarOf(yaml: Yaml, text: string, mayBreak: boolean): ScalarNode {
  const scalar = new yaml.Scalar(text);
  // A single-quoted text with a newline would take several lines.
  if (!mayBreak && /[\p{Cc}\u2028\u2029\ufeff]/u.test(text)) scalar.type = "QUOTE_DOUBLE";
  return scalar;
}

const sizeOf = (tree: Tree): number =>
  tree.kind === "list" ? tree.items.length : tree.kind === "map" ? tree.entries.size : 0;

const membersOf = (tree: Tree): readonly Tree[] =>
  tree.kind === "list" ? tree.items : tree.kind === "map" ? [...tree.entries.values()] : [];

/** Levels of brackets that a collection takes. */
const levels = (tree: Tree): number =>
  sizeOf(tree) === 0 ? 0 : 1 + membersOf(tree).reduce((most, item) => Math.max(most, levels(item)), 0);

/** Whether a list may follow its key on the line: short, and not a list of objects. */
function fitsKey(list: Tree & { readonly kind: "list" }): boolean {
  if (list.items.some(({ kind }) => kind === "map")) return false;
  const width = list.items.reduce((sum, item) => sum + ("text" in item ? item.text.length + 2 : 0), 0);
  return levels(list) <= FLOW_LEVELS && (list.items.some(({ kind }) => kind === "list") || width <= FLOW_WIDTH);
}

/** Whether the text parses to the same value. */
function readsBack(yaml: Yaml, text: string, tree: Tree): boolean {
  const document = yaml.parseDocument(text, {
    intAsBigInt: true,
    maxAliasCount: 0,
    version: "1.2",
    uniqueKeys: true,
  } as object);
  return document.errors.length === 0 && isSame(yaml, document.contents, tree);
}

function isSame(yaml: Yaml, node: unknown, tree: Tree): boolean {
  if (tree.kind === "list")
    return (
      yaml.isSeq(node) &&
      node.items.length === tree.items.length &&
      tree.items.every((item, i) => isSame(yaml, node.items[i], item))
    );
  if (tree.kind === "map") {
    if (!yaml.isMap(node) || node.items.length !== tree.entries.size) return false;
    return [...tree.entries].every(([key, item], i) => {
      const pair = node.items[i];
      return pair !== undefined && yaml.isScalar(pair.key) && pair.key.value === key && isSame(yaml, pair.value, item);
    });
  }
  if (!yaml.isScalar(node)) return false;
  if (tree.kind === "text") return node.value === tree.text;
  const { value } = node;
  return String(value) === tree.text || Number(value) === Number(tree.text);
}
