/** The sides of the bench of calls: servers over stdio and HTTP, each called by the same small client, which parses no answer but its id. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { Agent, request } from "node:http";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { serverCommand } from "../support/project.js";

/** A call of an MCP tool. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: object;
}

/** A server, and a client of it. */
export interface CalledSide {
  readonly pid: number;
  /** Calls a tool; resolves to the message that answers it, as text. */
  call(asked: ToolCall): Promise<string>;
  close(): Promise<void>;
}

/** The call of an op by the gateway tool. */
export const callOp = (op: string, args: object = {}): ToolCall => ({ name: "tool_exec", arguments: { op, args } });

/** The tool of the bare servers. */
export const ECHO: ToolCall = { name: "echo", arguments: {} };

const PROTOCOL = "2025-11-25";
const HELLO = { protocolVersion: PROTOCOL, capabilities: {}, clientInfo: { name: "bench", version: "1" } };

/** Starts `toolwright serve --stdio` on a root. */
export const ownStdio = (root: string, serveFlags: readonly string[] = []): Promise<CalledSide> =>
  overStdio(serverCommand(root, serveFlags));

/** Starts a program of `children/` that serves over stdio. */
export const bareStdio = (program: string, ...args: readonly string[]): Promise<CalledSide> =>
  overStdio({ command: process.execPath, args: [childOf(program), ...args] });

const childOf = (program: string): string => fileURLToPath(new URL(`children/${program}`, import.meta.url));

async function overStdio({ command, args }: { readonly command: string; readonly args: readonly string[] }) {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map<number, (line: string) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [, id] = /"id":(\d+)[,}]/.exec(line) ?? [];
    waiting.get(Number(id))?.(line);
    waiting.delete(Number(id));
  });
  let last = 0;
  const send = (method: string, params: object): Promise<string> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: last, method, params })}\n`);
    });
  await send("initialize", HELLO);
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  return {
    pid: child.pid ?? 0,
    call: (asked: ToolCall) => send("tools/call", asked),
    async close() {
      child.stdin.end();
      await ended(child);
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** A client of a server over HTTP that is already there. */
export function httpClient(pid: number, url: URL, close: () => Promise<void>, key?: string): CalledSide {
  const agent = new Agent({ keepAlive: true });
  let last = 0;
  const call = (params: ToolCall): Promise<string> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++last, method: "tools/call", params });
    const headers = {
      ...{ "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      ...{ accept: "application/json, text/event-stream", "mcp-protocol-version": PROTOCOL },
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    };
    return new Promise((resolve, reject) => {
      const sent = request(url, { method: "POST", agent, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.once("end", () => resolve(text));
      });
      sent.once("error", reject);
      sent.end(body);
    });
  };
  return {
    pid,
    call,
    close: async () => {
      agent.destroy();
      await close();
    },
  };
}

/** Starts the bare server over HTTP. */
export async function bareHttp(): Promise<CalledSide> {
  const child = spawn(process.execPath, [childOf("bare-http.mjs")], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return httpClient(child.pid ?? 0, new URL(`http://127.0.0.1:${Number(String(port))}/mcp`), async () => {
    child.kill();
    await ended(child);
  });
}
