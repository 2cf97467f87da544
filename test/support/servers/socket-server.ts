/** The real server on a socket: `toolwright serve --socket` as a process, its keys, and a record of the traffic. */

import { spawn } from "node:child_process";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { createConnection, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { CHECKOUT, type Json, serverCommand, temporaryFolder, toolwright } from "../project.js";

/** A server process. */
export interface SocketServed {
  readonly path: string;
  stderr(): string;
  /** Ends it as an operator does, and waits until it is gone. */
  stop(): Promise<void>;
}

type Remove = (clean: () => Promise<void>) => void;

/** Starts `toolwright serve --socket` on a root, and ends it after the test. */
export async function serveSocket(root: string, remove: Remove = onTestFinished): Promise<SocketServed> {
  const { command, args } = serverCommand(root, ["--socket"]);
  const child = spawn(
    command,
    args.filter((one) => one !== "--stdio"),
    {
      cwd: CHECKOUT,
      stdio: ["pipe", "ignore", "pipe"],
    },
  );
  const exit = new Promise<number | string>((resolve) =>
    child.once("exit", (code, signal) => resolve(code ?? signal ?? "")),
  );
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exit;
  };
  remove(stop);
  let stderr = "";
  const path = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr += text;
      const [, found] = /listening on (\S+\.sock)/.exec(stderr) ?? [];
      if (found) resolve(found);
    });
    void exit.then((code) => reject(new Error(`ended with ${code}: ${stderr}`)));
  });
  return { path, stderr: () => stderr, stop };
}

/** A new key. */
export interface MadeKey {
  readonly key: string;
  readonly key_id: string;
}

/** Makes a key as the owner of the root does. */
export async function makeKey(root: string, scope: string): Promise<MadeKey> {
  const name = scope.replaceAll(/\W/g, "-");
  const { code, stdout, stderr } = await toolwright([
    ...["keys", "create", "--name", name, "--scope", scope],
    ...["--json", "--root", root],
  ]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** Records of the keys of a root. */
export const keyRecords = (root: string): readonly Json[] =>
  JSON.parse(readFileSync(join(root, ".onetool", "keys"), "utf8")).keys;

/** Changes the record of a key behind everybody's back. */
export function editKey(root: string, { key_id }: MadeKey, change: object): void {
  const path = join(root, ".onetool", "keys");
  const keys = keyRecords(root).map((one) => (one.key_id === key_id ? { ...one, ...change } : one));
  writeFileSync(`${path}.new`, JSON.stringify({ version: 1, keys }), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Lets a key expire, as if its time had come. */
export const expireKey = (root: string, key: MadeKey): void =>
  editKey(root, key, { expires_at: new Date(Date.now() - 1_000).toISOString() });

/** A key of the right form that was never made. */
export const STRANGE_KEY = `oub_zzzzzzzzzz_${"g".repeat(43)}`;

/** What crossed a socket. */
export interface Wire {
  readonly path: string;
  /** Messages of the client, and of the server, in order. */
  readonly sent: readonly Json[];
  readonly answered: readonly Json[];
}

/** A way to a server that keeps what passes by. */
export async function watchedSocket(to: string): Promise<Wire> {
  const path = join(temporaryFolder(), "watched.sock");
  const [sent, answered]: [Json[], Json[]] = [[], []];
  const ends = new Set<Socket>();
  const server = createServer((from) => {
    const there = createConnection(to);
    ends.add(from).add(there);
    from.on("error", () => there.destroy()).once("close", () => there.destroy());
    there.on("error", () => from.destroy()).once("close", () => from.destroy());
    pass(from, there, sent);
    pass(there, from, answered);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(path, resolve));
  onTestFinished(async () => {
    for (const one of ends) one.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { path, sent, answered };
}

function pass(from: Socket, to: Socket, kept: Json[]): void {
  let text = "";
  from.on("data", (chunk) => {
    const lines = `${text}${chunk}`.split("\n");
    text = lines.pop() ?? "";
    kept.push(...lines.map((line) => JSON.parse(line)));
    to.write(chunk);
  });
}

/** Sends one line and gives back the line that answers it, as it came. */
export function ask(path: string, message: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path, () => socket.write(`${JSON.stringify(message)}\n`));
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
      const lines = text.split("\n").slice(0, -1);
      const answer = lines.find((line) => JSON.parse(line).method === undefined);
      if (answer === undefined) return;
      socket.destroy();
      resolve(answer);
    });
    socket.once("error", reject).once("close", () => reject(new Error("closed")));
  });
}
