/**
 * The shape of `toolwright.yaml` as a JSON Schema: every key of the design page `configuration.md`, those of later parts included,
 * so that a later key is never an unknown one. `config.ts` checks against it; editors can be given the same value.
 */

import { BREAKING_RULES } from "./breaking/rules.js";

type Shape = Readonly<Record<string, unknown>>;

const string: Shape = { type: "string" };
const boolean: Shape = { type: "boolean" };
const count: Shape = { type: "integer", minimum: 0 };
const positive: Shape = { type: "integer", minimum: 1 };
const strings: Shape = { type: "array", items: string };
const anything: Shape = {};
const map = (values: Shape): Shape => ({ type: "object", additionalProperties: values });
const closed = (properties: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const day: Shape = { type: "string", format: "date" };
/** One member a rule of `breaking`. */
const byRule = (value: Shape): Shape =>
  closed(Object.fromEntries(Object.keys(BREAKING_RULES).map((code) => [code, value])));
const oneOf = (...values: readonly string[]): Shape => ({ type: "string", enum: values });

const kind = oneOf("read", "write");
const target = oneOf("global", "project");

const source = closed({
  "chat-tools": string,
  functions: string,
  mcp: string,
  openapi: string,
  exports: strings,
  pack: string,
  kind,
  handlers: string,
  server: string,
  auth: closed({ bearer: string, basic: string, headers: map(string), query: map(string) }),
});

const constraint = closed({
  at_least_one_change: closed({ except: strings, of: strings }),
  one_of: { type: "array", items: strings },
  requires: closed({ argument: string, equals: anything, needs: strings }, ["argument", "needs"]),
});

const op = closed({
  op: string,
  kind,
  access: oneOf("read", "write", "admin"),
  target,
  project_from: string,
  aliases: strings,
  arguments: map(string),
  notes: strings,
  examples: { type: "array", items: map(anything) },
  constraints: { type: "array", items: constraint },
  destructive: boolean,
  idempotent: boolean,
  open_world: boolean,
  deadline_ms: count,
  dry_run: boolean,
  hidden: boolean,
  handler: string,
});

const server = closed({
  type: oneOf("stdio", "http"),
  url: string,
  headers: map(string),
  command: string,
  args: strings,
  env: map(string),
  timeout: { type: "number", minimum: 0 },
  enabled: boolean,
  lazy: boolean,
  sanitize: boolean,
});

const limits = closed({
  cpu_ms: count,
  wall_ms: count,
  call_timeout_ms: count,
  memory_mb: count,
  recursion: count,
  host_calls: count,
  parallel_calls: count,
  print_bytes: count,
  result_bytes: count,
  result_depth: count,
  code_bytes: count,
  runs: count,
  queue: count,
  http: closed({
    body_bytes: positive,
    in_flight: positive,
    connections: positive,
    header_ms: positive,
    body_ms: positive,
  }),
  socket: closed({ line_bytes: count, response_bytes: count, connections: count, strangers: count, in_flight: count }),
});

/** JSON Schema (a subset: type, properties, required, additionalProperties, items, enum, minimum, format) of the configuration file. */
export const CONFIG_SCHEMA: Shape = closed(
  {
    include: strings,
    use: { type: "array", items: oneOf("ot", "proj", "brave", "web", "llm", "oubliette") },
    sources: { type: "array", items: source },
    packs: map(closed({ summary: string, entities: map(string), topics: strings, target })),
    vocabulary: closed({ verbs: map(kind) }),
    ops: map(op),
    policies: map(closed({ do: strings, dont: strings, edge_cases: strings, source_hash: string })),
    synonyms: map(string),
    budget: closed({ tool: count, help_short: count, exposed: count }),
    breaking: closed({
      profile: oneOf("wire", "code", "all"),
      fail_on: oneOf("error", "warning", "info"),
      level: byRule(oneOf("error", "warning", "info", "off")),
      ignore: byRule(strings),
    }),
    reserved: {
      type: "array",
      items: closed({ tool: string, op: string, since: day, sunset: day, use: string }, ["tool", "op", "since"]),
    },
    surfaces: { type: "array", items: oneOf("skill", "openai", "anthropic", "typescript", "python") },
    servers: map(server),
    expose: closed({ gateway: boolean, run: boolean, hot: strings, signatures: count }),
    aliases: map(string),
    projects: map(string),
    topics: { type: "array", items: closed({ pattern: string, file: string }, ["pattern", "file"]) },
    access: closed({
      allow_write: boolean,
      local: oneOf("read", "write", "admin"),
      http: oneOf("auto", "keys", "none"),
      rate: closed({ burst: count, per_second: { type: "number", minimum: 0 } }),
    }),
    state: string,
    output: closed({ max_inline_size: count, result_ttl: count, preview_lines: count, preview_bytes: count }),
    stats: closed({ enabled: boolean, retention_days: count }),
    sanitize: closed({ default: boolean, ops: map(boolean) }),
    engine: oneOf("auto", "monty", "cpython"),
    trust: oneOf("none", "local"),
    limits,
    ledger: closed({ keep_hours: count }),
    web: closed({ provider: string, allow_private: strings }),
    llm: closed({ url: string, model: string }),
    docs: closed({ base: string, slugs: map(string) }),
    log: closed({
      level: oneOf("trace", "debug", "info", "warn", "error", "silent"),
      file: { type: ["string", "null"] },
    }),
  },
  ["sources"],
);
