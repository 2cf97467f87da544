/** Calls tools that a module exports as objects, as their libraries do: with the input that the schema of the library gives. */

import type { Context } from "../contract/handler.js";
import { fail } from "../contract/handler.js";
import {
  type HandlerKey,
  handlerKeyOf,
  isStandardSchema,
  schemaOfTool,
  type ToolObject,
  toolsOfModule,
} from "../contract/module-tools.js";
import { hint } from "../contract/own-command.js";
import type { FunctionCall, JsonObject } from "../contract/registry.js";

/** A tool of a module, ready to be called. */
export interface CallableTool {
  readonly call: (args: JsonObject, ctx: Context) => Promise<unknown>;
  /** Whether its library fills in the defaults. */
  readonly fillsDefaults: boolean;
}

type Holder = Readonly<Record<PropertyKey, unknown>>;
type Method = (...given: readonly unknown[]) => unknown;

/**
 * The tool of that name in an export of a module.
 *
 * @throws Error if the export has none, or one without a handler
 */
export async function callableTool(
  module: object,
  { export: name, tool }: FunctionCall,
  file: string,
): Promise<CallableTool> {
  const exported = Object.entries(module).filter(([key]) => key === name);
  const { tools } = await toolsOfModule(Object.fromEntries(exported));
  const found = tools.find((one) => one.name === tool)?.tool;
  const key = found && handlerKeyOf(found);
  if (!found || !key)
    throw new Error(
      `${file} exports no tool ${tool} in ${name}: ${hint('run "toolwright generate"', "correct the file")}`,
    );
  const handler = found[key] as Method;
  const isChecked = key === "invoke";
  const parse = isChecked ? undefined : await parserOf(found);
  return {
    fillsDefaults: isChecked || parse !== undefined,
    call: async (args, ctx) => {
      const input = parse ? await parse(args) : args;
      return lastOf(await answered(() => handler.call(found, input, SECOND[key](ctx))));
    },
  };
}

/** The second argument of each kind of handler. */
const SECOND: Readonly<Record<HandlerKey, (ctx: Context) => unknown>> = {
  execute: (ctx) => ({ toolCallId: ctx.traceId, messages: [], abortSignal: ctx.signal, context: ctx }),
  handler: (ctx) => ctx,
  func: (ctx) => ctx,
  run: (ctx) => ctx,
  invoke: ({ signal }) => ({ signal }),
};

/** A refusal of the input by LangChain is a fault of the arguments. */
async function answered(work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && error.name === "ToolInputParsingException") fail("VALIDATION_ERROR", error.message);
    throw error;
  }
}

type Parse = (args: JsonObject) => Promise<unknown>;

/** How the schema of a tool reads arguments; undefined if it is plain JSON Schema. */
async function parserOf(tool: ToolObject): Promise<Parse | undefined> {
  const given = schemaOfTool(tool);
  const isLazy = typeof given === "function" && !isStandardSchema(given);
  const schema = (isLazy ? await (given as Method)() : given) as Holder | undefined;
  if (schema === undefined) return undefined;
  if (isStandardSchema(schema)) return (args) => standardValue(schema, args);
  const { validate } = schema;
  return "jsonSchema" in schema && typeof validate === "function"
    ? (args) => validatedValue(validate as Method, args)
    : undefined;
}

interface Issue {
  readonly message?: unknown;
  readonly path?: readonly unknown[];
}

/** What a schema with the interface of Standard Schema makes of arguments. */
async function standardValue(schema: Holder, args: JsonObject): Promise<unknown> {
  const standard = schema["~standard"] as { readonly validate: Method };
  const { issues, value } = (await standard.validate(args)) as {
    readonly issues?: readonly Issue[];
    readonly value: unknown;
  };
  if (!issues) return value;
  const said = issues.slice(0, MAX_ISSUES).map(issueText);
  return fail("VALIDATION_ERROR", `The schema of the tool refuses the arguments: ${said.join("; ")}`);
}

/** Most issues that an error names. */
const MAX_ISSUES = 10;

function issueText({ message, path = [] }: Issue): string {
  const keys = path.map((one) =>
    String(typeof one === "object" && one !== null ? (one as { key?: unknown }).key : one),
  );
  return keys.length > 0 ? `${keys.join(".")}: ${String(message)}` : String(message);
}

/** What `validate` of a schema of the AI SDK makes of arguments. */
async function validatedValue(validate: Method, args: JsonObject): Promise<unknown> {
  const result = (await validate(args)) as {
    readonly success: boolean;
    readonly value?: unknown;
    readonly error?: Error;
  };
  if (result.success) return result.value;
  return fail(
    "VALIDATION_ERROR",
    `The schema of the tool refuses the arguments: ${result.error?.message ?? "no reason"}`,
  );
}

/** The result of a handler that gives several: the last one, as in the AI SDK. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const one of result as AsyncIterable<unknown>) last = one;
  return last;
}
