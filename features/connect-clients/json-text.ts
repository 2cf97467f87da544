/** Edits members of a JSON text with comments, preserving every other byte. */

import type { Node } from "jsonc-parser";
import { type Edit, type Layout, layoutOf, withEdits } from "../../runtime/contract/text-edits.js";

type Jsonc = typeof import("jsonc-parser");
type Path = readonly string[];

/** Sets the value at a path; `undefined` removes it. */
export interface JsonChange {
  readonly path: Path;
  readonly value: unknown;
  /** Whether the value is appended to the list at the path. */
  readonly append?: boolean;
}

/** Applies changes in order. An empty text becomes a document. */
export async function changedJson(before: string, changes: readonly JsonChange[]): Promise<string> {
  const jsonc = await import("jsonc-parser");
  const layout = layoutOf(before);
  return changes.reduce((text, change) => changed(jsonc, text, change, layout), before);
}

function changed(jsonc: Jsonc, text: string, change: JsonChange, layout: Layout): string {
  const { path, value, append = false } = change;
  const whole = append ? [value] : value;
  const root = jsonc.parseTree(text, [], { allowTrailingComma: true, allowEmptyContent: true });
  if (!root) return documentIn(text, path, whole, layout);
  const node = jsonc.findNodeAtLocation(root, [...path]);
  if (value === undefined) return removed(jsonc, text, path, node);
  if (!node) return added(jsonc, text, { root, path, value: whole }, layout);
  if (append) return node.type === "array" ? inserted(jsonc, text, node, { value }, layout) : text;
  const edit = { from: node.offset, to: endOf(node), text: printed(value, layout, indentAt(text, node.offset)) };
  return withEdits(text, [edit]);
}

/** Takes a member out. The layout before it and the comments after it stay, where another member follows. */
function removed(jsonc: Jsonc, text: string, path: Path, node: Node | undefined): string {
  const property = node?.parent;
  const next = property?.parent?.children?.at(property.parent.children.indexOf(property) + 1);
  if (!property || !next) return jsonc.applyEdits(text, jsonc.modify(text, [...path], undefined, {}));
  const between = jsonc.stripComments(text.slice(endOf(property), next.offset), " ");
  const after = endOf(property) + between.indexOf(",") + 1;
  const blanks = /^\s*/.exec(text.slice(after))?.[0].length ?? 0;
  return withEdits(text, [{ from: property.offset, to: after + blanks, text: "" }]);
}

interface Added {
  readonly root: Node;
  readonly path: Path;
  readonly value: unknown;
}

/** Adds a missing member and its missing parents. */
function added(jsonc: Jsonc, text: string, { root, path, value }: Added, layout: Layout): string {
  const [above, key] = [path.slice(0, -1), path.at(-1)];
  const parent = jsonc.findNodeAtLocation(root, above);
  if (key === undefined) return text;
  if (!parent) return added(jsonc, text, { root, path: above, value: { [key]: value } }, layout);
  return parent.type === "object" ? inserted(jsonc, text, parent, { key, value }, layout) : text;
}

/** Adds a document to a text of blanks and comments. */
function documentIn(text: string, path: Path, value: unknown, layout: Layout): string {
  const document = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const head = text.slice(0, endOfText(text));
  return `${head}${head === "" ? "" : layout.eol}${printed(document, layout, "")}${layout.eol}`;
}

const endOf = (node: Node): number => node.offset + node.length;
/** The end of a text without trailing blanks; those of its last line stay, since they may belong to a comment. */
function endOfText(text: string): number {
  const tail = /[ \t\r\n]*$/.exec(text)?.index ?? text.length;
  return tail === 0 ? 0 : tail + (/^[ \t]*(?=\r?\n)/.exec(text.slice(tail))?.[0].length ?? 0);
}

/** The indentation of the line at an offset. */
function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? "";
}

const printed = (value: unknown, { eol, unit }: Layout, indent: string): string =>
  JSON.stringify(value, null, unit).replaceAll("\n", eol + indent);

/** Adds a member to an object, or an element to a list, after the others and their comments. */
function inserted(
  jsonc: Jsonc,
  text: string,
  parent: Node,
  { key, value }: { readonly key?: string; readonly value: unknown },
  layout: Layout,
): string {
  const close = endOf(parent) - 1;
  const last = parent.children?.at(-1);
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const after = last ? endOf(last) : parent.offset + 1;
  const hasComma = jsonc.stripComments(text.slice(after, close)).includes(",");
  const comma: Edit = { from: after, to: after, text: last && !hasComma ? "," : "" };
  const at = endOfText(text.slice(0, close));
  if (last && !text.slice(parent.offset, close).includes("\n"))
    return withEdits(text, [comma, { from: at, to: at, text: ` ${name}${JSON.stringify(value)}` }]);
  const outer = indentAt(text, parent.offset);
  const inner = (last && ownIndent(text, last.offset)) ?? outer + layout.unit;
  const tail = text.slice(at, close).includes("\n") ? "" : layout.eol + outer;
  const content = `${layout.eol}${inner}${name}${printed(value, layout, inner)}${tail}`;
  return withEdits(text, [comma, { from: at, to: tail === "" ? at : close, text: content }]);
}

/** The indentation before an offset, if nothing else precedes it on its line. */
function ownIndent(text: string, offset: number): string | undefined {
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*$/.test(before) ? before : undefined;
}
