/** Definitions of the gateway tools as plain data: the generator counts their tokens, the server lists them. */

import type { JsonSchema } from "../../contract/registry.js";
import { MAX_BATCH_ENTRIES } from "../../contract/request-fields.js";
import { type IndexedTool, signatureIndex } from "../../contract/signature-index.js";

/** One entry of `tools/list`. */
export interface GatewayTool {
  /** Name on the wire. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: "object" };
  readonly annotations: {
    readonly title?: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint: boolean;
  };
}

const RUN: GatewayTool = {
  name: "run",
  description:
    "Run Python over the ops, as pack.entity.list(limit=5): chain, filter and join results in one call. The last expression is the answer; keep it small. Starts empty each time.",
  inputSchema: {
    type: "object",
    properties: { command: { type: "string", description: "Python code, or $snippet key=value" } },
    required: ["command"],
    additionalProperties: false,
  },
  annotations: {
    title: "Run Python with tools",
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: true,
  },
};

const HELP: GatewayTool = {
  name: "tool_help",
  description:
    "Find ops and how to call them. Path root lists packs, a group its ops (group.read, group.write: only those), an op its usage, args, rules, an example. Call it when unsure of op or args, not when you know them.",
  inputSchema: {
    type: "object",
    properties: {
      path: { type: "string", default: "root" },
      format: { type: "string", enum: ["short", "full"], default: "short" },
      include_examples: { type: "boolean", default: true },
      include_schemas: { type: "boolean", default: false },
    },
    additionalProperties: false,
  },
  annotations: { title: "Find ops", readOnlyHint: true, openWorldHint: false },
};

const EXEC: GatewayTool = {
  name: "tool_exec",
  description:
    "Run one op. Search or list before you create, update or delete. A failure names what to change and gives error.corrected_call: edit that, do not repeat the call.",
  inputSchema: {
    type: "object",
    properties: {
      op: { type: "string", description: "e.g. pack.entity.list" },
      args: { type: "object" },
      idempotency_key: { type: "string", description: "A write with the same key runs once" },
      dry_run: { type: "boolean", description: "Preview a write" },
    },
    required: ["op"],
    additionalProperties: false,
  },
  annotations: { title: "Run one op", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

const BATCH: GatewayTool = {
  name: "tool_batch",
  description:
    'Help and exec calls in one round trip, e.g. help of a new op, then exec. Each entry fails alone. {"$ref":"<id or index>#/result/..."} in args is a value from an earlier entry.',
  inputSchema: {
    type: "object",
    properties: {
      ops: {
        type: "array",
        maxItems: MAX_BATCH_ENTRIES,
        items: {
          type: "object",
          properties: { type: { type: "string", enum: ["help", "exec"] }, id: { type: "string" } },
          description: "and the fields of that tool",
        },
      },
      mode: { type: "string", enum: ["sequential", "parallel"], description: "parallel: only reads" },
      stop_on_error: { type: "boolean" },
    },
    required: ["ops"],
    additionalProperties: false,
  },
  annotations: { title: "Run several ops", readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

/** The gateway tools in the order of `tools/list`. */
export const GATEWAY_TOOLS: readonly GatewayTool[] = [RUN, HELP, EXEC, BATCH];

/** The settings that decide which tools are listed, and how. */
interface Exposing {
  readonly expose: { readonly gateway: boolean };
  readonly run: { readonly exposed: boolean; readonly signatures: number };
}

/** The ops that a caller sees; the same object as long as the configuration is in force. */
interface Seen {
  readonly listed: readonly IndexedTool[];
}

const known = new WeakMap<Seen, readonly GatewayTool[]>();

/**
 * The gateway tools that a project exposes: `run` can be left out (`expose.run`), and lists the caller's ops within
 * `expose.signatures`.
 */
export function gatewayTools(settings: Exposing, view: Seen): readonly GatewayTool[] {
  const tools = known.get(view) ?? toolsFor(settings, view.listed);
  known.set(view, tools);
  return tools;
}

function toolsFor({ run, expose }: Exposing, ops: readonly IndexedTool[]): readonly GatewayTool[] {
  const rest = expose.gateway ? GATEWAY_TOOLS.filter((tool) => tool !== RUN) : [];
  if (!run.exposed) return rest;
  const index = signatureIndex(ops, run.signatures);
  return [index === "" ? RUN : { ...RUN, description: `${RUN.description}\n\n${index}` }, ...rest];
}
