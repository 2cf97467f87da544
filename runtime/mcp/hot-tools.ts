/**
 * Ops as MCP tools of their own: those of `expose.hot` beside the gateway tools, or with `expose.gateway: false` every listed op instead
 * of them. A call goes through dispatch like any other; only the form of the answer differs.
 */

import type { CallToolResult, Server, Tool as WireTool } from "@modelcontextprotocol/server";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
import { nearest } from "../arguments/exact.js";
import { marked, writeJson } from "../contract/exact-number.js";
import { hotOps } from "../contract/exposure.js";
import type { Tool } from "../contract/registry.js";
import { wireNames } from "../contract/wire-names.js";
import type { Envelope, Meta } from "../envelope.js";
import { isObject } from "../json.js";
import type { RegistryView } from "../registry.js";
import type { Settings } from "../settings.js";
import { linearSchema } from "./linear-schema.js";

/** What of a project decides which ops are tools of their own. */
type Exposing = Pick<Settings, "expose" | "run" | "ops">;

/** An op as a tool. */
export interface HotTool {
  readonly name: string;
  readonly tool: Tool;
  /** Whether calls are dry runs by default; `dry_run` is an argument then, the op's own or one of ours. */
  readonly dryRun: "own" | "ours" | undefined;
}

const known = new WeakMap<RegistryView, ReadonlyMap<string, HotTool>>();

/** The ops that a caller is shown as tools, by name and in order; kept for each view. */
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
    inputSchema: { ...schema, ...properties, type: "object" },
    ...(output ? { outputSchema: output.schema } : {}),
    annotations: { ...annotations },
  };
}

/** The call that arguments of a tool stand for, as dispatch takes it. */
export function callOf({ tool, dryRun }: HotTool, given: unknown): object {
  const args = given ?? {};
  if (dryRun !== "ours" || typeof args !== "object" || !Object.hasOwn(args, "dry_run")) return { op: tool.op, args };
  const { dry_run, ...rest } = args as { readonly dry_run: unknown };
  return { op: tool.op, args: rest, dry_run };
}

/** What `structuredContent` of every answer fits that is no error. */
interface Output {
  readonly schema: NonNullable<WireTool["outputSchema"]>;
  /** What is wrong with a result, if anything is. */
  misfit(result: unknown): string | undefined;
}

/** Checks what leaves as clients check what arrives. */
const checker = new AjvJsonSchemaValidator();
const outputs = new WeakMap<HotTool, Output | false>();

/** The result schema, where clients can use it; compiled when first asked for, since a flat list may be long. */
function outputOf(hot: HotTool): Output | undefined {
  const output = outputs.get(hot) ?? compile(hot);
  outputs.set(hot, output);
  return output || undefined;
}

/** A schema that does not compile would cost some clients the whole list. What a dry run answers is not what the op answers. */
function compile({ tool, dryRun }: HotTool): Output | false {
  if (!tool.result_schema || dryRun) return false;
  // Clients keep schemas by their id, which several tools may share.
  const { $id: _, ...schema } = tool.result_schema;
  try {
    // The schema may be an upstream server's, and so may the result.
    const validate = checker.getValidator(linearSchema(schema) as typeof schema);
    return { schema: schema as Output["schema"], misfit: (result) => validate(result).errorMessage };
  } catch {
    return false;
  }
}

/** An answer as a typed tool gives it: the result itself, or the error of the envelope as text. */
export function resultOf(server: Server, hot: HotTool, envelope: Envelope): CallToolResult {
  const warnings = warningsOf(envelope.meta);
  if (!envelope.ok) return { isError: true, content: [text(writeJson(envelope.error)), ...warnings] };
  const { result } = envelope;
  const content = [text(typeof result === "string" ? result : writeJson(result)), ...warnings];
  const output = outputOf(hot);
  const misfit = output?.misfit(nearest(result));
  if (misfit !== undefined) return { isError: true, content: [text(misfitText(hot, misfit)), ...content] };
  if (!output) return { content, ...(isObject(result) ? { structuredContent: marked(result) } : {}) };
  // The protocol of before 2026 wants an object, in which any other value stands then.
  return server.projectCallToolResult({ content, structuredContent: marked(result) } as CallToolResult, output.schema);
}

const text = (value: string) => ({ type: "text" as const, text: value });

/** Repairs are never silent. */
const warningsOf = ({ warnings }: Meta) => (warnings.length > 0 ? [text(`Warnings:\n${warnings.join("\n")}`)] : []);

const misfitText = ({ tool }: HotTool, misfit: string): string =>
  `${tool.op} was carried out; do not repeat the call. Its result, below, does not fit its output schema: ${misfit}`;
