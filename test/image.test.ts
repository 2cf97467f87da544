/** The image of `deploy/Dockerfile`: built from the packed package, and started. @module-tag full */

import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { buildah, canBuild, inContainer, makeBaseImage, npmSettings } from "./base-image.js";
import { freePort } from "./support/ports.js";
import { CHECKOUT, type Json, temporaryFolder } from "./support/project.js";

const IMAGE = "localhost/toolwright-test";
const MAIN = "node_modules/toolwright/dist/generator/main.js";

/** The base image that the Dockerfile names. */
const baseImage = (): string => {
  const [, name = ""] = /^FROM (\S+)$/m.exec(readFileSync(join(CHECKOUT, "deploy/Dockerfile"), "utf8")) ?? [];
  return `docker.io/library/${name}`;
};

/** A project as docs/operating.md describes it, with the packed package. */
function project(): string {
  const root = temporaryFolder();
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", root], { cwd: CHECKOUT, stdio: "ignore" });
  const tarball = readdirSync(root).find((name) => name.endsWith(".tgz")) ?? "";
  writeFileSync(join(root, "package.json"), JSON.stringify({ dependencies: { toolwright: `file:${tarball}` } }));
  const install = ["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", install, { cwd: root, stdio: "ignore" });
  completeLock(join(root, "package-lock.json"));
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/toolwright.yaml"), "use: [ot]\nsources: []\n");
  for (const name of ["Dockerfile", ".dockerignore"]) cpSync(join(CHECKOUT, "deploy", name), join(root, name));
  execFileSync("node", [join(CHECKOUT, "dist/generator/main.js"), "generate", "--root", root], { stdio: "ignore" });
  return root;
}

/** Adds packages for other platforms that the registry does not serve: `npm ci` wants them in the lock, and skips them. */
function completeLock(file: string): void {
  const lock: Json = JSON.parse(readFileSync(file, "utf8"));
  for (const { optionalDependencies = {} } of Object.values<Json>(lock.packages))
    for (const [name, version] of Object.entries(optionalDependencies))
      lock.packages[`node_modules/${name}`] ??= { version, optional: true, os: ["none"] };
  writeFileSync(file, JSON.stringify(lock));
}

test.skipIf(!canBuild)(
  "it is built from the packed package, and serves as a user without rights",
  { timeout: 900_000, tags: "full" },
  async () => {
    makeBaseImage(baseImage());
    buildah("bud", "--format", "docker", "--pull-never", "--network", "host", ...npmSettings(), "-t", IMAGE, project());
    onTestFinished(() => void buildah("rmi", "--force", IMAGE));
    const container = buildah("from", "--pull-never", IMAGE);
    onTestFinished(() => void buildah("rm", container));
    const run = (...words: readonly string[]): string => {
      const { command, args, env } = inContainer(container, ...words);
      return execFileSync(command, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
    };
    expect(run("id", "-u")).toBe("10001");
    expect(run("sh", "-c", "command -v npm npx yarn corepack || true")).toBe("");
    expect(() => run("sh", "-c", "touch /app/definitions/new 2>&1")).toThrow();
    // The directory of the state is a volume: each `buildah run` would have a new one, so key and server are in one.
    const port = await freePort();
    const keys = `node ${MAIN} keys init --out .onetool/admin.key && cat .onetool/admin.key`;
    // The shell ends its server when it reads a line, or the end of its input.
    const serving = `node ${MAIN} serve --http 0.0.0.0:${port} & read -r _; kill -TERM $!; wait $!`;
    const { command, args, env } = inContainer(container, "sh", "-c", `${keys} && { ${serving}; }`);
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    let printed = "";
    child.stdout.on("data", (text: Buffer) => {
      printed += text;
    });
    const isHealthy = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(isHealthy, { timeout: 60_000, interval: 250 }).toBe(true);
    const key = /\S{40,}/.exec(printed)?.[0] ?? "";
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const client = new Client({ name: "image", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`), { requestInit }));
    const { structuredContent } = await client.callTool({ name: "tool_exec", arguments: { op: "ot.version" } });
    expect(structuredContent).toMatchObject({ ok: true });
    await client.close();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end("end\n");
    await ended;
    expect(await isHealthy()).toBe(false);
  },
);
