/**
 * The worked example, step by step as a client goes through it: `npm run example`.
 *
 * Starts the server on a fresh embedded database, moves the document "API Spec" under the folder "Engineering", and prints every
 * call and answer. Ends with how to connect your own client.
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const LAUNCHER = join(CHECKOUT, "generator", "launch.mjs");
const MAX_LINES = 24;

const isTerminal = process.stdout.isTTY === true && process.env["NO_COLOR"] === undefined;
const bold = (text: string): string => (isTerminal ? `\u001b[1m${text}\u001b[0m` : text);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

interface Found {
  readonly id: string;
  readonly label: string;
}

interface Envelope {
  readonly ok: boolean;
  readonly result?: {
    readonly project?: { readonly id: string };
    readonly document?: { readonly id: string };
    readonly items?: readonly Found[];
    readonly documents?: Readonly<Record<string, { readonly title: string }>>;
    readonly moved?: boolean;
  };
}

/** The project's folders with a state of their own, so that the example starts from nothing and leaves nothing. */
function freshRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "toolwright-example-"));
  for (const folder of ["definitions", "generated"])
    symlinkSync(join(CHECKOUT, folder), join(root, folder), "junction");
  return root;
}

function shown(value: unknown): string {
  const lines = inspect(value, {
    depth: 8,
    colors: isTerminal,
    breakLength: 110,
    compact: 4,
    maxStringLength: 160,
  }).split("\n");
  const rest = lines.length - MAX_LINES;
  return [...lines.slice(0, MAX_LINES), ...(rest > 0 ? [`… ${rest} more lines`] : [])]
    .map((line) => `    ${line}`)
    .join("\n");
}

/** Calls a gateway tool and prints both directions. */
async function call(client: Client, about: string, name: string, args: Record<string, unknown>): Promise<Envelope> {
  say(`\n${bold(about)}`);
  say(`  → ${name} ${JSON.stringify(args)}`);
  const { structuredContent, isError } = await client.callTool({ name, arguments: args });
  say(`  ← ${isError ? "error" : "ok"}\n${shown(structuredContent)}`);
  if (isError) throw new Error(`${about} failed`);
  return structuredContent as unknown as Envelope;
}

async function example(client: Client): Promise<void> {
  const exec = (about: string, op: string, args: object): Promise<Envelope> =>
    call(client, about, "tool_exec", { op, args });
  const { tools } = await client.listTools();
  say(`The client sees ${tools.length} tools: ${tools.map((one) => one.name).join(", ")}`);

  const { result: made } = await exec("Make a project to work in.", "onto.project.create", {
    project: { name: "Payments", type_key: "project.technical.platform" },
    entities: [],
    relationships: [],
  });
  const project_id = made?.project?.id;
  for (const [title, description] of [
    ["Engineering", "Folder for everything that engineers need."],
    ["API Spec", "Endpoints, errors and limits of the payments API."],
  ] as const)
    await exec(`Write the document ${title}.`, "onto.document.create", {
      project_id,
      title,
      description,
      content: `# ${title}`,
    });

  say(`\n${bold('"Move the API Spec doc under the Engineering folder", says the user.')}`);
  const { result: hits } = await exec("Find the document.", "onto.document.search", { search: "API Spec", limit: 10 });
  await call(client, "Not sure how a move is written: ask.", "tool_help", {
    path: "onto.document.tree.move",
    format: "short",
  });
  const { result: tree } = await exec("Find the folder.", "onto.document.tree.get", {
    project_id,
    include_documents: true,
  });
  const folder = Object.entries(tree?.documents ?? {}).find(([, one]) => one.title === "Engineering")?.[0];
  const document_id = hits?.items?.[0]?.id;
  await exec("Move it.", "onto.document.tree.move", { project_id, document_id, new_parent_id: folder });
  await exec("Read the tree again.", "onto.document.tree.get", { project_id });
}

function howToConnect(): void {
  say(`\n${bold("To connect a client of your own, give it this server:")}`);
  execFileSync(process.execPath, [LAUNCHER, "connect", "json", "--root", CHECKOUT, "--allow-write"], {
    stdio: ["ignore", "inherit", "ignore"],
  });
  say("\nFor a client that is known: npm run --silent toolwright -- connect claude-code --allow-write --write");
  say("Or from a terminal: npm run --silent toolwright -- help");
}

const root = freshRoot();
const client = new Client({ name: "worked-example", version: "1" });
try {
  const args = [LAUNCHER, "serve", "--stdio", "--root", root, "--allow-write", "--log-level", "warn"];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
  await example(client);
  howToConnect();
} catch (error) {
  process.stderr.write(`the example failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await client.close();
  rmSync(root, { recursive: true, force: true });
}
