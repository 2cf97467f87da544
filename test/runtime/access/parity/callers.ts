/** Every way to call an op with a key, with its answer reduced to one word: `ok`, or the error code. */

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { principalOfKey } from "../../../../runtime/access/callers.js";
import type { JsonValue } from "../../../../runtime/codegen.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { wireNames } from "../../../../runtime/contract/wire-names.js";
import type { Gateway } from "../../../../runtime/gateway/gateway.js";
import { MODERN } from "../../../support/http.js";
import { type Json, serve } from "../../../support/project.js";
import { ask } from "../../../support/servers/socket-server.js";
import { type Call, TOOLS } from "./model.js";

/** One way to call. */
export interface Way {
  readonly name: string;
  /** Whether a call can be a dry run. */
  readonly dry: boolean;
  /** How a verdict reads here; default: as it is. */
  readonly reads?: (code: string, isRefusal: boolean, op: string) => string;
  /** Whether it asks for many calls at once, which costs little. */
  readonly cheap?: true;
  /** Whether it is there for an op; default: for each. */
  readonly has?: (tool: Tool) => boolean;
  verdicts(calls: readonly Call[]): Promise<readonly string[]>;
  /** The whole answer to one call, without what differs from call to call. */
  says(call: Call): Promise<string>;
}

/** One way to ask for help. */
interface HelpWay extends Pick<Way, "name" | "cheap"> {
  verdicts(ops: readonly string[]): Promise<readonly string[]>;
}

/** What one kind of key can do over one transport. */
export interface Caller {
  readonly ways: readonly Way[];
  /** Whether help knows an op, by each way to ask. */
  readonly help: readonly HelpWay[];
  /** The ops that are listed, by each list. */
  lists(): Promise<Readonly<Record<string, readonly string[]>>>;
  close(): Promise<void>;
}

/** What a call of a tool gave: what it answered, or what the protocol refused it with. */
type Answered = { readonly result: Json } | { readonly fault: Json };
type CallTool = (name: string, args: object) => Promise<Answered>;

const HIDDEN = "-32002";
const BATCH = 20;
const RUN = 40;
/** The name of an op on the socket: its path without the pack, joined with `_`. */
const wireName = (op: string): string => op.replace("oubliette.", "").replaceAll(".", "_");
const NAMES = wireNames(TOOLS);
const OPS = new Map([...NAMES].map(([op, name]) => [name, op]));

const ofEnvelope = (value: Json): string => (value.ok ? "ok" : value.error.code);
const ofHelp = (value: Json): string => (value.type === "op" ? "ok" : (value.error?.code ?? value.type));

async function each<T>(items: readonly T[], one: (item: T) => Promise<string>): Promise<readonly string[]> {
  const found: string[] = [];
  for (const item of items) found.push(await one(item));
  return found;
}

async function inChunks<T>(
  items: readonly T[],
  size: number,
  some: (items: readonly T[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = 0; at < items.length; at += size) found.push(...(await some(items.slice(at, at + size))));
  return found;
}

const dryCall = ({ tool, args, isReal }: Call) => ({
  op: tool.op,
  args,
  ...(tool.kind === "write" && !isReal ? { dry_run: true } : {}),
});

/** A refusal of the protocol: an unknown tool, or a key that is not live. */
function ofFault(fault: Json): string {
  const text = String(fault.message ?? fault);
  if (/\b401\b|unauthori[sz]ed|invalid or expired API key/i.test(text)) return "UNAUTHENTICATED";
  return /tool .* not found|unknown tool/i.test(text) ? "NOT_FOUND" : text;
}

const structured = (answered: Answered, read: (value: Json) => string): string =>
  "fault" in answered ? ofFault(answered.fault) : read(answered.result.structuredContent);

/** An answer as text, without traces, times, and how often the principal has failed alike. */
const said = async (answered: Promise<unknown>): Promise<string> =>
  JSON.stringify(await answered).replaceAll(/tr_[0-9a-f]{16}|,?\\*"(?:latency_ms|repeated)\\*":\d+/g, "");

/** The ways to call an op with gateway tools, over any transport. */
function gatewayWays(transport: string, call: CallTool): readonly Way[] {
  return [
    {
      name: `${transport}: tool_exec`,
      dry: true,
      verdicts: (calls) => each(calls, async (one) => structured(await call("tool_exec", dryCall(one)), ofEnvelope)),
      says: (one) => said(call("tool_exec", dryCall(one))),
    },
    {
      name: `${transport}: tool_batch`,
      dry: true,
      cheap: true,
      verdicts: (calls) => inChunks(calls, BATCH, (some) => batched(call, some.map(dryCall), ofEnvelope)),
      says: (one) => said(call("tool_batch", { ops: [dryCall(one)] })),
    },
  ];
}

async function batched(call: CallTool, ops: readonly object[], read: (value: Json) => string) {
  const answered = await call("tool_batch", { ops });
  if ("fault" in answered) return ops.map(() => ofFault(answered.fault));
  const { results, error } = answered.result.structuredContent;
  return ops.map((_, at) => (results ? read(results[at]) : error.code));
}

function helpWays(transport: string, call: CallTool): Caller["help"] {
  return [
    {
      name: `${transport}: tool_help`,
      verdicts: (ops) => each(ops, async (path) => structured(await call("tool_help", { path }), ofHelp)),
    },
    {
      name: `${transport}: help in a batch`,
      cheap: true,
      verdicts: (ops) =>
        inChunks(ops, BATCH, (some) =>
          batched(
            call,
            some.map((path) => ({ type: "help", path })),
            ({ help_type, ...value }) => ofHelp({ ...value, type: help_type }),
          ),
        ),
    },
  ];
}

/** Ways that only MCP transports have: each op as a tool of its own, and code. */
function mcpWays(transport: string, call: CallTool): readonly Way[] {
  const ask = ({ tool, args }: Call) => call(NAMES.get(tool.op) ?? tool.op, args);
  const own = async (one: Call): Promise<string> => {
    const answered = await ask(one);
    if ("fault" in answered) return ofFault(answered.fault);
    const { isError, content, structuredContent } = answered.result;
    if (!isError) return "ok";
    const { error, code } = structuredContent ?? JSON.parse(content[0].text);
    return error?.code ?? code;
  };
  return [
    {
      name: `${transport}: a tool of its own`,
      dry: false,
      verdicts: (calls) => each(calls, own),
      says: (one) => said(ask(one)),
    },
    {
      name: `${transport}: run`,
      dry: false,
      cheap: true,
      reads: (code, isRefusal, op) => (!isRefusal && TEXTS.has(op) ? "ok" : TOLD.has(code) ? code : "raised"),
      verdicts: (calls) => inChunks(calls, RUN, (some) => inRun(call, some)),
      says: (one) => said(call("run", { command: expression(one) })),
    },
  ];
}

/** A call as code. */
const expression = ({ tool, args }: Call): string =>
  `${tool.op}(${Object.entries(args).map(([name, value]) => `${name}=${python(value as JsonValue)}`)})`;

/** Calls in one run, each with what came of it. */
async function inRun(call: CallTool, calls: readonly Call[]): Promise<readonly string[]> {
  const lines = calls.flatMap((one) => [
    "try:",
    `    ${expression(one)}`,
    '    said.append("ok")',
    "except Exception as error:",
    '    said.append(type(error).__name__ + ": " + str(error))',
  ]);
  const answered = await call("run", { command: ["said = []", ...lines, "said"].join("\n") });
  if ("fault" in answered) return calls.map(() => ofFault(answered.fault));
  const { isError, structuredContent, content } = answered.result;
  const [{ text }] = content;
  if (isError) return calls.map(() => structuredContent?.error.code ?? text);
  return JSON.parse(text).map(ofException);
}

/** Ops whose own failures code is given as a text, which it may print. */
const TEXTS: ReadonlySet<string> = new Set(["ot.result", "ot.resume"]);

/** Codes that code can distinguish; any other one is raised as the exception of its handler. */
const TOLD: ReadonlySet<string> = new Set(["ok", "NOT_FOUND", "VALIDATION_ERROR", "UNAUTHENTICATED"]);

/** What is not shown is not there in code either; an argument too many or too few is an error of the language. */
function ofException(text: string): string {
  if (/^(?:AttributeError|NameError|LookupError): /.test(text)) return "NOT_FOUND";
  if (/^TypeError: .*(?:unexpected keyword|missing .*) argument/.test(text)) return "VALIDATION_ERROR";
  return text === "ok" ? text : "raised";
}

function python(value: JsonValue): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one as JsonValue)}`);
  return `{${pairs.join(", ")}}`;
}

/** The ops that `ot.tools` lists. */
async function otTools(call: CallTool): Promise<readonly string[]> {
  const answered = await call("tool_exec", { op: "ot.tools", args: { info: "list" } });
  if ("fault" in answered || !answered.result.structuredContent.ok) return [];
  return namesIn(answered.result.structuredContent.result);
}

const namesIn = (result: Json): readonly string[] => result.map((one: Json) => one.op ?? one.name ?? one);

function mcpCaller(transport: string, client: Client): Caller {
  const call: CallTool = (name, args) =>
    client.callTool({ name, arguments: { ...args } }).then(
      (result) => ({ result }),
      (fault) => ({ fault }),
    );
  return {
    ways: [...gatewayWays(transport, call), ...mcpWays(transport, call)],
    help: helpWays(transport, call),
    lists: async () => ({
      [`${transport}: tools/list`]: await client.listTools().then(
        ({ tools }) => tools.flatMap(({ name }) => OPS.get(name) ?? []),
        () => [],
      ),
      [`${transport}: ot.tools`]: await otTools(call),
    }),
    close: () => client.close(),
  };
}

/** A server process of its own, which has the key in its environment. */
export async function stdioCaller(root: string, key: string): Promise<Caller> {
  const { client } = await serve(root, [], { OUBLIETTE_API_KEY: key });
  return mcpCaller("stdio", client);
}

/** HTTP in one of the eras; the connection is made with a good key, since clients do not get further with a bad one. */
export async function httpCaller(url: string, era: "older" | "newer", key: string, good: string): Promise<Caller> {
  const mode: Json = era === "older" ? { mode: "legacy" } : { mode: { pin: MODERN } };
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: mode });
  let shown = good;
  const withKey: typeof fetch = (to, init) => {
    const headers = new Headers(init?.headers);
    headers.set("authorization", `Bearer ${shown}`);
    return fetch(to, { ...init, headers });
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: withKey }));
  shown = key;
  return mcpCaller(`HTTP, ${era} era`, client);
}

/** The socket: ops of its pack under their names there, all others through the gateway tools. */
export function socketCaller(path: string, key: string): Caller {
  const send = async (method: string, params: object): Promise<Json> =>
    JSON.parse(await ask(path, { jsonrpc: "2.0", id: 1, method, params: { api_key: key, ...params } }));
  const call: CallTool = async (tool, args) => {
    const { result, error } = await send("oubliette_call_tool", { tool, arguments: args });
    return error ? { fault: error } : { result };
  };
  const wired = ({ tool, args }: Call) => send("oubliette_call_tool", { tool: wireName(tool.op), arguments: args });
  const own = async (one: Call): Promise<string> => {
    const { error } = await wired(one);
    if (!error) return "ok";
    const { code, data } = error;
    const isRefusal = code === -32_002 && data.code === "PERMISSION_DENIED";
    return isRefusal ? HIDDEN : data.code;
  };
  const hiddenOr: Way["reads"] = (code, isRefusal) => (isRefusal && code === "NOT_FOUND" ? HIDDEN : code);
  const has = ({ group }: Tool): boolean => group === "oubliette";
  return {
    ways: [
      ...gatewayWays("socket", call),
      {
        name: "socket: a tool of its own",
        dry: false,
        has,
        reads: hiddenOr,
        verdicts: (calls) => each(calls, own),
        says: (one) => said(wired(one)),
      },
    ],
    help: helpWays("socket", call),
    async lists() {
      const { result } = await send("oubliette_tools", {});
      const names = new Map(TOOLS.filter(has).map((tool) => [wireName(tool.op), tool.op]));
      const others = (await otTools(call)).filter((op) => !op.startsWith("oubliette."));
      const pack = result ? result.tools.map(({ name }: Json) => names.get(name) ?? name) : [];
      return { "socket: oubliette_tools and ot.tools": [...pack, ...others] };
    },
    close: async () => undefined,
  };
}

/** Dispatch itself, in this process. */
export function dispatchCaller(gateway: Gateway, key: string): Caller {
  const principal = () => principalOfKey(gateway.keys, key);
  const call: CallTool = async (name, args) => {
    const who = await principal();
    if (!who) return { fault: { message: "invalid or expired API key" } };
    const tools: Readonly<Record<string, () => unknown>> = {
      tool_exec: () => gateway.dispatch(args, who),
      tool_batch: () => gateway.batch(args, who),
      tool_help: () => gateway.help(args, who),
    };
    return { result: { structuredContent: await tools[name]?.() } };
  };
  return {
    ways: gatewayWays("dispatch", call),
    help: helpWays("dispatch", call),
    lists: async () => {
      const who = await principal();
      const view = who ? gateway.index.view(who.grant).listed.map(({ op }) => op) : [];
      return { "dispatch: the view": view, "dispatch: ot.tools": await otTools(call) };
    },
    close: async () => undefined,
  };
}
