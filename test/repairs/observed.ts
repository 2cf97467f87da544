/** A gateway that notes what calls do, and what it notes for one call. */

import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import type { Bound, JsonObject, JsonValue, Validator } from "toolwright/codegen";
import type { Dispatch } from "../../runtime/call/call.js";
import { indexRegistry } from "../../runtime/catalog/registry.js";
import type { Envelope } from "../../runtime/contract/error-body.js";
import type { Registry } from "../../runtime/contract/registry.js";
import { concurrencyLimit } from "../../runtime/run/concurrency-limit.js";
import type { HostError } from "../../runtime/run/engine/engine.js";
import { failureText } from "../../runtime/run/error-text.js";
import { valueOfJson } from "../../runtime/run/json-values.js";
import type { FailedRun } from "../../runtime/run/languages/language.js";
import { pythonProgram } from "../../runtime/run/languages/python/program.js";
import { rewrite } from "../../runtime/run/languages/python/rewrite.js";
import { PYTHON_TEXTS } from "../../runtime/run/languages/python/texts.js";
import { createPackProxy } from "../../runtime/run/pack-proxy.js";
import { createToolLoader } from "../../runtime/run/tool-loader.js";
import { callOf, hotTools } from "../../runtime/serve/mcp/hot-tools.js";
import type { State } from "../../runtime/state/open.js";
import { fixture, handler, principal } from "../runtime/gateway/fixture.js";
import { isObject } from "./model.js";

/** What a call did: which handler got which arguments, whether for a dry run, and under which key. */
export interface Effect {
  readonly op: string;
  readonly args: JsonObject;
  readonly dryRun: boolean;
  readonly key: string | undefined;
}

/** The answer to one call, and what the call did. */
export interface Observed {
  readonly envelope: Envelope;
  readonly effect: Effect | undefined;
}

/** What a call in a program did, and the text that its failure gives. */
export interface Told {
  readonly text: string;
  readonly effect: Effect | undefined;
}

/** Makes calls and notes their effects. */
export interface Observer {
  call(call: JsonValue): Promise<Observed>;
  batch(entry: JsonValue): Promise<Observed>;
  /** A call in a program; the text of the failure, if it fails. */
  program(op: string, args: JsonObject): Promise<Told>;
  /** A call of the op's own tool. */
  hot(op: string, args: JsonValue): Promise<Observed>;
}

const ajv = new Ajv2020({ allErrors: true, strict: false, inlineRefs: false, validateSchema: false });
formats.default(ajv as never);

/** A gateway over a registry whose handlers do nothing. */
export function observe(registry: Registry): Observer {
  const done: { op: string; args: JsonObject }[] = [];
  const keys: string[] = [];
  const compiled = new Map<string, Validator>();
  for (const { op, parameters_schema } of registry.tools)
    compiled.set(op, ajv.compile(parameters_schema) as unknown as Validator);
  const noop = (op: string): Bound<never, unknown> =>
    handler(async (args) => {
      done.push({ op, args });
      return {};
    });
  const settings = { aliases: new Map(), synonyms: new Map(), ops: new Map() };
  const index = indexRegistry(registry, settings);
  const { gateway } = fixture({
    project: {
      registry,
      helpOf: () => undefined,
      validators: async () => compiled,
      handler: async (op) => (compiled.has(op) ? noop(op) : undefined),
    },
    settings,
    options: {
      openState: async () =>
        ({ transaction: async (_: string, work: (tx: never) => unknown) => work({} as never) }) as unknown as State,
      ledger: {
        reserve: async (_, { key }) => void keys.push(key),
        takeOver: async () => undefined,
        renew: async () => undefined,
        succeed: async () => undefined,
        release: async () => undefined,
      },
    },
  });
  const effectOf = (envelope: Envelope): Effect | undefined => {
    const [made] = done.splice(0);
    const [key] = keys.splice(0);
    const result = envelope.ok && isObject(envelope.result) ? envelope.result : {};
    // A dry run may read first whether something exists.
    if (made && made.op !== result["checked"]) return { ...made, dryRun: false, key };
    if (!isObject(result["would_call"])) return undefined;
    const { args } = result["would_call"];
    const op = envelope.meta.executed_op ?? envelope.op;
    return { op, args: isObject(args) ? args : {}, dryRun: true, key: undefined };
  };
  const run = { ...settings, run: { projects: new Map() } } as unknown as Parameters<typeof createToolLoader>[2];
  const tools = createToolLoader("/nowhere", index, run).toolsFor(principal());
  const exposing = { expose: { hot: [], budget: 0, gateway: false }, run: {}, ops: settings.ops };
  const hot = new Map(
    [...hotTools(exposing as never, index.view(principal().grant)).values()].map((one) => [one.tool.op, one]),
  );
  return {
    async program(op, args) {
      const proxy = createPackProxy({
        dispatch: { ...(gateway as unknown as Dispatch), index },
        principal: principal(),
        texts: PYTHON_TEXTS,
        ...{ packs: tools.packs, hidden: tools.hidden, projects: tools.projects, ambiguous: new Map() },
        gate: concurrencyLimit(1),
        options: {},
        limitMs: () => 1000,
      });
      const program = pythonProgram(rewrite(`${op}()`, tools.names), tools.names);
      const path = program.lastCall ?? op.split(".");
      const named = Object.entries(args).map(([name, value]) => [name, valueOfJson(value as JsonValue)] as const);
      try {
        await proxy.namespace.call({ path, positional: [], named, signal: new AbortController().signal });
        return { text: "", effect: effectOf({ ok: true, result: null } as unknown as Envelope) };
      } catch (error) {
        const { exception, message } = error as HostError;
        const failed = {
          ok: false,
          kind: "runtime",
          name: exception,
          message,
          line: 1,
          stats: {},
        } as unknown as FailedRun;
        const written = { lines: [], hasIds: false, uncertain: [] };
        const known = { ops: tools.listed, isRead: () => true };
        const { about, next } = failureText(failed, { program, proxy, ...known, findings: [], written });
        const text = [about, ...next].join("\n");
        return {
          text,
          effect: done.length > 0 ? effectOf({ ok: true, result: null } as unknown as Envelope) : undefined,
        };
      }
    },
    async hot(op, args) {
      const tool = hot.get(op);
      if (!tool) throw new Error(`${op} is no tool`);
      const envelope = await gateway.dispatch(callOf(tool, args) as JsonObject, principal());
      return { envelope, effect: effectOf(envelope) };
    },
    async call(call) {
      const envelope = await gateway.dispatch(call, principal());
      return { envelope, effect: effectOf(envelope) };
    },
    async batch(entry) {
      const answer = await gateway.batch({ ops: [entry] }, principal());
      if ("error" in answer) throw new Error(answer.error.message);
      const envelope = answer.results[0] as unknown as Envelope;
      return { envelope, effect: effectOf(envelope) };
    },
  };
}
