/** A gateway over the hand-written registry, with handlers that record their calls. */

import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Keys } from "../../../runtime/access/keys.js";
import type { CallOptions } from "../../../runtime/call/call.js";
import type { Project } from "../../../runtime/catalog/project.js";
import type { Bound, Context, Grant, JsonObject, Principal, Validator } from "../../../runtime/codegen.js";
import { fail, unbound } from "../../../runtime/codegen.js";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { Settings } from "../../../runtime/config/settings.js";
import { httpSettingsOf, socketSettingsOf } from "../../../runtime/config/transport-settings.js";
import type { Envelope, ErrorBody, SuccessEnvelope } from "../../../runtime/contract/error-body.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { withDefaults } from "../../../runtime/contract/settings/project-settings.js";
import { UsageError } from "../../../runtime/contract/usage-error.js";
import { createOpGateway, type Gateway, type OpGatewayOptions } from "../../../runtime/gateway/gateway.js";
import { createLive, type Live } from "../../../runtime/gateway/reloadable-gateway.js";
import { documentFor, TOOLS } from "./fixture-tools.js";
import { LENT_LANGUAGES } from "./lent-engines.js";

type Handlers = Record<string, Bound<never, unknown>>;

const ajv = new Ajv({ allErrors: true, strict: false, verbose: false });
formats.default(ajv);
// As generated validators are compiled: behind a reference, `schemaPath` starts anew.
const lean = new Ajv2020({ allErrors: true, strict: false, inlineRefs: false });
formats.default(lean as unknown as Ajv);
const validatorOf = (tool: Tool) => [tool.op, lean.compile(tool.parameters_schema) as unknown as Validator] as const;
const VALIDATORS = new Map(TOOLS.map((tool) => [tool.op, ajv.compile(tool.parameters_schema) as unknown as Validator]));

/** A log that keeps its lines, and prints why a run failed that should not. */
function memoryLog() {
  const lines: { level: string; message: string; fields: object | undefined }[] = [];
  const at = (level: string) => (message: string, fields?: object) => {
    lines.push({ level, message, fields });
    const text = JSON.stringify(fields ?? {});
    if (level === "error" && text.includes("EngineError")) process.stderr.write(`${message} ${text}\n`);
  };
  return { lines, log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") } };
}

export const principal = (change: Partial<Principal> = {}): Principal => ({
  kind: "local",
  id: "local",
  grant: { level: "write", projects: "*" },
  allowWrite: true,
  ...change,
});
export const grant = (level: Grant["level"], projects: Grant["projects"] = "*"): Principal =>
  principal({ kind: "key", grant: { level, projects } });

/** Every key is live: tests of keys open the real ones. */
const ALL_LIVE = {
  still: async (keyId: string) => ({ keyId, grant: { level: "read", projects: "*" } as const, expiresAt: undefined }),
  watch: () => ({ signal: new AbortController().signal, release: () => undefined }),
  audit: () => undefined,
} as unknown as Keys;

const { instances: INSTANCES, instanceRuns: INSTANCE_RUNS } = runSettingsOf({});
const hasUsualProcesses = ({ instances, instanceRuns }: Settings["run"]): boolean =>
  instances === INSTANCES && instanceRuns === INSTANCE_RUNS;

export interface Fixture {
  readonly gateway: Gateway;
  readonly calls: { readonly op: string; readonly args: JsonObject }[];
  readonly lines: ReturnType<typeof memoryLog>["lines"];
  exec(op: string, args?: unknown, more?: JsonObject, who?: Principal, hooks?: CallOptions): Promise<Envelope>;
}

export interface FixtureOptions {
  readonly handlers?: Handlers;
  /** Beside those of the registry. */
  readonly more?: readonly Tool[];
  readonly settings?: Partial<Settings>;
  readonly project?: Partial<Project>;
  readonly options?: Partial<OpGatewayOptions>;
}

function defaultHandlers(tools: readonly Tool[], record: (op: string, args: JsonObject) => void): Handlers {
  const entries = tools.map((tool) => [
    tool.op,
    async (args: JsonObject) => record(tool.op, args) ?? { done: tool.op },
  ]);
  return { ...Object.fromEntries(entries), "util.web.visit": unbound("definitions/onto/util-handlers.ts") as never };
}

export function fixture({
  handlers = {},
  more = [],
  settings = {},
  options = {},
  project: change = {},
}: FixtureOptions = {}): Fixture {
  const calls: { op: string; args: JsonObject }[] = [];
  const bound = {
    ...defaultHandlers([...TOOLS, ...more], (op, args) => calls.push({ op, args }) && undefined),
    ...handlers,
  };
  const { lines, log } = memoryLog();
  const added = new Map(more.map(validatorOf));
  const documents = new Map(TOOLS.map((tool) => [tool.op, documentFor(tool)]));
  const project: Project = {
    root: "/nowhere",
    version: "0.0.0",
    registry: {
      ir_version: 1,
      registry_version: "5f0c9a1e77b2".padEnd(64, "0"),
      tools: [...TOOLS, ...more].sort((a, b) => (a.op < b.op ? -1 : 1)),
      packs: ["admin", "onto", "util", "zeta"].map((name) => ({
        name,
        summary: `Pack ${name}.`,
        source: "local",
        entities: {},
        topics: [],
      })),
      reserved: [],
    },
    helpOf: (op) => documents.get(op),
    settings: {
      ops: new Map([["zeta.hidden.write", { hidden: true }]]),
      aliases: new Map([
        ["mine", "onto.task.list"],
        ["again", "mine"],
      ]),
      synonyms: new Map([["chore", "task"]]),
      allowWrite: true,
      local: "write",
      state: { url: "", pool: 10 },
      callTimeoutMs: 1000,
      parallelCalls: 8,
      keepMs: 86_400_000,
      approvals: [],
      instructions: "Be brief.",
      packInstructions: new Map(),
      toolExamples: new Map(),
      expose: { gateway: true, hot: [], budget: undefined },
      answerBytes: 6000,
      servers: [],
      topics: [],
      log: { level: "silent" },
      web: { provider: "brave", allowPrivate: [] },
      llm: { url: "", model: "" },
      docs: { base: "https://docs.example.com/", slugs: new Map() },
      run: runSettingsOf({}),
      http: httpSettingsOf(withDefaults({})),
      socket: socketSettingsOf(withDefaults({})),
      rates: { burst: 20, perSecond: 10 },
      stats: { retentionDays: 90 },
      trust: "none",
      ...settings,
    },
    snippets: async () => new Map(),
    validators: async (pack) => new Map([...VALIDATORS, ...added].filter(([op]) => op.startsWith(`${pack}.`))),
    handler: async (op) => (Object.hasOwn(bound, op) ? bound[op] : undefined),
    ...change,
  };
  const gateway = createOpGateway(project, {
    openState: async () => fail("UNAVAILABLE", "no state in this test"),
    log,
    keys: ALL_LIVE,
    ...(settings.run === undefined || hasUsualProcesses(settings.run) ? { languages: LENT_LANGUAGES } : {}),
    ...options,
  });
  return {
    gateway,
    calls,
    lines,
    exec: (op, args, more = {}, who = principal(), hooks) =>
      gateway.dispatch({ op, ...(args === undefined ? {} : { args }), ...more }, who, hooks),
  };
}

/** A bound function under its op, with the types that generated code would give it. */
export const handler = (run: (args: JsonObject, ctx: Context) => Promise<unknown>): Bound<never, unknown> =>
  run as never;

/** What one call of an op with these arguments gives: the field errors, the corrected arguments, what the handler got. */
export async function tryArgs(tool: Tool, args: unknown) {
  const { exec, calls } = fixture({ more: [tool] });
  const envelope = await exec(tool.op, args);
  return {
    envelope,
    errors: envelope.ok ? [] : fieldErrorsOf(envelope),
    corrected: envelope.ok ? undefined : envelope.error.corrected_call?.args,
    handed: calls[0]?.args,
  };
}

export function errorOf(envelope: Envelope): ErrorBody {
  if (envelope.ok) throw new Error(`expected a failure, got ${JSON.stringify(envelope)}`);
  return envelope.error;
}

export function okOf(envelope: Envelope): SuccessEnvelope {
  if (!envelope.ok) throw new Error(`expected success, got ${JSON.stringify(envelope)}`);
  return envelope;
}

export const fieldErrorsOf = (envelope: Envelope) =>
  (errorOf(envelope).details?.["field_errors"] ?? []) as readonly {
    path: string;
    keyword: string;
    message: string;
    expected: string;
    received: string;
    did_you_mean?: string;
  }[];

/** A gateway as transports take it, which never reloads. */
export const liveOf = (gateway: Gateway): Live =>
  createLive(gateway, async () => {
    throw new UsageError("a fixture has no configuration");
  });
