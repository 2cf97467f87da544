/**
 * Exposes ops as MCP tools: those of `expose.hot` besides the gateway tools, or with `expose.gateway: false` every
 * listed op instead of them. Calls go through dispatch; only the form of the answer differs.
 */

import type { CallToolResult, Tool as WireTool } from "@modelcontextprotocol/server";
import { withNearestNumbers } from "../../call/arguments/exact.js";
import type { CallAccess, NativeAnswer } from "../../call/client-access.js";
import { type ResultCheck, resultCheck } from "../../call/result-check.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { Settings } from "../../config/settings.js";
import { publishedSchema } from "../../contract/accepted-names.js";
import type { Envelope, Meta } from "../../contract/error-body.js";
import { marked, writeJson } from "../../contract/exact-number.js";
import { hotOps } from "../../contract/exposure.js";
import { isObject } from "../../contract/json.js";
import { type ProviderInput, providerInput } from "../../contract/provider-schema.js";
import type { JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { wireNames } from "../../contract/wire-names.js";
import { markedText, redactedTexts } from "../../run/sanitize.js";

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

/** One entry of `tools/list`, with the input that model providers accept; calls are checked against the whole schema. */
export function wireTool(hot: HotTool): WireTool {
  const { description, summary, annotations } = hot.tool;
  const { schema } = inputOf(hot);
  const isClosed = publishedSchema(hot.tool.parameters_schema)["additionalProperties"] === false;
  const closed = isClosed ? { additionalProperties: false } : {};
  const dryRun = { dry_run: { type: "boolean", default: true, description: "false applies it" } };
  const properties = hot.dryRun === "ours" ? { properties: { ...Object(schema["properties"]), ...dryRun } } : {};
  const output = outputOf(hot);
  return {
    name: hot.name,
    description: description || summary,
    inputSchema: { ...schema, ...closed, ...properties, type: "object" },
    ...(output ? { outputSchema: output.schema } : {}),
    annotations: { ...annotations },
  };
}

const inputs = new WeakMap<HotTool, ProviderInput>();

function inputOf(hot: HotTool): ProviderInput {
  const input = inputs.get(hot) ?? providerInput(hot.tool);
  inputs.set(hot, input);
  return input;
}

/** Converts tool arguments to a call for dispatch. */
export function callOf(hot: HotTool, given: unknown): object {
  const { tool, dryRun } = hot;
  const args = isObject(given) ? withOriginals(given, inputOf(hot)) : (given ?? {});
  if (dryRun !== "ours" || typeof args !== "object" || !Object.hasOwn(args, "dry_run")) return { op: tool.op, args };
  const { dry_run, ...rest } = args as { readonly dry_run: unknown };
  return { op: tool.op, args: rest, dry_run };
}

/** The arguments under the names of the op. One that is given under both names stays, so that dispatch reports it. */
function withOriginals(args: object, { originals }: ProviderInput): object {
  if (originals.size === 0) return args;
  const original = (name: string): string => originals.get(name) ?? name;
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [Object.hasOwn(args, original(name)) ? name : original(name), value]),
  );
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

/** The schema of a value whose bytes are in a block of the answer. */
function withoutBytes(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutBytes);
  if (!isObject(schema)) return schema;
  const { additionalProperties, ...others } = schema;
  const { properties, required } = schema;
  const { bytes, mime } = isObject(properties) ? properties : {};
  const isBase64 = isObject(bytes) && (bytes["contentEncoding"] === "base64" || mime !== undefined);
  const rest =
    isBase64 && Array.isArray(required)
      ? { ...(additionalProperties === false ? others : schema), required: required.filter((name) => name !== "bytes") }
      : schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutBytes(value)]));
}

/**
 * Compiles the result schema. An invalid schema is left out, since it would make some clients refuse the whole list; so
 * is the schema of an op with dry runs, whose result differs.
 */
function compile({ tool, dryRun }: HotTool): Output | false {
  if (!tool.result_schema || dryRun) return false;
  const published = withoutBytes(tool.result_schema) as JsonSchema;
  const misfit = resultCheck(published);
  // Clients cache schemas by id, which several tools may share.
  const { $id: _, ...schema } = published;
  return misfit ? { schema: schema as Output["schema"], misfit } : false;
}

/** Most characters of media that are passed on as the server sent them. */
const MAX_NATIVE_LENGTH = 6_000_000;

/** What an upstream server answered, for a typed tool, whose answer has the same form. */
export function nativeContent(access: Pick<CallAccess, "native">) {
  let taken: Shown | undefined;
  return {
    take(answer: NativeAnswer): boolean {
      access.native(answer);
      const { structured, content } = answer;
      if (!content || (content.length > 0 && JSON.stringify(content).length > MAX_NATIVE_LENGTH)) return false;
      taken = { structured, content: withNearestNumbers(content) as unknown as CallToolResult["content"] };
      return true;
    },
    taken: () => taken,
  };
}

/** The parts of an answer that has the form of the protocol. */
interface Shown {
  readonly structured: JsonValue | undefined;
  readonly content: CallToolResult["content"];
}

/** The parts of a result: as an upstream server sent them, or of its data. */
function partsOf(result: JsonValue, native: Shown | undefined): Shown {
  const data = text(typeof result === "string" ? result : writeJson(result));
  if (!native) return { structured: result, content: [data] };
  const { structured, content } = native;
  if (structured !== undefined) return { structured, content: [text(writeJson(structured)), ...content] };
  const isText = content.every(({ type }) => type === "text");
  return { structured: isText ? result : undefined, content: content.length === 0 ? [data] : content };
}

/** What the answer of a typed tool depends on besides its envelope. */
interface Answered {
  /** What an upstream server answered, if the tool is one of its own. */
  readonly native?: Shown | undefined;
  /** Whether the client uses the newer protocol. */
  readonly isModern: boolean;
}

/** The answer of a typed tool: the result itself, or the error of the envelope as text. */
export function resultOf(hot: HotTool, envelope: Envelope, { native, isModern }: Answered): CallToolResult {
  const warnings = warningsOf(envelope.meta);
  if (!envelope.ok) return { isError: true, content: [text(writeJson(envelope.error)), ...warnings] };
  const isExternal = envelope.meta.external === true;
  const { structured: result, content: shown } = partsOf(envelope.result, isExternal ? redactedTexts(native) : native);
  const marks = isExternal && (typeof result !== "object" || result === null);
  const content = [...(marks ? shown.map((block) => markedBlock(block, hot)) : shown), ...warnings];
  const output = outputOf(hot);
  const misfit = output?.misfit(result);
  if (misfit !== undefined) return { isError: true, content: [text(misfitText(hot, misfit)), ...content] };
  if (!output) return { content, ...(isObject(result) ? { structuredContent: marked(result) } : {}) };
  // The protocol before 2026 requires an object, so other values are wrapped in one, as the SDK does with their schemas.
  const isWrapped = !isModern && (output.schema["type"] !== "object" || !isObject(result));
  const structuredContent = isWrapped ? { result: marked(result) } : marked(result);
  return { content, structuredContent } as CallToolResult;
}

const text = (value: string) => ({ type: "text" as const, text: value });

/** A block with its text marked as text from elsewhere. */
const markedBlock = (block: CallToolResult["content"][number], { tool }: HotTool): typeof block =>
  block.type === "text" ? { ...block, text: markedText(block.text, [tool.op]) } : block;

/** Reports argument repairs as a content block. */
const warningsOf = ({ warnings }: Meta) => (warnings.length > 0 ? [text(`Warnings:\n${warnings.join("\n")}`)] : []);

const misfitText = ({ tool }: HotTool, misfit: string): string =>
  `${tool.op} was carried out; do not repeat the call. Its result, below, does not fit its output schema: ${misfit}`;
