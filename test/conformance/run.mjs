#!/usr/bin/env node
// Runs the official conformance suite against the fixture project, served over HTTP, and its scenarios of OAuth against the client of
// upstream servers (auth-client.ts), and compares with expected-failures.yml.
// The suite and the Node that it needs are installed into .cache/conformance/ on the first run; nothing else uses them.
//   npm run conformance [-- --verbose]
import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";

const here = fileURLToPath(new URL(".", import.meta.url));
const checkout = fileURLToPath(new URL("../..", import.meta.url));
const cache = join(checkout, ".cache", "conformance");
const launcher = join(checkout, "generator", "launch.mjs");
const isVerbose = process.argv.includes("--verbose");

/** Exact versions: another one may ask for other tools. */
const PACKAGES = {
  node: "22.23.3",
  "conformance-released": "npm:@modelcontextprotocol/conformance@0.1.16",
  "conformance-next": "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12",
  inspector: "npm:@modelcontextprotocol/inspector@0.15.0",
};
/** What is run of the suite: the protocols up to 2025-11-25, and the one after them. */
const SUITES = {
  "2025-11-25": ["conformance-released", ["--suite", "all"]],
  "2026-07-28": ["conformance-next", ["--suite", "all", "--spec-version", "2026-07-28"]],
};
/** What is run of the suite against the client of upstream servers: of these suites and editions, the scenarios of OAuth count. */
const CLIENT_SUITES = {
  "client 2025-11-25": [
    ["auth", "2025-11-25"],
    ["backcompat", "2025-03-26"],
  ],
  "client 2026-07-28": [
    ["auth", "2026-07-28"],
    ["draft", "2026-07-28"],
  ],
  "configured client 2025-11-25": [["auth", "2025-11-25"]],
  "configured client 2026-07-28": [
    ["auth", "2026-07-28"],
    ["draft", "2026-07-28"],
  ],
};
/** Time limit of one of them, in ms; the program of the client is compiled in it. */
const CLIENT_TIMEOUT_MS = 120_000;
/** What a person would ask of the server with the Inspector: its arguments, and what the answer must hold. */
const INSPECTOR = [
  ["tools/list", [], /"test_simple_text"/],
  ["tools/call", ["--tool-name", "test_simple_text"], /This is a simple text response/],
  ["resources/list", [], /"resources"/],
  ["prompts/list", [], /"test_simple_prompt"/],
  ["prompts/get", ["--prompt-name", "test_simple_prompt"], /This is a simple prompt/],
];

/** Runs a command to its end. */
function run(command, args, { env = {}, cwd = checkout } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

/** As `run`, for what must succeed. */
async function must(command, args, options) {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}\n${output}`);
  return output;
}

async function install() {
  const manifest = `${JSON.stringify({ private: true, dependencies: PACKAGES }, null, 2)}\n`;
  const stamp = join(cache, "installed.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === manifest) return;
  process.stdout.write("installing the suite and Node 22 into .cache/conformance/ …\n");
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  writeFileSync(join(cache, "package.json"), manifest);
  // The suite asks for a newer Node, which is installed beside it.
  await must("npm", ["install", "--no-audit", "--no-fund", "--no-package-lock", "--engine-strict=false"], {
    cwd: cache,
  });
  writeFileSync(stamp, manifest);
}

const ENV = {
  CONFORMANCE_CONTENT_SERVER: join(here, "content-server.mjs"),
  CONFORMANCE_ASKING_SERVER: join(here, "asking-server.mjs"),
};

/** A copy of the fixture with its code generated. */
async function project() {
  const root = mkdtempSync(join(tmpdir(), "toolwright-conformance-"));
  cpSync(join(here, "definitions"), join(root, "definitions"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(checkout, join(root, "node_modules", "toolwright"));
  for (const command of ["snapshot", "generate"])
    await must(process.execPath, [launcher, command, "--root", root], { env: ENV });
  return root;
}

/** Serves the project; resolves with its address and how to end it. */
function serve(root) {
  const flags = ["--root", root, "--http", "0", "--allow-write", "--log-level", isVerbose ? "debug" : "warn"];
  const child = spawn(process.execPath, [launcher, "serve", ...flags], {
    cwd: checkout,
    env: { ...process.env, ...ENV },
    stdio: ["ignore", "inherit", "pipe"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return new Promise((resolve, reject) => {
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      said += text;
      if (isVerbose) process.stderr.write(text);
      const [, url] = /listening on (\S+)/.exec(said) ?? [];
      if (url) resolve({ url, end });
    });
    void ended.then((code) => reject(new Error(`the server ended with ${code}\n${said}`)));
  });
}

const node = () => join(cache, "node_modules", "node", "bin", "node");

/** Scenario to the reasons why it failed, none where it passed. */
async function suite(name, url, folder) {
  const [edition, flags] = SUITES[name];
  const program = join(cache, "node_modules", edition, "dist", "index.js");
  const results = join(folder, name);
  const { output } = await run(node(), [program, "server", "--url", url, "-o", results, ...flags], { cwd: folder });
  if (isVerbose) process.stdout.write(output);
  if (!existsSync(results)) throw new Error(`the suite ${name} did not run\n${output}`);
  return new Map(
    readdirSync(results, { recursive: true })
      .filter((file) => file.endsWith("checks.json"))
      .map((file) => {
        const scenario = file.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, "");
        const checks = JSON.parse(readFileSync(join(results, file), "utf8"));
        const failed = checks.filter(({ status }) => status === "FAILURE");
        return [scenario, failed.map(({ id, errorMessage }) => `${id}: ${errorMessage}`)];
      }),
  );
}

/** As `suite`, for the client. The suite decides: in some scenarios the client has to fail, in the others it may not. */
async function clientSuite(name, folder) {
  const program = join(cache, "node_modules", "conformance-next", "dist", "index.js");
  const client = [process.execPath, "--import", "tsx", "-C", "toolwright-source", join(here, "auth-client.ts")].join(
    " ",
  );
  const env = name.startsWith("configured") ? { CONFORMANCE_AUTH: "configured" } : {};
  const found = new Map();
  for (const [part, edition] of CLIENT_SUITES[name]) {
    const which = ["--suite", part, "--spec-version", edition, "--timeout", String(CLIENT_TIMEOUT_MS)];
    const results = join(folder, `${name}-${part}`.replaceAll(" ", "-"));
    const { output } = await run(node(), [program, "client", "--command", client, "-o", results, ...which], { env });
    if (isVerbose) process.stdout.write(output);
    const lines = [...output.matchAll(/^(✓|✗) auth\/(\S+): (.*)$/gm)];
    if (lines.length === 0) throw new Error(`the suite ${part} did not run\n${output}`);
    for (const [, mark, scenario, figures] of lines) found.set(`auth/${scenario}`, mark === "✓" ? [] : [figures]);
  }
  return found;
}

/** As `suite`, for the Inspector's command line. */
async function inspector(url) {
  const program = join(cache, "node_modules", "inspector", "cli", "build", "cli.js");
  const found = new Map();
  for (const [method, flags, holds] of INSPECTOR) {
    const { code, output } = await run(node(), [
      program,
      "--cli",
      url,
      "--transport",
      "http",
      "--method",
      method,
      ...flags,
    ]);
    found.set(method, code === 0 && holds.test(output) ? [] : [`ended with ${code}: ${output.slice(0, 500)}`]);
  }
  return found;
}

/** Prints a suite, and counts what is not as expected. */
function judge(name, found, expected) {
  let surprises = 0;
  const say = (mark, scenario, lines) => {
    process.stdout.write(`  ${mark} ${scenario}\n${lines.map((line) => `      ${line}\n`).join("")}`);
    surprises++;
  };
  const passed = [...found.values()].filter((reasons) => reasons.length === 0).length;
  process.stdout.write(
    `${name}: ${passed} of ${found.size} scenarios pass, ${Object.keys(expected).length} are expected to fail\n`,
  );
  for (const [scenario, reasons] of found) {
    if (reasons.length > 0 && expected[scenario] === undefined) say("FAILS", scenario, reasons);
    if (reasons.length === 0 && expected[scenario] !== undefined) say("PASSES, take it off the list:", scenario, []);
  }
  for (const scenario of Object.keys(expected)) if (!found.has(scenario)) say("is not there:", scenario, []);
  return surprises;
}

await install();
const root = await project();
try {
  const { url, end } = await serve(root);
  try {
    const expected = parse(readFileSync(join(here, "expected-failures.yml"), "utf8")) ?? {};
    let surprises = 0;
    for (const name of Object.keys(SUITES))
      surprises += judge(name, await suite(name, url, root), expected[name] ?? {});
    for (const name of Object.keys(CLIENT_SUITES))
      surprises += judge(name, await clientSuite(name, root), expected[name] ?? {});
    surprises += judge("Inspector", await inspector(url), expected["Inspector"] ?? {});
    process.stdout.write(surprises === 0 ? "as expected\n" : `${surprises} not as expected\n`);
    process.exitCode = surprises === 0 ? 0 : 1;
  } finally {
    await end();
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
