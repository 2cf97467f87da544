/** Tools of a server that gives back its arguments, called through every entry: what each entry sends for the same call. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { pythonLiteral } from "../../../runtime/contract/python-types.js";
import { serveHttp } from "../http.js";
import { type Json, serve, temporaryFolder, toolwright } from "../project.js";
import { calls } from "./upstreams.js";

/** A tool as a server lists it. */
export interface EchoTool {
  readonly name: string;
  readonly inputSchema: object;
}

/** What a call came to: the arguments that the server got, or the message of the error; and the codes of the warnings. */
export interface Echoed {
  readonly sent?: Json;
  readonly error?: string;
  readonly warnings: readonly string[];
}

type Entry = (tool: string, args: Readonly<Record<string, Json>>) => Promise<Echoed>;

/** A running project whose server `odd` has these tools. */
export interface Echoing {
  readonly root: string;
  /** Every entry by its name: `run` gives arguments as keywords. */
  readonly entries: Readonly<Record<"exec" | "batch" | "run" | "api" | "typed" | "cli", Entry>>;
  /** What a piece of Python gives, or the text of its failure. */
  python(command: string): Promise<Json>;
  /** The answer of a gateway tool. */
  call(tool: string, args: object): Promise<Json>;
  /** The schemas of the typed tools by name. */
  schemas(): Promise<Readonly<Record<string, Json>>>;
}

const codes = (warnings: readonly string[] = []): readonly string[] =>
  warnings.map((one) => one.slice(0, one.indexOf(":")));

const ofEnvelope = (envelope: Json): Echoed => ({
  ...(envelope.ok === true || envelope.error === undefined
    ? { sent: envelope.result?.arguments }
    : { error: envelope.error.message }),
  warnings: codes(envelope.meta?.warnings),
});

const parsed = (text: string): Json => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Starts a project on the tools; it ends with the test or the file. */
export async function echoing(
  tools: readonly EchoTool[],
  remove: (clean: () => Promise<void>) => void,
  settings: object = {},
): Promise<Echoing> {
  const root = temporaryFolder((clean) => remove(async () => clean()));
  const list = tools.map((one) => ({ description: "Gives back.", ...one }));
  const config = {
    sources: [{ mcp: "servers/*.json" }],
    access: { allow_write: true },
    servers: { odd: calls({ list }) },
    expose: { hot: ["odd.*"] },
    ...settings,
  };
  mkdirSync(join(root, "definitions"), { recursive: true });
  writeFileSync(join(root, "definitions", "toolwright.yaml"), stringify(config));
  for (const args of [["snapshot", "odd"], ["generate"]]) {
    const { code, stderr, stdout } = await toolwright([...args, "--root", root]);
    if (code !== 0) throw new Error(stdout + stderr);
  }
  const served = await serve(root);
  remove(() => served.close());
  const http = await serveHttp(root, [], remove);
  const registry: Json = await import(join(root, "generated", "registry.json"), { with: { type: "json" } });
  const toolOf = (name: string): Json => registry.default.tools.find((one: Json) => one.tool_name === name);
  const opOf = (name: string): string => toolOf(name)?.op ?? `odd.${name}`;
  const call = async (name: string, args: object): Promise<Json> => (await served.call(name, { ...args })).value;
  const python = async (command: string): Promise<Json> => {
    const { content, isError } = (await served.client.callTool({ name: "run", arguments: { command } })) as Json;
    const { text } = content[0];
    return isError ? text : (parsed(text) ?? text);
  };
  const wireNames = new Map<string, string>();
  const typedName = async (name: string): Promise<string> => {
    if (wireNames.size === 0)
      for (const one of (await served.client.listTools()).tools) wireNames.set(one.name, one.name);
    return wireNames.get(name) ?? opOf(name).replaceAll(".", "_");
  };
  return {
    root,
    python,
    call,
    schemas: async () =>
      Object.fromEntries((await served.client.listTools()).tools.map((one) => [one.name, one.inputSchema])),
    entries: {
      exec: async (tool, args) => ofEnvelope(await call("tool_exec", { op: opOf(tool), args })),
      batch: async (tool, args) => {
        const { results } = await call("tool_batch", { ops: [{ op: opOf(tool), args }] });
        return ofEnvelope(results[0]);
      },
      run: async (tool, args) => {
        const answer = await python(`${opOf(tool)}(**${pythonLiteral(args)})`);
        return typeof answer === "string" ? { error: answer, warnings: [] } : { sent: answer?.arguments, warnings: [] };
      },
      api: async (tool, args) => {
        const answer = await fetch(new URL("/api/exec", http.url), {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ op: opOf(tool), args }),
        });
        return ofEnvelope(await answer.json());
      },
      typed: async (tool, args) => {
        const answer: Json = await served.client.callTool({ name: await typedName(tool), arguments: { ...args } });
        const value = answer.structuredContent ?? parsed(answer.content[0]?.text) ?? answer.content[0]?.text;
        return answer.isError
          ? {
              error: typeof value === "string" ? value : (value?.error?.message ?? JSON.stringify(value)),
              warnings: [],
            }
          : { sent: value?.arguments, warnings: [] };
      },
      cli: async (tool, args) => {
        const flags = ["--json", "--allow-write", "--root", root];
        const { stdout, stderr } = await toolwright(["exec", opOf(tool), "--args", JSON.stringify(args), ...flags]);
        return stdout === "" ? { error: stderr, warnings: [] } : ofEnvelope(JSON.parse(stdout));
      },
    },
  };
}
