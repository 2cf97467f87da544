/** Reads the connections of a reorganisation: parents and relations. Pure. */

import { type FieldError, fieldError } from "toolwright/codegen";
import type { ConnectionArgs, NodeArgs } from "./args.js";
import type { End, Wish } from "./edges.js";
import { idError } from "./id.js";
import { wishOf } from "./link.js";
import { type EdgeKind, NODE_KINDS } from "./model.js";
import { defaultRel, hasDefault, mayContain, parentsOf, resolveRel } from "./relations.js";

/** A requested parent: `other` is to contain `child`. */
export interface Asked {
  readonly child: End;
  readonly other: End;
  readonly path: string;
  /** Without intent or rel, so that it may become a relation. */
  readonly free: boolean;
  /** The relation to store if another parent is chosen. */
  readonly otherwise?: Wish;
}

/** A requested semantic link of a node. */
export interface Related {
  readonly node: string;
  readonly wish: Wish;
}

/** All connections, divided into parents and relations. */
export interface Connections {
  readonly asked: readonly Asked[];
  readonly relations: readonly Related[];
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
}

const KINDS: readonly string[] = NODE_KINDS;

function endErrors({ kind, id }: { kind: string; id: string }, path: string): readonly FieldError[] {
  if (!KINDS.includes(kind))
    return [
      fieldError(`${path}.kind`, "enum", `${path}.kind is ${kind}, which is not reorganised`, KINDS.join("|"), kind),
    ];
  const wrong = idError(kind as EdgeKind, id, `${path}.id`);
  return wrong ? [wrong] : [];
}

/** Errors in nodes and connections that are found without reading rows. */
export function checkNodes(nodes: readonly NodeArgs[]): readonly FieldError[] {
  const seen = new Set<string>();
  return nodes.flatMap((node, i) => {
    const path = `nodes[${i}]`;
    const errors = [...endErrors(node, path)];
    if (seen.has(node.id))
      errors.push(fieldError(`${path}.id`, "uniqueItems", `${path}.id occurs twice`, "each entity once", node.id));
    seen.add(node.id);
    for (const [j, connection] of node.connections.entries()) {
      const at = `${path}.connections[${j}]`;
      errors.push(...endErrors(connection, at));
      if (connection.id === node.id)
        errors.push(fieldError(`${at}.id`, "cycle", `${at}.id is the node`, "another entity", node.id));
    }
    return errors;
  });
}

interface Read {
  readonly asked?: Asked;
  readonly wish?: Wish;
  readonly error?: FieldError;
  readonly warnings?: readonly string[];
}

const parentAsk = (child: End, other: End, path: string, free: boolean): Asked => ({ child, other, path, free });

function readNamed(node: End, other: End, rel: string, path: string): Read {
  const resolved = resolveRel(rel, node.kind, other.kind);
  const { warnings, containment, flip } = resolved;
  if (resolved.rel === undefined) return { warnings };
  if (!containment) return { wish: wishOf(node, other, resolved), warnings };
  const [parent, child] = flip ? [other, node] : [node, other];
  return { asked: parentAsk(child, parent, path, false), warnings };
}

function readConnection(node: End, { kind, id, intent, rel }: ConnectionArgs, path: string): Read {
  const other: End = { kind: kind as EdgeKind, id };
  if (rel !== undefined) return readNamed(node, other, rel, path);
  const relation = wishOf(node, other, defaultRel(node.kind, other.kind));
  if (intent === "semantic") return { wish: relation };
  if (mayContain(other.kind, node.kind)) {
    const asked = parentAsk(node, other, path, intent === undefined);
    return { asked: intent === undefined ? { ...asked, otherwise: relation } : asked };
  }
  const holds = mayContain(node.kind, other.kind);
  if (holds && (intent === "containment" || !hasDefault(node.kind, other.kind)))
    return { asked: parentAsk(other, node, path, false) };
  if (intent !== "containment") return { wish: relation };
  const message = `${path}: a ${other.kind} cannot hold a ${node.kind}`;
  return { error: fieldError(`${path}.kind`, "enum", message, parentsOf(node.kind).join("|"), kind) };
}

/** Divides the connections of valid nodes. */
export function readConnections(nodes: readonly NodeArgs[]): Connections {
  const all = nodes.flatMap((node, i) =>
    node.connections.map((connection, j) => {
      const end: End = { kind: node.kind as EdgeKind, id: node.id };
      return { node: node.id, ...readConnection(end, connection, `nodes[${i}].connections[${j}]`) };
    }),
  );
  return {
    asked: all.flatMap(({ asked }) => (asked ? [asked] : [])),
    relations: all.flatMap(({ node, wish }) => (wish ? [{ node, wish }] : [])),
    errors: all.flatMap(({ error }) => (error ? [error] : [])),
    warnings: all.flatMap(({ warnings }) => warnings ?? []),
  };
}
