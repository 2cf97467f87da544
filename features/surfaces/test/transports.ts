/** Every transport as a function from a call to its envelope, and the root over which the transports are compared. */

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Call, httpCall } from "toolwright/codegen";
import { pythonLiteral } from "../../../runtime/contract/python-types.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { CLIENTS } from "../../../test/support/http.js";
import { CHECKOUT, type Json, type Served, temporaryFolder, toolwright } from "../../../test/support/project.js";

/** Names of all surfaces. */
export const SURFACES = "[skill, openai, anthropic, typescript, python]";

/** A root with this repository's definitions, all surfaces, and writes that are dry runs unless a call says otherwise. */
export async function surfacesRoot(
  tools: readonly Tool[],
  remove: (clean: () => void) => void,
  settings: readonly string[] = [],
): Promise<string> {
  const root = temporaryFolder(remove);
  const definitions = join(root, "definitions");
  for (const folder of [definitions, join(root, "node_modules")]) mkdirSync(folder);
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  symlinkSync(join(CHECKOUT, "runtime"), join(root, "runtime"));
  for (const name of readdirSync(join(CHECKOUT, "definitions")))
    symlinkSync(
      join(CHECKOUT, "definitions", name),
      join(definitions, name === "toolwright.yaml" ? "base.yaml" : name),
    );
  const isShared = (name: string): boolean => tools.filter(({ tool_name }) => tool_name === name).length > 1;
  const dry = tools
    .filter(({ kind }) => kind === "write")
    .map(({ group, tool_name: name }) => `  ${isShared(name) ? `${group}/` : ""}${name}: { dry_run: true }`);
  writeFileSync(
    join(definitions, "toolwright.yaml"),
    [`include: [base.yaml]`, `surfaces: ${SURFACES}`, ...settings, "ops:", ...dry, ""].join("\n"),
  );
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  if (code !== 0) throw new Error(stderr);
  return root;
}

/** A call to compare. */
export interface Compared {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, Json>>;
}

/** Answers a call with its envelope. */
export type SendCall = (call: Compared) => Promise<Json>;

const dryRun = ({ kind }: Tool): object => (kind === "write" ? { dry_run: true } : {});
/** The call as `tool_exec` takes it. */
export const requestOf = ({ tool, args }: Compared) => ({ op: tool.op, args, ...dryRun(tool) });

/** `tool_exec` over HTTP. */
export async function httpMcp(url: string): Promise<{ readonly send: SendCall; close(): Promise<void> }> {
  const [, connect] = CLIENTS[0] as (typeof CLIENTS)[number];
  const client = await connect(url);
  return { send: (call) => client.call("tool_exec", requestOf(call)), close: () => client.close() };
}

/** `POST /api/exec`, by hand. */
export const api =
  (url: string): SendCall =>
  async (call) => {
    const answer = await fetch(new URL("/api/exec", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(requestOf(call)),
    });
    return answer.json();
  };

/** The emitted TypeScript client. */
export async function typescriptClient(root: string, url: string): Promise<SendCall> {
  const path = join(root, "generated", "surfaces", "client.ts");
  const { createClient } = (await import(/* @vite-ignore */ path)) as { createClient(call: Call): Json };
  const client = createClient(httpCall({ url }));
  return ({ tool, args }) => {
    const method = tool.op.split(".").reduce((at, name) => at[name], client);
    return method(args, tool.kind === "write" ? { dryRun: true } : {});
  };
}

/** The command line. */
export const commandLine =
  (root: string): SendCall =>
  async ({ tool, args }) => {
    const flags = ["--json", "--allow-write", "--root", root, ...(tool.kind === "write" ? ["--dry-run"] : [])];
    const { stdout, stderr } = await toolwright(["exec", tool.op, "--args", JSON.stringify(args), ...flags]);
    if (stdout === "") throw new Error(stderr);
    return JSON.parse(stdout);
  };

const PYTHON = `
import json, sys
from client import Client, ToolError, http_call
given = json.load(sys.stdin)
send = http_call(given["url"])
envelopes = []
def call(request):
    envelopes.append(send(request))
    return envelopes[-1]
answers = []
for one in given["calls"]:
    at = Client(call, dry_run=True if one["write"] else None)
    for name in one["path"]:
        at = getattr(at, name)
    raised = None
    try:
        if one["keywords"] is None:
            result = call({"op": one["op"], "args": one["args"], **({"dry_run": True} if one["write"] else {})}).get("result")
        else:
            result = at(**one["keywords"])
    except ToolError as error:
        raised = {"code": error.code, "message": error.message, "details": error.details}
        result = None
        assert error.envelope is envelopes[-1]
    answers.append({"envelope": envelopes[-1], "result": result, "raised": raised})
json.dump(answers, sys.stdout)
`;

/** What one call through the emitted Python client came to. */
export interface PythonAnswer {
  readonly envelope: Json;
  readonly result: Json;
  readonly raised: Json;
}

/** The emitted Python client: one process for all calls. A call with an argument that no method has is sent without one. */
export function pythonClient(root: string, url: string, calls: readonly Compared[]): Promise<readonly PythonAnswer[]> {
  const told = calls.map(({ tool, args }) => {
    const known = new Map(tool.parameters.map(({ original, name }) => [original, name]));
    const named = Object.entries(args).map(([key, value]) => [known.get(key), value] as const);
    const fits =
      named.every(([name]) => name !== undefined) &&
      tool.parameters.every((one) => !one.required || one.original in args);
    const keywords = fits ? Object.fromEntries(named) : null;
    return { path: tool.op.split("."), op: tool.op, write: tool.kind === "write", args, keywords };
  });
  const env = { ...process.env, PYTHONPATH: join(root, "generated", "surfaces"), PYTHONDONTWRITEBYTECODE: "1" };
  return new Promise((resolve, reject) => {
    const child = spawn("python3", ["-c", PYTHON], { env, stdio: ["pipe", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve(JSON.parse(out)) : reject(new Error(err))));
    child.stdin.end(JSON.stringify({ url, calls: told }));
  });
}

/** `run()`: `{ ok, result }`, or `{ ok, error }` with what was raised. */
export const inRun =
  ({ client }: Served): SendCall =>
  async ({ tool, args }) => {
    const names = new Map(tool.parameters.map(({ original, name }) => [original, name]));
    const keywords = Object.entries(args).map(([key, value]) => `${names.get(key) ?? key}=${pythonLiteral(value)}`);
    const code = [
      "import json",
      "try:",
      `    answer = {"ok": True, "result": ${tool.op}(${keywords.join(", ")})}`,
      "except Exception as error:",
      '    answer = {"ok": False, "error": str(error)}',
      "json.dumps(answer)",
    ];
    const { content } = await client.callTool({ name: "run", arguments: { command: code.join("\n") } });
    const [block] = content;
    const text = block?.type === "text" ? block.text : "";
    try {
      return JSON.parse(text);
    } catch {
      throw new Error(`${tool.op}: ${text.slice(0, 500)}`);
    }
  };

/** The registry of this repository. */
export const ownTools = (): readonly Tool[] =>
  JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8")).tools;
