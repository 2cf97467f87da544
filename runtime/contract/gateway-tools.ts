/**
 * The table of gateway tools as plain data: names, definitions, where each is offered, how its calls are counted.
 * Transports, rate limits, reserved names, the token budget and the instructions read it. `serve/gateway-tools.ts` adds
 * what each answers.
 */

import { isObject } from "./json.js";
import type { Languages } from "./program-language.js";
import { PYTHON_LANGUAGE } from "./python-language.js";
import type { JsonSchema } from "./registry.js";
import { batchEntries, MAX_BATCH_ENTRIES } from "./request-fields.js";

/** What clients are told of a tool. */
export interface GatewayToolDefinition {
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

/** One row of the table. */
export interface GatewayTool {
  /** Name on the wire. */
  readonly name: string;
  readonly definition: GatewayToolDefinition;
  /** What it does, after its name in the instructions of the server; absent: the instructions say it elsewhere. */
  readonly about?: string;
  /** When to use it, and how it is called, in the emitted skill. */
  readonly usage?: { readonly when: string; readonly how: string };
  /** What changes of it with `run.languages`; see {@link inLanguages}. */
  readonly forLanguages?: (languages: Languages) => Pick<GatewayTool, "definition" | "usage">;
  /** Arguments that it has, too, where `expose.run_preview` offers previews. */
  readonly previewProperties?: Readonly<Record<string, JsonSchema>>;
  /** Whether the index of signatures follows its description over MCP. */
  readonly hasSignatures?: true;
  readonly offered: {
    /** The setting that shows it over MCP, on stdio and at `/mcp`: `expose.run` or `expose.gateway`. */
    readonly mcp: "run" | "gateway";
    /** Whether the socket has it. */
    readonly socket?: true;
    /** Its path in the HTTP API, which takes the arguments as the body of a `POST`. */
    readonly api?: `/api/${string}`;
  };
  /** How many calls a request counts as against the rate limit of a key; default: 1. */
  readonly callsIn?: (input: unknown) => number;
}

/** The description of `run`, its code and its title, and how the skill says that it is called. */
function runTexts([first, ...others]: Languages) {
  const { label, call, wording } = first;
  const how = `with ${label}, as \`${call("pack.op", { argument: 1 })}\``;
  if (others.length === 0)
    return {
      description: `Run ${label} over the ops, as ${call("pack.entity.list", { limit: 5 })}; chain, filter, join results in one call. The last expression is the answer; keep it small.${wording.closing ?? ""}`,
      code: `${label},`,
      title: `Run ${label} with tools`,
      how,
    };
  const fenced = others.map((one) => `, or \`\`\`${one.fence} ${one.call("pack.op", { n: 5 })}`);
  const told = others.map(
    (one) => `; with ${one.label} in a \`${one.fence}\` fence, as \`${one.call("pack.op", { argument: 1 })}\``,
  );
  return {
    description: `Run ${label}, ${call("pack.op", { n: 5 })}${fenced.join("")}; filter, join, end with the small answer.`,
    code: "Code",
    title: "Run code",
    how: `${how}${told.join("")}`,
  };
}

/** What `run` is with these languages. */
function runIn(languages: Languages) {
  const { description, code, title, how } = runTexts(languages);
  const names = languages.map(({ name }) => name);
  const properties = {
    command: { type: "string", description: `${code} or $snippet key=value` },
    // Taken with one language too; a client that checks arguments has the fence.
    ...(names.length > 1 ? { language: { type: "string", enum: names } } : {}),
    after: { type: "string", description: "Failed run" },
  };
  return {
    definition: {
      description,
      inputSchema: { type: "object", properties, required: ["command"], additionalProperties: false },
      annotations: {
        title,
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
        openWorldHint: true,
      },
    },
    usage: { when: "Calls whose results are filtered or joined", how },
  } as const satisfies Partial<GatewayTool>;
}

const RUN = {
  name: "run",
  ...runIn([PYTHON_LANGUAGE]),
  forLanguages: runIn,
  previewProperties: { preview: { type: "boolean", description: "Only say what it would write" } },
  hasSignatures: true,
  offered: { mcp: "run" },
} as const satisfies GatewayTool;

const HELP = {
  name: "tool_help",
  definition: {
    description:
      "Find ops and how to call them. Path root lists packs, a group its ops (group.read, group.write: only those), an op its usage, args, rules, an example. Call it when unsure of op or args.",
    inputSchema: {
      type: "object",
      properties: {
        path: { type: "string", default: "root" },
        format: { type: "string", enum: ["short", "full"], default: "short" },
        include_examples: { type: "boolean", default: true },
        include_schemas: { type: "boolean", default: false },
        at: { type: "string" },
        page: { type: "integer" },
      },
      additionalProperties: false,
    },
    annotations: { title: "Find ops", readOnlyHint: true, openWorldHint: false },
  },
  about: "finds ops and shows how to call them",
  usage: { when: "Arguments, rules and an example of an op", how: 'with `{"path": "pack.op"}`' },
  offered: { mcp: "gateway", socket: true, api: "/api/help" },
} as const satisfies GatewayTool;

const EXEC = {
  name: "tool_exec",
  definition: {
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
  },
  about: "runs one",
  usage: { when: "One call", how: 'with `{"op": "pack.op", "args": {}}`' },
  offered: { mcp: "gateway", socket: true, api: "/api/exec" },
} as const satisfies GatewayTool;

const BATCH = {
  name: "tool_batch",
  definition: {
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
  },
  about: "several in one round trip",
  usage: {
    when: "Several calls that do not depend on each other",
    how: 'with `{"ops": [{"type": "exec", "op": "pack.op", "args": {}}]}`',
  },
  offered: { mcp: "gateway", socket: true, api: "/api/batch" },
  // A batch with too many entries is refused as a whole.
  callsIn(input: unknown) {
    const found = isObject(input) ? batchEntries(input) : undefined;
    return found ? Math.min(Math.max(found.entries.length, 1), MAX_BATCH_ENTRIES) : 1;
  },
} as const satisfies GatewayTool;

/** The gateway tools in the order of `tools/list`. */
export const GATEWAY_TOOLS = [RUN, HELP, EXEC, BATCH] as const;

/** Name of a gateway tool. */
export type GatewayToolName = (typeof GATEWAY_TOOLS)[number]["name"];

/** A tool as `tools/list` has it. */
export interface ListedTool extends GatewayToolDefinition {
  readonly name: string;
}

/**
 * A row as a project with these languages of `run` has it.
 *
 * @example
 * inLanguages(GATEWAY_TOOLS[0], [PYTHON_LANGUAGE]).definition.annotations.title // Run Python with tools
 */
export const inLanguages = <T extends GatewayTool>(tool: T, languages: Languages): T => ({
  ...tool,
  ...tool.forLanguages?.(languages),
});

/** The entry of a row in `tools/list`. */
export const listedTool = ({ name, definition }: GatewayTool): ListedTool => ({ name, ...definition });

/**
 * The row of a name; undefined if no tool has it. `tool.exec`, the name of the specification, which model providers do not
 * accept, is `tool_exec`.
 */
export const gatewayTool = <T extends GatewayTool>(name: unknown, tools: readonly T[]): T | undefined =>
  tools.find((tool) => tool.name === name || tool.name.replace(/^tool_/, "tool.") === name);

/** Names of the gateway tools on the socket. */
export const SOCKET_TOOL_NAMES: readonly string[] = GATEWAY_TOOLS.filter(({ offered }) => "socket" in offered).map(
  ({ name }) => name,
);

/** Whether a name is that of a gateway tool with the argument `idempotency_key`. */
export const takesIdempotencyKey = (name: string): boolean =>
  "idempotency_key" in (gatewayTool(name, GATEWAY_TOOLS)?.definition.inputSchema.properties ?? {});
