/**
 * Declares the shapes of `toolwright.yaml`, `snippets.yaml` and `prompts.yaml` with all their keys. `config.ts` checks against the
 * first; `editor-schema.ts` adds descriptions.
 */

import {
  ANSWER_BYTES,
  CONNECTION_MODES,
  HTTP_LIMITS,
  LIMITS,
  SHIPPED_PACKS,
  SOCKET_LIMITS,
} from "../../runtime/contract/config-defaults.js";
import { BREAKING_RULES } from "../core/breaking-rules.js";
import { RULES } from "../core/rules.js";
import type { Shape } from "../core/shape.js";

/** Any text. */
export const string: Shape = { type: "string" };
/** A text of at least one character. */
const filled: Shape = { type: "string", minLength: 1 };
const boolean: Shape = { type: "boolean" };
const integer = (minimum: number, maximum: number): Shape => ({ type: "integer", minimum, maximum });
const count: Shape = { type: "integer", minimum: 0 };
/** Milliseconds, up to the longest delay of a timer. */
const time = integer(0, 2_147_483_647);
/** Longest retention time, in days: a hundred years. */
const CENTURY_DAYS = 36_525;
/** A list. */
export const list = (items: Shape): Shape => ({ type: "array", items });
const strings = list(string);
const anything: Shape = {};
/** A map with any keys. */
export const map = (values: Shape): Shape => ({ type: "object", additionalProperties: values });
/** A map with exactly these keys. */
export const closed = (properties: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const day: Shape = { type: "string", format: "date" };
/** A map with one key per rule. */
const byRule = (rules: object, value: Shape): Shape =>
  closed(Object.fromEntries(Object.keys(rules).map((code) => [code, value])));
const oneOf = (...values: readonly string[]): Shape => ({ type: "string", enum: values });
const level = oneOf("error", "warning", "info", "off");
/** A level, or levels by rule. */
const diagnosticLevel: Shape = {
  ...byRule(RULES, level),
  type: ["string", "object"],
  pattern: "^(?:error|warning|info|off)$",
};

/** `on` or `off` for all parts, or a map of them. */
const learn = (parts: Readonly<Record<string, Shape>> = {}): Shape => ({
  ...closed({ types: oneOf("on", "off"), words: oneOf("on", "off"), ...parts }),
  type: ["string", "object"],
  pattern: "^(?:on|off)$",
});

const kind = oneOf("read", "write");
const target = oneOf("global", "project");

/** How tokens for a server or an API are got. */
const connection = {
  mode: oneOf(...CONNECTION_MODES),
  issuer: filled,
  client: closed({ id: filled, secret: filled, metadata_url: filled, register: boolean }),
  scope: filled,
  resource: filled,
  audience: filled,
  authorize_params: map(string),
};

/** An entry of `sources`. A further key is a kind of source that a plugin adds; `rules.ts` refuses it without plugins. */
const source: Shape = {
  type: "object",
  properties: {
    "chat-tools": string,
    functions: string,
    graphql: string,
    mcp: string,
    module: string,
    openapi: string,
    exports: strings,
    pack: string,
    allow_empty: boolean,
    kind,
    handlers: string,
    server: string,
    url: string,
    depth: integer(0, 8),
    selections: map(string),
    send_defaults: boolean,
    idempotency: closed({ header: filled }, ["header"]),
    auth: closed({ bearer: string, basic: string, headers: map(string), query: map(string), ...connection }),
    options: map(anything),
  },
  additionalProperties: anything,
};

/** Keys of an entry of `sources`, without the kinds of plugins. */
export const SOURCE_KEYS: readonly string[] = Object.keys(source.properties ?? {});

const constraint = closed({
  at_least_one_change: closed({ except: strings, of: strings }),
  one_of: list(strings),
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
  enums: map(list(anything)),
  notes: strings,
  examples: list(map(anything)),
  constraints: list(constraint),
  destructive: boolean,
  idempotent: boolean,
  open_world: boolean,
  deadline_ms: time,
  dry_run: boolean,
  check: filled,
  hidden: boolean,
  learn: learn(),
});

const server = closed({
  type: oneOf("stdio", "http"),
  url: string,
  headers: map(string),
  auth: closed(connection, ["mode", "issuer"]),
  command: string,
  args: strings,
  env: map(string),
  cwd: filled,
  tools: closed({ only: strings, except: strings }),
  timeout: { type: "number", minimum: 0 },
  answer_bytes: integer(1, ANSWER_BYTES[1]),
  enabled: boolean,
  lazy: boolean,
  sanitize: boolean,
  idempotency: closed({ argument: filled }, ["argument"]),
  snapshot: closed({ every: filled, principal: filled }),
  learn: learn(),
});

/** Limits that must be at least 1, since 0 would block all calls or runs. */
const AT_LEAST_ONE: ReadonlySet<string> = new Set(["parallel_calls", "runs", "instance_runs"]);

const positive = (table: Readonly<Record<string, readonly [preset: number, ceiling: number]>>) =>
  Object.fromEntries(Object.entries(table).map(([name, [, ceiling]]) => [name, integer(1, ceiling)]));

const limits = closed({
  ...Object.fromEntries(
    Object.entries(LIMITS).map(([name, [, ceiling]]) => [name, integer(AT_LEAST_ONE.has(name) ? 1 : 0, ceiling)]),
  ),
  http: closed(positive(HTTP_LIMITS)),
  socket: closed(positive(SOCKET_LIMITS)),
});

/** An entry of `access.oauth.issuers`. */
const issuer = closed(
  {
    issuer: filled,
    tokens: oneOf("jwt", "introspection"),
    introspection: closed({ client_id: filled, client_secret: filled, cache: filled }, ["client_id", "client_secret"]),
    algorithms: list(filled),
    clock_skew: filled,
    jwks: closed({ cache: filled, cooldown: filled }),
    principal: filled,
    scopes_supported: list(filled),
    login: closed({ client_id: filled, client_secret: filled, label: filled, scopes: list(filled) }, ["client_id"]),
    grants: list(
      closed(
        {
          when: map(filled),
          level: oneOf("read", "write", "admin"),
          projects: list(filled),
          packs: list(filled),
          ops: list(filled),
        },
        ["when", "level"],
      ),
    ),
  },
  ["issuer", "grants"],
);

/** JSON Schema (a subset: type, properties, required, additionalProperties, items, enum, minimum, maximum, minLength, format) of the configuration file. */
export const CONFIG_SCHEMA: Shape = closed(
  {
    include: list(filled),
    plugins: list(filled),
    use: list(oneOf(...SHIPPED_PACKS)),
    sources: list(source),
    packs: map(closed({ summary: string, entities: map(string), topics: strings, target })),
    emitters: map(map(anything)),
    vocabulary: closed({ verbs: map(kind) }),
    ops: map(op),
    policies: map(closed({ do: strings, dont: strings, edge_cases: strings, source_hash: string })),
    synonyms: map(string),
    budget: closed({ tool: count, help_short: count, exposed: count }),
    breaking: closed({
      profile: oneOf("wire", "code", "all"),
      fail_on: oneOf("error", "warning", "info"),
      level: byRule(BREAKING_RULES, level),
      ignore: byRule(BREAKING_RULES, strings),
    }),
    diagnostics: map(diagnosticLevel),
    reserved: {
      type: "array",
      items: closed({ tool: string, op: string, since: day, sunset: day, use: string }, ["tool", "op", "since"]),
    },
    surfaces: list(oneOf("skill", "openai", "anthropic", "typescript", "python")),
    servers: map(server),
    expose: closed({
      gateway: boolean,
      run: boolean,
      hot: strings,
      signatures: count,
      answer_bytes: integer(1000, 100_000),
      run_preview: oneOf("always", "writes", "never"),
      resources: map(closed({ op: filled, name: filled, description: string, mime: filled }, ["op"])),
      prompts: map(closed({ op: filled, description: string }, ["op"])),
    }),
    aliases: map(filled),
    projects: map(filled),
    topics: list(closed({ pattern: filled, file: filled }, ["pattern", "file"])),
    access: closed({
      allow_write: boolean,
      local: oneOf("read", "write", "admin"),
      http: oneOf("auto", "keys", "none"),
      rate: closed({ burst: count, per_second: { type: "number", minimum: 0 } }),
      oauth: closed({ resource: filled, issuers: list(issuer) }),
    }),
    secrets: closed({ from: list(filled), names: list(filled) }),
    state_encryption: closed({ keys: list(closed({ id: filled, from: filled }, ["id", "from"])) }),
    public_url: string,
    http: closed({
      allowed_hosts: list(filled),
      trusted_proxies: list(filled),
      drain: closed({ delay_ms: integer(0, 600_000), grace_ms: integer(0, 3_600_000) }),
      tls: closed({ cert: string, key: string }),
    }),
    metrics: oneOf("off", "keys", "open"),
    state: { ...closed({ url: string, pool: integer(1, 1000), listen_url: filled }), type: ["string", "object"] },
    output: closed({
      max_inline_size: count,
      result_ttl: integer(0, CENTURY_DAYS * 86_400),
      preview_lines: count,
      preview_bytes: count,
    }),
    stats: closed({ enabled: boolean, retention_days: integer(0, CENTURY_DAYS) }),
    sanitize: closed({ default: boolean, ops: map(boolean) }),
    engine: oneOf("auto", "monty", "cpython"),
    learn: learn({ callers: integer(1, 100) }),
    trust: oneOf("none", "local"),
    limits,
    approvals: closed({ own: boolean, webhook: closed({ url: filled, secret: filled }, ["url", "secret"]) }),
    approve: list(
      closed({
        ops: list(filled),
        kind: oneOf("write"),
        destructive: boolean,
        when: map(anything),
        unless: closed({ callers: list(filled) }),
        by: list(oneOf("console", "cli", "elicitation")),
        expires: filled,
      }),
    ),
    ledger: closed({ keep_hours: integer(0, CENTURY_DAYS * 24) }),
    web: closed({ provider: string, allow_private: strings }),
    llm: closed({ url: string, model: string }),
    docs: closed({ base: string, guides: string, slugs: map(string), title: string }),
    log: closed({
      level: oneOf("trace", "debug", "info", "warn", "error", "silent"),
      file: { type: ["string", "null"] },
    }),
  },
  ["sources"],
);

const scalar: Shape = { type: ["string", "number", "boolean"] };

/** `snippets.yaml`. */
export const SNIPPETS_SCHEMA: Shape = map(
  closed(
    {
      description: string,
      params: map(
        closed({
          required: { type: "boolean" },
          default: scalar,
          type: string,
          description: string,
          example: scalar,
          enum: list(scalar),
        }),
      ),
      body: string,
    },
    ["body"],
  ),
);

/** `prompts.yaml`: an example is code, or arguments by name. */
export const PROMPTS_SCHEMA: Shape = closed({
  instructions: string,
  packs: map(string),
  tools: map(closed({ examples: list({ type: ["string", "object"] }) })),
});
