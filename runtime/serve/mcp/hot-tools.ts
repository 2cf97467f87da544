/**
 * Exposes ops as MCP tools: those of `expose.hot` besides the gateway tools, or with `expose.gateway: false` every
 * listed op instead of them. Calls go through dispatch; only the form of the answer differs.
 */

import type { CallToolResult, Server, Tool as WireTool } from "@modelcontextprotocol/server";
import { type ResultCheck, resultCheck } from "../../call/result-check.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { Settings } from "../../config/settings.js";
import { publishedSchema } from "../../contract/accepted-names.js";
import type { Envelope, Meta } from "../../contract/error-body.js";
import { marked, writeJson } from "../../contract/exact-number.js";
import { hotOps } from "../../contract/exposure.js";
import { isObject } from "../../contract/json.js";
import type { Tool } from "../../contract/registry.js";
import { wireNames } from "../../contract/wire-names.js";

/** The settings that decide which ops are tools. */
type Exposing = Pick<Settings, "expose" | "run" | "ops">;

/** An op as a tool. */
export interface HotTool {
  readonly name: string;
  readonly tool: Tool;
  /** Set if calls are dry runs by default; `dry_run` is then an argument of the op itself or one added here. */
  readonly dryRun: "own" | "ours" | undefined;
}

const known = new WeakMap<RegistryView, ReadonlyMap<string, HotTool>>();

/** The ops that a caller sees as tools, by name and in order; cached per view. */
export function hotTools(settings: Exposing, view: RegistryView): ReadonlyMap<string, HotTool> {
  const tools = known.get(view) ?? toolsFor(settings, view);
  known.set(view, tools);
  return tools;
}

function toolsFor({ expose, run, ops }: Exposing, { listed }: RegistryView): ReadonlyMap<string, HotTool> {
  const { hot, budget, gateway } = expose;
  const exposing = { hot, budget, run: run.exposed, signatures: run.signatures };
  const shown = gateway ? hotOps(listed, exposing).shown : listed;
  const names = shown.length > 0 ? wireNames(listed) : new Map<string, string>();
  return new Map(
    shown.map((tool) => {
      const name = names.get(tool.op) ?? tool.op;
      return [name, { name, tool, dryRun: dryRunOf(tool, ops.get(tool.op)?.dry_run === true) }];
    }),
  );
}

function dryRunOf({ kind, parameters }: Tool, isDefault: boolean): HotTool["dryRun"] {
  if (kind === "read") return undefined;
  if (parameters.some(({ original }) => original === "dry_run")) return "own";
  return isDefault ? "ours" : undefined;
}

/** One entry of `tools/list`. */
export function wireTool(hot: HotTool): WireTool {
  const { description, summary, parameters_schema: schema, annotations } = hot.tool;
  const dryRun = { dry_run: { type: "boolean", default: true, description: "false applies it" } };
  const properties = hot.dryRun === "ours" ? { properties: { ...Object(schema["properties"]), ...dryRun } } : {};
  const output = outputOf(hot);
  return {
    name: hot.name,
    description: description || summary,
    inputSchema: { ...publishedSchema(schema), ...properties, type: "object" },
    ...(output ? { outputSchema: output.schema } : {}),
    annotations: { ...annotations },
  };
}

/** Converts tool arguments to a call for dispatch. */
export function callOf({ tool, dryRun }: HotTool, given: unknown): object {
  const args = given ?? {};
  if (dryRun !== "ours" || typeof args !== "object" || !Object.hasOwn(args, "dry_run")) return { op: tool.op, args };
  const { dry_run, ...rest } = args as { readonly dry_run: unknown };
  return { op: tool.op, args: rest, dry_run };
}

/** The output schema that `structuredContent` of every successful answer matches. */
interface Output {
  readonly schema: NonNullable<WireTool["outputSchema"]>;
  readonly misfit: ResultCheck;
}

const outputs = new WeakMap<HotTool, Output | false>();

/** The output schema if clients can use it; compiled on first use, since a flat list may be long. */
function outputOf(hot: HotTool): Output | undefined {
  const output = outputs.get(hot) ?? compile(hot);
  outputs.set(hot, output);
  return output || undefined;
}

/**
 * Compiles the result schema. An invalid schema is left out, since it would make some clients refuse the whole list; so
 * is the schema of an op with dry runs, whose result differs.
 */
function compile({ tool, dryRun }: HotTool): Output | false {
  if (!tool.result_schema || dryRun) return false;
  const misfit = resultCheck(tool.result_schema);
  // Clients cache schemas by id, which several tools may share.
  const { $id: _, ...schema } = tool.result_schema;
  return misfit ? { schema: schema as Output["schema"], misfit } : false;
}

/** The answer of a typed tool: the result itself, or the error of the envelope as text. */
export function resultOf(server: Server, hot: HotTool, envelope: Envelope): CallToolResult {
  const warnings = warningsOf(envelope.meta);
  if (!envelope.ok) return { isError: true, content: [text(writeJson(envelope.error)), ...warnings] };
  const { result } = envelope;
  const content = [text(typeof result === "string" ? result : writeJson(result)), ...warnings];
  const output = outputOf(hot);
  const misfit = output?.misfit(result);
  if (misfit !== undefined) return { isError: true, content: [text(misfitText(hot, misfit)), ...content] };
  if (!output) return { content, ...(isObject(result) ? { structuredContent: marked(result) } : {}) };
  // The protocol before 2026 requires an object, so other values are wrapped in one.
  return server.projectCallToolResult({ content, structuredContent: marked(result) } as CallToolResult, output.schema);
}

const text = (value: string) => ({ type: "text" as const, text: value });

/** Reports argument repairs as a content block. */
const warningsOf = ({ warnings }: Meta) => (warnings.length > 0 ? [text(`Warnings:\n${warnings.join("\n")}`)] : []);

const misfitText = ({ tool }: HotTool, misfit: string): string =>
  `${tool.op} was carried out; do not repeat the call. Its result, below, does not fit its output schema: ${misfit}`;
