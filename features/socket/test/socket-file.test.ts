/** The socket file: its place, its mode, and what happens to an existing file. */

import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isUsageError } from "../../../runtime/contract/usage-error.js";
import { freshRoot, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { connect } from "../../../test/support/servers/socket-connection.js";
import { makeSocketFile, socketPath } from "../socket-file.js";
import { serveSocket } from "./served.js";

const mode = (path: string): number => lstatSync(path).mode & 0o777;
const longest = process.platform === "linux" ? 107 : 103;

/** Listens for as long as the test goes on. */
function listening(): { readonly server: Server; readonly listen: (path: string) => Promise<void> } {
  const server = createServer((socket) => socket.destroy());
  onTestFinished(() => void server.close());
  return { server, listen: (path) => new Promise((resolve) => void server.listen(path, resolve)) };
}

/** Makes the file; the message where that is refused. */
async function refusal(root: string, path: string): Promise<string> {
  const { listen } = listening();
  const error = await makeSocketFile(root, path, listen).then(
    () => new Error("made"),
    (error: unknown) => error,
  );
  return isUsageError(error) ? error.message : `no UsageError: ${error}`;
}

/** A stale socket without a server. */
async function staleSocket(path: string): Promise<void> {
  mkdirSync(dirname(path), { mode: 0o700 });
  const { server, listen } = listening();
  const beside = join(dirname(path), "made");
  await listen(beside);
  linkSync(beside, path);
  await new Promise((resolve) => server.close(resolve));
}

test("[S1] after listening the folder is 0700, the socket 0600, both ours, and nothing else is in the folder", async () => {
  const { path } = await serveSocket();
  expect([mode(dirname(path)), mode(path)]).toEqual([0o700, 0o600]);
  expect([lstatSync(dirname(path)).uid, lstatSync(path).uid]).toEqual([process.getuid?.(), process.getuid?.()]);
  expect(readdirSync(dirname(path))).toEqual(["s"]);
});

test("[S2] a path of one byte too many is refused with its length; the longest one works", async () => {
  const root = temporaryFolder();
  const name = (bytes: number): string =>
    join(root, "run", "x".repeat(bytes - Buffer.byteLength(join(root, "run")) - 1));
  expect(Buffer.byteLength(name(longest + 1))).toBe(longest + 1);
  expect(() => socketPath(root, name(longest + 1))).toThrow(`has ${longest + 1} bytes, at most ${longest}`);
  const path = socketPath(root, name(longest));
  await makeSocketFile(root, path, listening().listen);
  expect(lstatSync(path).isSocket()).toBe(true);
  await connect(path);
});

test("bytes count, not letters", () => {
  expect(() => socketPath("/", `/${"ü".repeat(54)}`)).toThrow("has 109 bytes");
});

test("the default path is in the folder of the project, another one counts from the working directory", () => {
  expect(socketPath("/project", undefined)).toBe("/project/.onetool/run/toolwright.sock");
  expect(socketPath("/project", "s")).toBe(join(process.cwd(), "s"));
});

test.each([0o750, 0o705, 0o777, 0o710])("a folder with mode %o is refused, and stays as it is", async (open) => {
  const root = temporaryFolder();
  mkdirSync(join(root, "run"));
  chmodSync(join(root, "run"), open);
  expect(await refusal(root, join(root, "run", "s"))).toMatch(/open to others/);
  expect(mode(join(root, "run"))).toBe(open);
});

test("a folder that is a link is refused", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "real"), { mode: 0o700 });
  symlinkSync(join(root, "real"), join(root, "run"));
  expect(await refusal(root, join(root, "run", "s"))).toMatch(/not a folder/);
});

test.each([
  ["a file", (path: string) => writeFileSync(path, "keep"), /no socket/],
  ["a folder", (path: string) => mkdirSync(path), /no socket/],
  ["a link", (path: string) => symlinkSync("/dev/null", path), /a link/],
  ["a link to nothing", (path: string) => symlinkSync("/nowhere", path), /a link/],
])("%s at the path is refused, and stays", async (_, put, says) => {
  const root = temporaryFolder();
  const path = join(root, "run", "s");
  mkdirSync(join(root, "run"), { mode: 0o700 });
  put(path);
  const before = lstatSync(path).ino;
  expect(await refusal(root, path)).toMatch(says);
  expect(lstatSync(path).ino).toBe(before);
});

test("another server at the path is refused, and still answers", async () => {
  const { path } = await serveSocket();
  expect(await refusal(dirname(dirname(path)), path)).toMatch(/another server/);
  expect(await (await connect(path)).ask("ping")).toMatchObject({ result: {} });
});

test("a stale socket is replaced", async () => {
  const root = temporaryFolder();
  const path = join(root, "run", "s");
  await staleSocket(path);
  expect(lstatSync(path).isSocket()).toBe(true);
  await makeSocketFile(root, path, listening().listen);
  await connect(path);
});

test("of servers that start at once, one gets the path", async () => {
  const root = temporaryFolder();
  const said = await Promise.all(Array.from({ length: 8 }, () => refusal(root, join(root, "run", "s"))));
  expect(said.filter((one) => /another server/.test(one))).toHaveLength(7);
  await connect(join(root, "run", "s"));
});

test("a file that has replaced the socket is not removed at the end", async () => {
  const { path, transport } = await serveSocket();
  unlinkSync(path);
  writeFileSync(path, "another's");
  transport.stop();
  await transport.close();
  expect(existsSync(path)).toBe(true);
});

test("[S2] the command says the length and exits 2; with HTTP and a path that is refused it does not stay", {
  tags: "full",
  timeout: 60_000,
}, async () => {
  const root = freshRoot();
  const long = await toolwright(["serve", "--root", root, "--socket", `/${"x".repeat(longest)}`]);
  expect(long).toMatchObject({ code: 2, stdout: "" });
  expect(long.stderr).toContain(`${longest + 1} bytes`);
  const both = await toolwright(["serve", "--root", root, "--socket", "/tmp/s", "--http", "0"]);
  expect(both).toMatchObject({ code: 2, stdout: "" });
});
