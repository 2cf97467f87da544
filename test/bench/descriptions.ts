/**
 * Descriptions of real HTTP APIs that npm packages ship: every operation and every parameter of each is in an op or is named in a
 * diagnostic, the generated code compiles, and calls are right on the wire. What is expected is read from the descriptions by code of
 * its own. The packages take 420 MB, so they are installed on demand into `.cache/`; `--quick` installs nothing. Exit 1 if a goal is missed.
 */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { parse } from "yaml";
import type { Diagnostic } from "../../generator/core/diagnostic.js";
import { createGateway, type ProjectGateway } from "../../generator/entry/index.js";
import type { HttpCall } from "../../runtime/contract/http-call.js";
import { isObject } from "../../runtime/contract/json.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import { compile } from "../support/compile.js";
import { requireBuilt } from "../support/installed.js";
import { instancesOf } from "../support/instances.js";
import { randomOf, shuffled } from "../support/random.js";
import { DIRECTORY, installDescriptions } from "./api-packages.js";
import { FOLDER, flags } from "./report.js";
import { bodyOf, type Described, describedIn, type Expected, expectedOf } from "./wire.js";

/** The descriptions, as files of the packages: OpenAPI 3.0 and 3.1, Swagger 2.0; JSON and YAML. */
const FILES: readonly string[] = [
  ...[
    "1password.local/connect.json",
    "ably.io/platform.json",
    "apache.org/airflow.json",
    "bitbucket.org.json",
    "box.com.json",
    "circleci.com.json",
    "discourse.local.json",
    "docker.com/engine.json",
    "hetzner.cloud.json",
    "launchdarkly.com.json",
    "netlify.com.json",
    "notion.com.json",
    "slack.com.json",
    "spotify.com.json",
    "telegram.org.json",
    "twilio.com/twilio_messaging_v1.json",
    "vercel.com.json",
  ].map((file) => `${DIRECTORY}/${file}`),
  "@figma/rest-api-spec/openapi/openapi.yaml",
  "@readme/oas-examples/2.0/json/petstore.json",
  "@readme/oas-examples/3.1/json/train-travel.json",
];

const CALLS = 3;
const SEED = 20;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const seen: Seen[] = [];
const echo = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { method = "", url = "", headers } = request;
  seen.push({ method, url, headers, body: Buffer.concat(parts) });
  response.setHeader("content-type", "application/json");
  response.end("{}");
});

/** A project of one description, generated; its root and what was reported. */
function generated(file: string, modules: string, server: string) {
  const root = join(FOLDER, "descriptions", "projects", file.replace(/[^\w.]+/g, "-"));
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, "definitions"), { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(process.cwd(), join(root, "node_modules", "toolwright"));
  cpSync(join(modules, file), join(root, "definitions", basename(file)));
  const entry = `{ openapi: ${basename(file)}, pack: api, server: "${server}" }`;
  writeFileSync(join(root, "definitions", "toolwright.yaml"), `use: []\nsources: [${entry}]\n`);
  const words = ["generator/launch.mjs", "generate", "--root", root, "--json"];
  const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8", maxBuffer: 1e9 });
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
  const path = join(root, "generated", "http", "api.json");
  const calls: Readonly<Record<string, HttpCall>> = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  return { root, calls, texts: diagnostics.map(({ code, message }) => `${code} ${message}`) };
}

/** What of a description is neither in an op nor named in a diagnostic. */
function lossesOf(all: readonly Described[], calls: Readonly<Record<string, HttpCall>>, texts: readonly string[]) {
  return all.flatMap((one): readonly string[] => {
    const what = `${one.method} ${one.path}`;
    const [op, call] = Object.entries(calls).find(([, { method, path }]) => `${method} ${path}` === what) ?? [];
    const named = (...words: readonly string[]): boolean =>
      texts.some((text) => words.every((word) => text.includes(word)));
    if (!op || !call) return named(what) || (one.id !== undefined && named(one.id)) ? [] : [what];
    const tool = one.id ?? op.slice("api.".length);
    const lost = one.parameters.filter(
      ({ place, name }) =>
        !call.arguments.some((argument) => argument.in === place && (argument.name ?? argument.argument) === name) &&
        !named(tool, `${place} ${name}`) &&
        !named(tool, `no argument ${name}`),
    );
    const fields = Object.values(call.body?.fields ?? {});
    const missing = one.body === undefined || call.body !== undefined || named(tool, "the body") ? [] : ["the body"];
    const gone = (one.body?.properties ?? []).filter(
      (name) => call.body && call.body.whole === undefined && !fields.includes(name) && !named(tool, name),
    );
    return [...lost.map(({ place, name }) => `${place} ${name}`), ...missing, ...gone].map(
      (part) => `${what}: ${part}`,
    );
  });
}

/** What is wrong with a request; empty if it is right. */
function faultsOf(expected: Expected, { method, url, headers, body }: Seen): readonly string[] {
  const [path = "", query = ""] = url.split("?");
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.join("=")).sort();
  const same = (what: string, got: unknown, wanted: unknown): readonly string[] =>
    JSON.stringify(got) === JSON.stringify(wanted)
      ? []
      : [`${what} is ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`];
  return [
    ...same("the method", method, expected.method),
    ...same("the path", decodeURIComponent(path), `/base${expected.path}`),
    ...same("the query", pairs, [...expected.query].sort()),
    ...Object.entries(expected.headers).flatMap(([name, value]) => same(name, headers[name.toLowerCase()], value)),
    ...same("the body", bodyOf(body, headers["content-type"] ?? ""), expected.body),
  ];
}

/** A copy with words in place of `<placeholders>`, which calls refuse. */
function withoutPlaceholders(value: JsonValue): JsonValue {
  if (typeof value === "string") return /^<.*>$/.test(value) ? "abc" : value;
  if (Array.isArray(value)) return value.map(withoutPlaceholders);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutPlaceholders(one)]));
}

interface Tool {
  readonly op: string;
  readonly parameters_schema: JsonSchema;
}

interface Project {
  readonly root: string;
  readonly calls: Readonly<Record<string, HttpCall>>;
}

/** Ops in an order that depends on the seed only, one without and one with a body in turn. */
function turnsOf({ root, calls }: Project): readonly Tool[] {
  const registry = JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8"));
  const order = shuffled((registry as { readonly tools: readonly Tool[] }).tools, randomOf(SEED));
  const [reads, writes] = [false, true].map((has) => order.filter(({ op }) => (calls[op]?.body !== undefined) === has));
  return order.flatMap((_, i) => [reads?.[i], writes?.[i]].filter((one) => one !== undefined));
}

/** Calls some ops of a project, and compares what arrives with what the description says. */
async function callsOf(project: Project, all: readonly Described[]) {
  const gateway = await createGateway({ root: project.root, allowWrite: true, logLevel: "silent" });
  const results: (readonly string[])[] = [];
  for (const tool of turnsOf(project)) {
    if (results.length >= CALLS) break;
    const call = project.calls[tool.op];
    const one = call && all.find(({ method, path }) => method === call.method && path === call.path);
    const found = one && (await firstCall({ gateway, tool, one, call }));
    if (found) results.push(found.map((fault) => `${tool.op}: ${fault}`));
  }
  await gateway.close();
  return { right: results.filter((one) => one.length === 0).length, faults: results.flat() };
}

interface Trial {
  readonly gateway: ProjectGateway;
  readonly tool: Tool;
  readonly one: Described;
  readonly call: HttpCall;
}

/** Faults of the first call with arguments that are judged and accepted; undefined if there are none such. */
async function firstCall({ gateway, tool, one, call }: Trial): Promise<readonly string[] | undefined> {
  for (const example of [...instancesOf(tool.parameters_schema, 0, randomOf(SEED))].reverse()) {
    const args = withoutPlaceholders(example);
    const expected = isObject(args) ? expectedOf(one, call, args) : undefined;
    if (!expected || !isObject(args)) continue;
    const before = seen.length;
    await gateway.exec(tool.op, args);
    const request = seen[before];
    if (request) return faultsOf(expected, request);
  }
  return undefined;
}

async function main(): Promise<void> {
  if (flags.quick) return void process.stdout.write("descriptions: not run, since --quick installs nothing\n");
  // Generated code is compiled against the declarations of a build.
  requireBuilt();
  const modules = installDescriptions();
  await new Promise<void>((resolve) => echo.listen(0, "127.0.0.1", resolve));
  const server = `http://127.0.0.1:${(echo.address() as AddressInfo).port}/base`;
  const total = { operations: 0, ops: 0, losses: 0, unsound: 0, right: 0, wrong: 0 };
  for (const file of FILES) {
    const { root, calls, texts } = generated(file, modules, server);
    const all = describedIn(parse(readFileSync(join(modules, file), "utf8"), { maxAliasCount: -1 }));
    const losses = lossesOf(all, calls, texts);
    const complaints = Object.keys(calls).length === 0 ? "nothing generated" : compile(root, ["generated/*.ts"]);
    const { right, faults } =
      Object.keys(calls).length === 0 ? { right: 0, faults: [] } : await callsOf({ root, calls }, all);
    const ops = Object.keys(calls).length;
    process.stdout.write(
      `${file}: ${all.length} operations, ${ops} ops, ${losses.length} lost, ${right} calls right\n`,
    );
    const told = [...losses.map((one) => `lost ${one}`), ...faults, complaints.slice(0, 600)].filter(
      (one) => one !== "",
    );
    for (const line of told.slice(0, 12)) process.stdout.write(`  ${line}\n`);
    total.operations += all.length;
    total.ops += ops;
    total.losses += losses.length;
    total.unsound += complaints === "" ? 0 : 1;
    total.right += right;
    total.wrong += faults.length;
  }
  echo.close();
  process.stdout.write(
    `${FILES.length} descriptions: ${total.operations} operations, ${total.ops} ops; lost silently ${total.losses} (goal 0); not compiled ${total.unsound} (goal 0); calls right ${total.right} of ${total.right + total.wrong} (goal ${FILES.length * CALLS})\n`,
  );
  if (total.losses > 0 || total.unsound > 0 || total.wrong > 0 || total.right < FILES.length * CALLS)
    process.exitCode = 1;
}

await main();
