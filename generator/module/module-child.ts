/**
 * The child process that imports a module of tools. It gets the address of the bundle and that of the module's file as arguments, and
 * writes one JSON text to its pipe. Its parent starts it without rights to write, to start processes, or to read outside of the project.
 */

import { writeSync } from "node:fs";
import { isMcpServer, toolsOfServer } from "../../runtime/contract/module-server.js";
import { handlerKeyOf, type ModuleTool, schemaOfTool, toolsOfModule } from "../../runtime/contract/module-tools.js";
import { type ImportForUser, jsonSchemaOf, UnreadableTool } from "./schemas.js";

/** The pipe to the parent. */
const CHANNEL = 3;
const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

const [url = "", file = ""] = process.argv.slice(2);
const { exit } = process;

/** With `--experimental-import-meta-resolve`, packages are found from the file of the user. */
const resolveFrom = import.meta.resolve as (specifier: string, parent: string) => string;
const importForUser: ImportForUser = async (specifier) => import(resolveFrom(specifier, file));

function send(message: object): void {
  const bytes = Buffer.from(JSON.stringify(message));
  for (let at = 0; at < bytes.length; ) at += writeSome(bytes.subarray(at));
}

const pause = new Int32Array(new SharedArrayBuffer(4));

/** Bytes that the pipe took; none while it is full. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(CHANNEL, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EAGAIN") exit(0);
    Atomics.wait(pause, 0, 0, 1);
    return 0;
  }
}

const NO_ARGUMENTS = { type: "object", properties: {}, additionalProperties: false };

/** The tools of the servers of the MCP SDK among the exports, as they list them; each server once. */
async function listedByServers(exports: Readonly<Record<string, unknown>>): Promise<readonly object[]> {
  const seen = new Set<unknown>();
  const found: object[] = [];
  for (const [from, value] of Object.entries(exports)) {
    if (!isMcpServer(value) || seen.has(value)) continue;
    seen.add(value);
    const tools = await toolsOfServer(value).catch((error: unknown) => {
      throw new Error(
        `the server \`${from}\` cannot be read: ${String((error as Error | undefined)?.message ?? error)}`,
      );
    });
    for (const tool of tools) {
      const { name, description, inputSchema, outputSchema } = tool;
      found.push({
        ...{ export: from, name, description: String(description ?? ""), parameters: inputSchema },
        ...(outputSchema === undefined ? {} : { result: outputSchema }),
        annotations: annotationsOf(tool),
      });
    }
  }
  return found;
}

/** A tool as data, or why it is none. */
async function described({ export: from, name, tool }: ModuleTool): Promise<object> {
  const at = { export: from, ...(name === undefined ? {} : { name }) };
  try {
    if (name === undefined) throw new UnreadableTool("has no name", "give it a `name`, or export it by name");
    if (handlerKeyOf(tool) === undefined)
      throw new UnreadableTool(
        "has no function that handles its calls",
        "give it `execute`, `handler`, `func` or `run`; a tool of LangChain has `invoke`",
      );
    const schema = schemaOfTool(tool);
    const { description } = tool;
    const output = tool["outputSchema"];
    return {
      ...at,
      description: typeof description === "string" ? description : "",
      parameters: plain(schema === undefined ? NO_ARGUMENTS : await jsonSchemaOf(schema, importForUser)),
      ...(output === undefined ? {} : await resultOf(output)),
      annotations: annotationsOf(tool),
    };
  } catch (error) {
    if (!(error instanceof UnreadableTool)) throw error;
    return { ...at, fault: error.message, fix: error.fix };
  }
}

/** The schema of the result, if its library says it as JSON Schema: a tool can do without. */
async function resultOf(schema: unknown): Promise<object> {
  if (typeof schema !== "object" || schema === null || "~standard" in schema) return {};
  return { result: plain(await jsonSchemaOf(schema, importForUser)) };
}

/** A copy as plain JSON, without members that JSON does not have. */
function plain(schema: unknown): unknown {
  const text = JSON.stringify(schema) as string | undefined;
  const value = text === undefined ? undefined : (JSON.parse(text) as unknown);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw new UnreadableTool("has an input schema that is no object", 'write { type: "object", properties: { … } }');
}

function annotationsOf(tool: ModuleTool["tool"]): object {
  const given = (typeof tool["annotations"] === "object" && tool["annotations"]) || {};
  const hints = HINTS.flatMap((hint) => {
    const value = (given as Readonly<Record<string, unknown>>)[hint];
    return typeof value === "boolean" ? [[hint, value] as const] : [];
  });
  const title = tool["title"] ?? (given as { readonly title?: unknown }).title;
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}

try {
  const exports = (await import(url)) as Readonly<Record<string, unknown>>;
  const { tools, strangers } = await toolsOfModule(exports);
  const found = [...(await listedByServers(exports))];
  for (const one of tools) found.push(await described(one));
  send({ tools: found, strangers });
} catch (error) {
  const { message = error, stack } = (error ?? {}) as { readonly message?: unknown; readonly stack?: unknown };
  const at = String(stack).split(`${url}:`)[1];
  const line = Number.parseInt(at ?? "", 10);
  send({ failed: String(message), ...(line > 0 ? { line } : {}) });
}
exit(0);
